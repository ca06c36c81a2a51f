#include "tanh_int16.h"

#include "curve16.h"

/* tanh(x) = 2 logistic(2x) - 1, so the table is walked in half steps. */
void edgegen_tanh_int16(const edgegen_tanh_int16_params *p, const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t x = edgegen_curve16_input(input[i], p->multiplier, p->shift);
        const int32_t y = edgegen_curve16_read(p->table, x < 0 ? -x : x, 8, 0xFFFF << 8);
        output[i] = (int16_t)((x >= 0 ? y - (1 << 23) + (1 << 7) : (1 << 23) - y + (1 << 7) - 1) >> 8);
    }
}
