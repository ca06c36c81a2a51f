/* Elementwise sum or difference of two int8 tensors of one shape. */
#ifndef EDGEGEN_ADD_ALIGNED_H
#define EDGEGEN_ADD_ALIGNED_H

#include <stdint.h>

/* The operand of the larger scale is `wide`: its multiplier is one half, which is exact. The other is `fine`.
 */
typedef struct {
    int32_t count;
    int32_t wide_is_second;
    int32_t wide_scale;  /* 2^20, or -2^20 where it is subtracted */
    int32_t wide_offset; /* its zero point times minus wide_scale */
    int32_t fine_offset; /* minus its zero point, times 2^21 */
    int32_t fine_multiplier;
    int32_t fine_right, fine_nudge;   /* of the rounding shift, 0 and 0 for none */
    int32_t fine_sign;                /* 2, or -2 where it is subtracted */
    int32_t multiplier, right, nudge; /* of the output, under the conditions of packed_block.h */
} edgegen_add_aligned_params;

/* The output may lie on either operand. */
void edgegen_add_aligned(const edgegen_add_aligned_params *p, const int8_t *first, const int8_t *second,
                         int8_t *output);

#endif
