#include "fully_connected_int16.h"

#include "fixed_point.h"

static int16_t rescaled(const edgegen_fully_connected_int16_params *p, int64_t acc, int32_t channel)
{
    const int32_t multiplier = p->multiplier[channel];
    const int32_t shift = p->shift[channel];
    const int32_t out = p->wide ? edgegen_requantize64(acc, multiplier, shift)
                                : edgegen_requantize(edgegen_wrap32(acc), multiplier, shift);
    return (int16_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min,
                                  p->clamp_max);
}

void edgegen_fully_connected_int16(const edgegen_fully_connected_int16_params *p, const int16_t *input,
                                   int16_t *output)
{
    const int32_t depth = p->in_features;
    const int32_t offset = p->input_offset;
    for (int32_t row = 0; row < p->rows; ++row) {
        const int8_t *w = p->weights;
        for (int32_t c = 0; c < p->out_features; ++c) {
            int64_t acc = 0;
            for (int32_t k = 0; k < depth; ++k) {
                acc += (int64_t)(input[k] + offset) * w[k];
            }
            w += depth;
            if (p->bias) {
                acc += p->bias[c];
            }
            *output++ = rescaled(p, acc, c);
        }
        input += depth;
    }
}
