#include "column_block.h"

#include "neon.h"

/* Two products of int8 fit int16, since no weight is -128. */
static inline int32x4_t dot16(int32x4_t sum, int8x16_t x, int8x16_t w)
{
    const int16x8_t pairs = vmlal_high_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), x, w);
    return vpadalq_s16(sum, pairs);
}

static inline int32x4_t horizontal(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d)
{
    return vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
}

static inline void store4(int8_t *to, int8x8_t bytes, int lane)
{
    const uint32x2_t words = vreinterpret_u32_s8(bytes);
    const uint32_t word = lane ? vget_lane_u32(words, 1) : vget_lane_u32(words, 0);
    __builtin_memcpy(to, &word, 4);
}

void edgegen_column_block_2(const edgegen_column_block *block, const int8_t *first_column,
                            const int8_t *second_column, int8_t *first, int8_t *second)
{
    const edgegen_output4 range =
        edgegen_output_range4(block->output_offset, block->clamp_min, block->clamp_max);
    const int8_t *w = block->weights;
    for (int32_t channel = 0; channel < 4 * block->blocks; channel += 4) {
        int32x4_t a0 = vdupq_n_s32(0), a1 = a0, a2 = a0, a3 = a0;
        int32x4_t b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        for (int32_t at = 0; at < 16 * block->steps; at += 16) {
            const int8x16_t x = vld1q_s8(first_column + at);
            const int8x16_t y = vld1q_s8(second_column + at);
            const int8x16_t w0 = vld1q_s8(w), w1 = vld1q_s8(w + 16);
            const int8x16_t w2 = vld1q_s8(w + 32), w3 = vld1q_s8(w + 48);
            a0 = dot16(a0, x, w0);
            b0 = dot16(b0, y, w0);
            a1 = dot16(a1, x, w1);
            b1 = dot16(b1, y, w1);
            a2 = dot16(a2, x, w2);
            b2 = dot16(b2, y, w2);
            a3 = dot16(a3, x, w3);
            b3 = dot16(b3, y, w3);
            w += 64;
        }
        const edgegen_scale4 scale = edgegen_load_scale4(block->multiplier + channel, block->shift + channel);
        const int32x4_t bias = vld1q_s32(block->bias + channel);
        const int32x4_t a = edgegen_requantize4(vaddq_s32(horizontal(a0, a1, a2, a3), bias), scale, range);
        const int32x4_t b = edgegen_requantize4(vaddq_s32(horizontal(b0, b1, b2, b3), bias), scale, range);
        const int8x8_t bytes = edgegen_bytes8(a, b);
        store4(first + channel, bytes, 0);
        store4(second + channel, bytes, 1);
    }
}

void edgegen_column_block_1(const edgegen_column_block *block, const int8_t *column, int8_t *output)
{
    const edgegen_output4 range =
        edgegen_output_range4(block->output_offset, block->clamp_min, block->clamp_max);
    const int8_t *w = block->weights;
    for (int32_t channel = 0; channel < 4 * block->blocks; channel += 4) {
        int32x4_t a0 = vdupq_n_s32(0), a1 = a0, a2 = a0, a3 = a0;
        for (int32_t at = 0; at < 16 * block->steps; at += 16) {
            const int8x16_t x = vld1q_s8(column + at);
            a0 = dot16(a0, x, vld1q_s8(w));
            a1 = dot16(a1, x, vld1q_s8(w + 16));
            a2 = dot16(a2, x, vld1q_s8(w + 32));
            a3 = dot16(a3, x, vld1q_s8(w + 48));
            w += 64;
        }
        const edgegen_scale4 scale = edgegen_load_scale4(block->multiplier + channel, block->shift + channel);
        const int32x4_t sum = vaddq_s32(horizontal(a0, a1, a2, a3), vld1q_s32(block->bias + channel));
        const int32x4_t out = edgegen_requantize4(sum, scale, range);
        store4(output + channel, edgegen_bytes8(out, out), 0);
    }
}
