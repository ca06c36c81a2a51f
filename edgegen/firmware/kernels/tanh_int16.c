#include "tanh_int16.h"

#include "curve16.h"

void edgegen_tanh_int16(const edgegen_tanh_int16_params *p, const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        output[i] = edgegen_curve16_tanh(p->table, edgegen_curve16_input(input[i], p->multiplier, p->shift));
    }
}
