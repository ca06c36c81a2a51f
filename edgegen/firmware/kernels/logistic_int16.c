#include "logistic_int16.h"

#include "curve16.h"

void edgegen_logistic_int16(const edgegen_logistic_int16_params *p, const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t x = edgegen_curve16_input(input[i], p->multiplier, p->shift);
        const int32_t y = edgegen_curve16_read(p->table, x < 0 ? -x : x, 9, 0x7FFF << 10);
        output[i] = (int16_t)((x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10);
    }
}
