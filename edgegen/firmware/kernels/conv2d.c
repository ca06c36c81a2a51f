#include "conv2d.h"

#include "fixed_point.h"

/* One output element: the taps that lie inside the input, all others being zero after the offset. */
static int32_t accumulate(const edgegen_conv2d_params *p, const int8_t *input, int32_t out_y, int32_t out_x,
                          int32_t out_channel)
{
    const int32_t group = out_channel / (p->out_c / (p->in_c / p->group_c));
    const int8_t *weights = p->weights + out_channel * p->kernel_h * p->kernel_w * p->group_c;
    uint32_t acc = 0; /* modulo 2^32, whatever the weights */
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t y = out_y * p->stride_h - p->pad_top + ky * p->dilation_h;
        if (y < 0 || y >= p->in_h) {
            continue;
        }
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t x = out_x * p->stride_w - p->pad_left + kx * p->dilation_w;
            if (x < 0 || x >= p->in_w) {
                continue;
            }
            const int8_t *in = input + (y * p->in_w + x) * p->in_c + group * p->group_c;
            const int8_t *w = weights + (ky * p->kernel_w + kx) * p->group_c;
            for (int32_t c = 0; c < p->group_c; ++c) {
                acc += (uint32_t)((in[c] + p->input_offset) * w[c]);
            }
        }
    }
    return (int32_t)acc;
}

void edgegen_conv2d(const edgegen_conv2d_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t y = 0; y < p->out_h; ++y) {
            for (int32_t x = 0; x < p->out_w; ++x) {
                for (int32_t c = 0; c < p->out_c; ++c) {
                    int32_t acc = accumulate(p, input, y, x, c);
                    if (p->bias) {
                        acc = edgegen_wrap32((int64_t)acc + p->bias[c]);
                    }
                    acc = edgegen_requantize(acc, p->multiplier[c], p->shift[c]);
                    acc = edgegen_wrap32((int64_t)acc + p->output_offset);
                    *output++ = (int8_t)edgegen_clamp(acc, p->clamp_min, p->clamp_max);
                }
            }
        }
        input += p->in_h * p->in_w * p->in_c;
    }
}
