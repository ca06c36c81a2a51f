#include "lane_block.h"

#include "simd.h"

void edgegen_lane_block_row(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    for (int32_t n = 0; n < block->count; ++n) {
        v128_t low = wasm_v128_load(block->bias), high = wasm_v128_load(block->bias + 4);
        const int8_t *w = block->weights;
        for (int32_t ky = 0; ky < block->kernel_h; ++ky) {
            const int8_t *x = rows[ky] + n * block->step_bytes;
            for (int32_t kx = 0; kx < block->kernel_w; ++kx) {
                const v128_t product = wasm_i16x8_mul(wasm_i16x8_load8x8(x), wasm_i16x8_load8x8(w));
                low = wasm_i32x4_add(low, wasm_i32x4_extend_low_i16x8(product));
                high = wasm_i32x4_add(high, wasm_i32x4_extend_high_i16x8(product));
                x += block->tap_bytes;
                w += 8;
            }
        }
        low = edgegen_requantize4(low, block->multiplier, block->shift, block->output_offset,
                                  block->clamp_min, block->clamp_max);
        high = edgegen_requantize4(high, block->multiplier + 4, block->shift + 4, block->output_offset,
                                   block->clamp_min, block->clamp_max);
        const v128_t halves = wasm_i16x8_narrow_i32x4(low, high);
        wasm_v128_store64_lane(output, wasm_i8x16_narrow_i16x8(halves, halves), 0);
        output += block->output_bytes;
    }
}
