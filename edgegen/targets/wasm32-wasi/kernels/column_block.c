#include "column_block.h"

#include "simd.h"

/* Sixteen products as four sums. */
static inline v128_t dot16(v128_t sum, v128_t x_low, v128_t x_high, v128_t w)
{
    sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(x_low, wasm_i16x8_extend_low_i8x16(w)));
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(x_high, wasm_i16x8_extend_high_i8x16(w)));
}

/* The four sums of each of four vectors. */
static inline v128_t horizontal(v128_t a, v128_t b, v128_t c, v128_t d)
{
    const v128_t ab =
        wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 2, 6), wasm_i32x4_shuffle(a, b, 1, 5, 3, 7));
    const v128_t cd =
        wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 2, 6), wasm_i32x4_shuffle(c, d, 1, 5, 3, 7));
    return wasm_i32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

static inline void store4(const edgegen_column_block *block, int32_t channel, v128_t sum, int8_t *to)
{
    sum = wasm_i32x4_add(sum, wasm_v128_load(block->bias + channel));
    const v128_t out = edgegen_requantize4(sum, block->multiplier + channel, block->shift + channel,
                                           block->output_offset, block->clamp_min, block->clamp_max);
    const v128_t halves = wasm_i16x8_narrow_i32x4(out, out);
    wasm_v128_store32_lane(to, wasm_i8x16_narrow_i16x8(halves, halves), 0);
}

void edgegen_column_block_2(const edgegen_column_block *block, const int8_t *first_column,
                            const int8_t *second_column, int8_t *first, int8_t *second)
{
    const int8_t *w = block->weights;
    for (int32_t channel = 0; channel < 4 * block->blocks; channel += 4) {
        v128_t a[4], b[4];
        for (int32_t i = 0; i < 4; ++i) {
            a[i] = b[i] = wasm_i32x4_splat(0);
        }
        for (int32_t at = 0; at < 16 * block->steps; at += 16) {
            const v128_t x = wasm_v128_load(first_column + at);
            const v128_t y = wasm_v128_load(second_column + at);
            const v128_t x_low = wasm_i16x8_extend_low_i8x16(x), x_high = wasm_i16x8_extend_high_i8x16(x);
            const v128_t y_low = wasm_i16x8_extend_low_i8x16(y), y_high = wasm_i16x8_extend_high_i8x16(y);
            for (int32_t i = 0; i < 4; ++i) {
                const v128_t row = wasm_v128_load(w + 16 * i);
                a[i] = dot16(a[i], x_low, x_high, row);
                b[i] = dot16(b[i], y_low, y_high, row);
            }
            w += 64;
        }
        store4(block, channel, horizontal(a[0], a[1], a[2], a[3]), first + channel);
        store4(block, channel, horizontal(b[0], b[1], b[2], b[3]), second + channel);
    }
}

void edgegen_column_block_1(const edgegen_column_block *block, const int8_t *column, int8_t *output)
{
    const int8_t *w = block->weights;
    for (int32_t channel = 0; channel < 4 * block->blocks; channel += 4) {
        v128_t a[4];
        for (int32_t i = 0; i < 4; ++i) {
            a[i] = wasm_i32x4_splat(0);
        }
        for (int32_t at = 0; at < 16 * block->steps; at += 16) {
            const v128_t x = wasm_v128_load(column + at);
            const v128_t low = wasm_i16x8_extend_low_i8x16(x), high = wasm_i16x8_extend_high_i8x16(x);
            for (int32_t i = 0; i < 4; ++i) {
                a[i] = dot16(a[i], low, high, wasm_v128_load(w + 16 * i));
            }
            w += 64;
        }
        store4(block, channel, horizontal(a[0], a[1], a[2], a[3]), output + channel);
    }
}
