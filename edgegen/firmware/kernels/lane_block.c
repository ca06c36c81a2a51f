#include "lane_block.h"

#include "fixed_point.h"

void edgegen_lane_block_row(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output)
{
    for (int32_t x = 0; x < block->count; ++x) {
        for (int32_t c = 0; c < 8; ++c) {
            uint32_t sum = (uint32_t)block->bias[c]; /* modulo 2^32, whatever the weights */
            const int8_t *w = block->weights + c;
            for (int32_t ky = 0; ky < block->kernel_h; ++ky) {
                const int8_t *in = rows[ky] + x * block->step_bytes + c;
                for (int32_t kx = 0; kx < block->kernel_w; ++kx) {
                    sum += (uint32_t)(*in * *w);
                    in += block->tap_bytes;
                    w += 8;
                }
            }
            const int32_t out = edgegen_requantize((int32_t)sum, block->multiplier[c], block->shift[c]);
            output[c] = (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + block->output_offset),
                                              block->clamp_min, block->clamp_max);
        }
        output += block->output_bytes;
    }
}
