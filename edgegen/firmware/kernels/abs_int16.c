#include "abs_int16.h"

#include "fixed_point.h"

void edgegen_abs_int16(const edgegen_abs_int16_params *p, const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t y = input[i] < 0 ? -input[i] : input[i];
        if (p->multiplier) {
            y = edgegen_requantize(y, p->multiplier, p->shift);
        }
        output[i] = (int16_t)edgegen_min(y, p->clamp_max);
    }
}
