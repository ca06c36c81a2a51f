/* Requantisation of vectors, bit for bit that of fixed_point.h. */
#ifndef EDGEGEN_NEON_H
#define EDGEGEN_NEON_H

#include <arm_neon.h>
#include <stdint.h>

/* Multipliers and shifts of four channels. */
typedef struct {
    int32x4_t multiplier, left, right;
} edgegen_scale4;

/* What all channels of a layer share. */
typedef struct {
    int32x4_t offset, least, most;
} edgegen_output4;

/* Shifts are positive to the left. */
static inline edgegen_scale4 edgegen_load_scale4(const int32_t *multiplier, const int32_t *shift)
{
    const int32x4_t both = vld1q_s32(shift), zero = vdupq_n_s32(0);
    const edgegen_scale4 scale = {vld1q_s32(multiplier), vmaxq_s32(both, zero), vminq_s32(both, zero)};
    return scale;
}

static inline edgegen_output4 edgegen_output_range4(int32_t offset, int32_t least, int32_t most)
{
    const edgegen_output4 range = {vdupq_n_s32(offset), vdupq_n_s32(least), vdupq_n_s32(most)};
    return range;
}

/* Four sums by their scales. The rounding of a right shift goes away from zero at ties, that of VRSHL
 * upwards: negative sums are one less before it. */
static inline int32x4_t edgegen_rescale4(int32x4_t sum, edgegen_scale4 scale)
{
    int32x4_t x = vqrdmulhq_s32(vshlq_s32(sum, scale.left), scale.multiplier);
    x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, scale.right), 31));
    return vrshlq_s32(x, scale.right);
}

/* The same plus the zero point, clamped. */
static inline int32x4_t edgegen_requantize4(int32x4_t sum, edgegen_scale4 scale, edgegen_output4 range)
{
    const int32x4_t x = vaddq_s32(edgegen_rescale4(sum, scale), range.offset);
    return vminq_s32(vmaxq_s32(x, range.least), range.most);
}

/* Eight clamped values as bytes. */
static inline int8x8_t edgegen_bytes8(int32x4_t low, int32x4_t high)
{
    return vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high)));
}

#endif
