#include "add_aligned.h"

#include "add_block.h"
#include "dsp.h"
#include "features.h"

/* Twice the sum of both operands at the kernel's inner scale. */
static inline int32_t twice_sum(const edgegen_add_aligned_params *p, int32_t wide, int32_t fine)
{
    int32_t b = edgegen_high_mul_twice(fine * ((int32_t)1 << 21) + p->fine_offset, p->fine_multiplier);
    if (p->fine_right != 0) {
        b += b >> 31;
        b = (b + p->fine_nudge) >> p->fine_right;
    }
    return wide * p->wide_scale + p->wide_offset + b * p->fine_sign;
}

static inline int8_t output_of(const edgegen_add_aligned_params *p, int32_t twice)
{
    int32_t out = edgegen_high_mul_twice(twice, p->multiplier);
    out += out >> 31;
    return (int8_t)edgegen_saturate8((out + p->nudge) >> p->right);
}

void edgegen_add_aligned(const edgegen_add_aligned_params *p, const int8_t *first, const int8_t *second,
                         int8_t *output)
{
    const edgegen_add_aligned_params q = *p; /* the output may lie on anything but this copy */
    const int8_t *wide = q.wide_is_second ? second : first;
    const int8_t *fine = q.wide_is_second ? first : second;
    if (EDGEGEN_ADD_BLOCK && q.wide_scale > 0 && q.fine_sign > 0 && q.fine_right > 0) {
        edgegen_add_block(p, wide, fine, output);
    } else if (EDGEGEN_ADD_ANY) {
        for (int32_t i = 0; i < q.count; ++i) {
            output[i] = output_of(&q, twice_sum(&q, wide[i], fine[i]));
        }
    }
}
