#include "lane_block.h"

#include "neon.h"

/* A tap of eight channels on its own. */
static inline void one_tap(int32x4_t *low, int32x4_t *high, const int8_t *x, const int8_t *w)
{
    const int16x8_t products = vmull_s8(vld1_s8(x), vld1_s8(w));
    *low = vaddw_s16(*low, vget_low_s16(products));
    *high = vaddw_high_s16(*high, products);
}

/* Two taps, whose products fit int16 since no weight is -128. */
static inline void two_taps(int32x4_t *low, int32x4_t *high, const int8_t *x, const int8_t *y, const int8_t *w)
{
    const int16x8_t products = vmlal_s8(vmull_s8(vld1_s8(x), vld1_s8(w)), vld1_s8(y), vld1_s8(w + 8));
    *low = vaddw_s16(*low, vget_low_s16(products));
    *high = vaddw_high_s16(*high, products);
}

void edgegen_lane_block_row(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    const int32x4_t offset = vdupq_n_s32(block->output_offset);
    const int32x4_t least = vdupq_n_s32(block->clamp_min), most = vdupq_n_s32(block->clamp_max);
    const int32x4_t bias_low = vld1q_s32(block->bias), bias_high = vld1q_s32(block->bias + 4);
    const int32x4_t scale_low = vld1q_s32(block->multiplier), scale_high = vld1q_s32(block->multiplier + 4);
    const int32x4_t shift_low = vld1q_s32(block->shift), shift_high = vld1q_s32(block->shift + 4);
    const int32_t tap = block->tap_bytes;
    for (int32_t n = 0; n < block->count; ++n) {
        int32x4_t low = bias_low, high = bias_high;
        const int8_t *w = block->weights;
        for (int32_t ky = 0; ky < block->kernel_h; ++ky) {
            const int8_t *x = rows[ky] + n * block->step_bytes;
            int32_t kx = 0;
            for (; kx + 2 <= block->kernel_w; kx += 2) {
                two_taps(&low, &high, x, x + tap, w);
                x += 2 * tap;
                w += 16;
            }
            if (kx < block->kernel_w) {
                one_tap(&low, &high, x, w);
                w += 8;
            }
        }
        low = edgegen_requantize4(low, scale_low, shift_low, offset, least, most);
        high = edgegen_requantize4(high, scale_high, shift_high, offset, least, most);
        vst1_s8(output, vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high))));
        output += block->output_bytes;
    }
}
