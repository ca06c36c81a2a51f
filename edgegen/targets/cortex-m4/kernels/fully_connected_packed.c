#include "fully_connected_packed.h"

#include "dsp.h"
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
    const int32_t multiplier = p->multiplier[channel];
    const int32_t shift = p->shift[channel];
    if (p->fast) {
        const int32_t nudge = (2 * p->output_offset + 1) * ((int32_t)1 << (-shift - 1));
        const int32_t out = edgegen_requantize_fast(sum + p->bias[channel], multiplier, -shift, nudge);
        return (int8_t)edgegen_saturate8(out);
    }
    const int32_t acc = edgegen_wrap32((int64_t)sum + p->bias[channel]);
    const int32_t out = edgegen_requantize(acc, multiplier, shift) + p->output_offset;
    return (int8_t)edgegen_clamp(out, p->clamp_min, p->clamp_max);
}

void edgegen_fully_connected_packed(const edgegen_fully_connected_packed_params *p, const int8_t *input,
                                    int8_t *output, void *scratch)
{
    uint32_t *column = (uint32_t *)scratch;
    int32_t sums[4];
    for (int32_t row = 0; row < p->rows; ++row) {
        const uint32_t *weights = p->weights;
        unpack(input, p->in_features, column);
        for (int32_t channel = 0; channel < p->out_features; channel += 4) {
            edgegen_packed_mac_4x1(weights, column, p->groups, sums);
            weights += 8 * p->groups;
            for (int32_t i = 0; i < edgegen_min(4, p->out_features - channel); ++i) {
                output[channel + i] = rescaled(p, sums[i], channel + i);
            }
        }
        input += p->in_features;
        output += p->out_features;
    }
}
