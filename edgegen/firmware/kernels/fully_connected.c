#include "fully_connected.h"

#include "fixed_point.h"

void edgegen_fully_connected(const edgegen_fully_connected_params *p, const int8_t *input, int8_t *output)
{
    const int32_t depth = p->in_features;
    const int32_t offset = p->input_offset;
    for (int32_t row = 0; row < p->rows; ++row) {
        const int8_t *w = p->weights;
        for (int32_t c = 0; c < p->out_features; ++c) {
            uint32_t sum = 0; /* modulo 2^32, whatever the weights */
            for (int32_t k = 0; k < depth; ++k) {
                sum += (uint32_t)((input[k] + offset) * w[k]);
            }
            int32_t acc = (int32_t)sum;
            w += depth;
            if (p->bias) {
                acc = edgegen_wrap32((int64_t)acc + p->bias[c]);
            }
            acc = edgegen_requantize(acc, p->multiplier[c], p->shift[c]);
            acc = edgegen_wrap32((int64_t)acc + p->output_offset);
            *output++ = (int8_t)edgegen_clamp(acc, p->clamp_min, p->clamp_max);
        }
        input += depth;
    }
}
