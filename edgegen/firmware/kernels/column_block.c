#include "column_block.h"

#include "fixed_point.h"

void edgegen_column_block_1(const edgegen_column_block *block, const int8_t *column, int8_t *output)
{
    const int8_t *weights = block->weights;
    for (int32_t channel = 0; channel < 4 * block->blocks; ++channel) {
        uint32_t sum = (uint32_t)block->bias[channel]; /* modulo 2^32, whatever the weights */
        const int8_t *w = weights + (channel & 3) * 16;
        for (int32_t step = 0; step < block->steps; ++step) {
            for (int32_t i = 0; i < 16; ++i) {
                sum += (uint32_t)(column[16 * step + i] * w[64 * step + i]);
            }
        }
        if ((channel & 3) == 3) {
            weights += 64 * block->steps;
        }
        const int32_t out =
            edgegen_requantize((int32_t)sum, block->multiplier[channel], block->shift[channel]);
        output[channel] = (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + block->output_offset),
                                                block->clamp_min, block->clamp_max);
    }
}

void edgegen_column_block_2(const edgegen_column_block *block, const int8_t *first_column,
                            const int8_t *second_column, int8_t *first, int8_t *second)
{
    edgegen_column_block_1(block, first_column, first);
    edgegen_column_block_1(block, second_column, second);
}
