#include "fully_connected_packed.h"

#include "dsp.h"
#include "features.h"
#include "packed_dense.h"
#include "packed_mac.h"

static void unpack(const int8_t *from, int32_t bytes, uint32_t *to)
{
    for (; bytes >= 4; bytes -= 4) {
        const uint32_t word = edgegen_load4(from);
        to[0] = edgegen_bytes02(word);
        to[1] = edgegen_bytes13(word);
        from += 4;
        to += 2;
    }
    if (bytes > 0) {
        uint32_t word = 0;
        for (int32_t i = bytes - 1; i >= 0; --i) {
            word = word << 8 | (uint8_t)from[i];
        }
        to[0] = edgegen_bytes02(word);
        to[1] = edgegen_bytes13(word);
    }
}

static int8_t rescaled(const edgegen_fully_connected_packed_params *p, int32_t sum, int32_t channel)
{
    const int32_t acc = edgegen_wrap32((int64_t)sum + p->bias[channel]);
    const int32_t out = edgegen_requantize(acc, p->multiplier[channel], p->shift[channel]);
    return (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min, p->clamp_max);
}

static void row_exact(const edgegen_fully_connected_packed_params *p, const uint32_t *column, int8_t *output)
{
    const uint32_t *weights = p->weights;
    int32_t sums[4];
    for (int32_t channel = 0; channel < p->out_features; channel += 4) {
        edgegen_packed_mac_4x1(weights, column, p->groups, sums);
        weights += 8 * p->groups;
        for (int32_t i = 0; i < edgegen_min(4, p->out_features - channel); ++i) {
            output[channel + i] = rescaled(p, sums[i], channel + i);
        }
    }
}

static void blocks_of_four(const edgegen_fully_connected_packed_params *p,
                           const edgegen_packed_dense_block *block, const void *column, int8_t *output)
{
    if (EDGEGEN_DENSE_DIRECT && p->direct) {
        edgegen_packed_dense_direct(block, column, output);
    } else if (EDGEGEN_DENSE_COLUMN) {
        edgegen_packed_dense_column(block, column, output);
    }
}

/* By blocks; a last block of fewer than four outputs goes through a buffer. */
static void row(const edgegen_fully_connected_packed_params *p, const void *column, int8_t *output)
{
    const int32_t whole = p->out_features / 4;
    const int32_t odd = 2 * p->output_offset + 1;
    const int32_t column_bytes = (p->direct ? 8 : 16) * p->groups;
    edgegen_packed_dense_block block = {p->weights, p->twice_bias, p->scales, p->scales_bytes,
                                        odd,        column_bytes,  whole};
    if (whole > 0) {
        blocks_of_four(p, &block, column, output);
    }
    if (4 * whole < p->out_features) {
        int8_t last[4];
        block.weights += whole * 8 * p->groups;
        block.bias += whole * 4;
        block.scales += whole * p->scales_bytes / 4;
        block.blocks = 1;
        blocks_of_four(p, &block, column, last);
        for (int32_t i = 0; i < p->out_features - 4 * whole; ++i) {
            output[4 * whole + i] = last[i];
        }
    }
}

void edgegen_fully_connected_packed(const edgegen_fully_connected_packed_params *p, const int8_t *input,
                                    int8_t *output, void *scratch)
{
    uint32_t *column = (uint32_t *)scratch;
    for (int32_t n = 0; n < p->rows; ++n) {
        if (EDGEGEN_DENSE_DIRECT && p->direct) {
            row(p, input, output);
        } else if (EDGEGEN_DENSE_COLUMN) {
            unpack(input, p->in_features, column);
            if (EDGEGEN_DENSE_EXACT && !p->scales) {
                row_exact(p, column, output);
            } else if (EDGEGEN_DENSE_GENERAL || EDGEGEN_DENSE_NONNEGATIVE) {
                row(p, column, output);
            }
        }
        input += p->in_features;
        output += p->out_features;
    }
}
