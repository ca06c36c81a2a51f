/* Sums of elements side by side, the inner loop of add. A target may have its own. */
#ifndef EDGEGEN_ADD_RUN_H
#define EDGEGEN_ADD_RUN_H

#include "add.h"
#include "fixed_point.h"

static inline int32_t edgegen_add_rescaled(int32_t x, int32_t left_shift, int32_t multiplier, int32_t shift)
{
    return edgegen_requantize(x * ((int32_t)1 << left_shift), multiplier, shift);
}

static inline int8_t edgegen_add_one(const edgegen_add_params *p, int32_t first, int32_t second)
{
    const int32_t a =
        edgegen_add_rescaled(first + p->first_offset, p->left_shift, p->first_multiplier, p->first_shift);
    const int32_t b =
        edgegen_add_rescaled(second + p->second_offset, p->left_shift, p->second_multiplier, p->second_shift);
    const int32_t out = edgegen_requantize(a + p->sign * b, p->output_multiplier, p->output_shift);
    return (int8_t)edgegen_clamp(out + p->output_offset, p->clamp_min, p->clamp_max);
}

/* `count` sums; the output may lie on either operand. */
void edgegen_add_run(const edgegen_add_params *p, const int8_t *first, const int8_t *second, int32_t count,
                     int8_t *output);

#endif
