/* Requantisation of vectors, bit for bit that of fixed_point.h. */
#ifndef EDGEGEN_NEON_H
#define EDGEGEN_NEON_H

#include <arm_neon.h>
#include <stdint.h>

/* Four sums by their multipliers and shifts (positive to the left), plus the zero point, clamped. The rounding of
 * a right shift goes away from zero at ties, that of VRSHL upwards: negative sums are one less before it. */
static inline int32x4_t edgegen_requantize4(int32x4_t sum, int32x4_t multiplier, int32x4_t shift, int32x4_t offset,
                                            int32x4_t least, int32x4_t most)
{
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t right = vminq_s32(shift, zero);
    int32x4_t x = vqrdmulhq_s32(vshlq_s32(sum, vmaxq_s32(shift, zero)), multiplier);
    x = vqaddq_s32(x, vshrq_n_s32(vandq_s32(x, right), 31));
    x = vaddq_s32(vrshlq_s32(x, right), offset);
    return vminq_s32(vmaxq_s32(x, least), most);
}

#endif
