#include "add.h"

#include "fixed_point.h"

static int32_t rescaled(int32_t x, int32_t left_shift, int32_t multiplier, int32_t shift)
{
    return edgegen_requantize(x * ((int32_t)1 << left_shift), multiplier, shift);
}

static int8_t sum(const edgegen_add_params *p, int32_t first, int32_t second)
{
    const int32_t a = rescaled(first + p->first_offset, p->left_shift, p->first_multiplier, p->first_shift);
    const int32_t b =
        rescaled(second + p->second_offset, p->left_shift, p->second_multiplier, p->second_shift);
    const int32_t out = edgegen_requantize(a + p->sign * b, p->output_multiplier, p->output_shift);
    return (int8_t)edgegen_clamp(out + p->output_offset, p->clamp_min, p->clamp_max);
}

void edgegen_add(const edgegen_add_params *p, const int8_t *first, const int8_t *second, int8_t *output)
{
    int32_t index[5] = {0, 0, 0, 0, 0};
    for (int32_t loop = 0; loop >= 0;) {
        for (int32_t i = 0; i < p->size[5]; ++i) {
            *output++ = sum(p, first[i * p->first_step[5]], second[i * p->second_step[5]]);
        }
        for (loop = 4; loop >= 0; --loop) {
            first += p->first_step[loop];
            second += p->second_step[loop];
            if (++index[loop] < p->size[loop]) {
                break;
            }
            index[loop] = 0;
            first -= p->first_step[loop] * p->size[loop];
            second -= p->second_step[loop] * p->size[loop];
        }
    }
}
