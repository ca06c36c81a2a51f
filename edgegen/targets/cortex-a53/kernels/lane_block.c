#include "lane_block.h"

#include "neon.h"

/* Constants of eight channels. */
typedef struct {
    int32x4_t bias_low, bias_high;
    edgegen_scale4 scale_low, scale_high;
    edgegen_output4 range;
} lanes;

static inline lanes load_lanes(const edgegen_lane_block *block)
{
    const lanes all = {vld1q_s32(block->bias), vld1q_s32(block->bias + 4),
                       edgegen_load_scale4(block->multiplier, block->shift),
                       edgegen_load_scale4(block->multiplier + 4, block->shift + 4),
                       edgegen_output_range4(block->output_offset, block->clamp_min, block->clamp_max)};
    return all;
}

static inline void store8(const lanes *all, int32x4_t low, int32x4_t high, int8_t *to)
{
    low = edgegen_requantize4(low, all->scale_low, all->range);
    high = edgegen_requantize4(high, all->scale_high, all->range);
    vst1_s8(to, edgegen_bytes8(low, high));
}

/* Products of one tap, or of two, which fit int16 since no weight is -128. */
static inline void add_products(int32x4_t *low, int32x4_t *high, int16x8_t products)
{
    *low = vaddw_s16(*low, vget_low_s16(products));
    *high = vaddw_high_s16(*high, products);
}

static inline int16x8_t two_taps(const int8_t *x, int8x8_t w, const int8_t *y, int8x8_t v)
{
    return vmlal_s8(vmull_s8(vld1_s8(x), w), vld1_s8(y), v);
}

/* Windows of 3x3: their weights stay in registers. */
static void row_3x3(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    const lanes all = load_lanes(block);
    const int32_t tap = block->tap_bytes;
    const int8_t *a = rows[0], *b = rows[1], *c = rows[2];
    int8x8_t w[9];
    for (int32_t i = 0; i < 9; ++i) {
        w[i] = vld1_s8(block->weights + 8 * i);
    }
    for (int32_t n = 0; n < block->count; ++n) {
        int32x4_t low = all.bias_low, high = all.bias_high;
        add_products(&low, &high, two_taps(a, w[0], a + tap, w[1]));
        add_products(&low, &high, two_taps(a + 2 * tap, w[2], b, w[3]));
        add_products(&low, &high, two_taps(b + tap, w[4], b + 2 * tap, w[5]));
        add_products(&low, &high, two_taps(c, w[6], c + tap, w[7]));
        add_products(&low, &high, vmull_s8(vld1_s8(c + 2 * tap), w[8]));
        store8(&all, low, high, output);
        a += block->step_bytes;
        b += block->step_bytes;
        c += block->step_bytes;
        output += block->output_bytes;
    }
}

static void row_of_any(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    const lanes all = load_lanes(block);
    const int32_t tap = block->tap_bytes;
    for (int32_t n = 0; n < block->count; ++n) {
        int32x4_t low = all.bias_low, high = all.bias_high;
        const int8_t *w = block->weights;
        for (int32_t ky = 0; ky < block->kernel_h; ++ky) {
            const int8_t *x = rows[ky] + n * block->step_bytes;
            int32_t kx = 0;
            for (; kx + 2 <= block->kernel_w; kx += 2) {
                add_products(&low, &high, two_taps(x, vld1_s8(w), x + tap, vld1_s8(w + 8)));
                x += 2 * tap;
                w += 16;
            }
            if (kx < block->kernel_w) {
                add_products(&low, &high, vmull_s8(vld1_s8(x), vld1_s8(w)));
                w += 8;
            }
        }
        store8(&all, low, high, output);
        output += block->output_bytes;
    }
}

void edgegen_lane_block_row(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    if (block->kernel_h == 3 && block->kernel_w == 3) {
        row_3x3(block, rows, output);
    } else {
        row_of_any(block, rows, output);
    }
}
