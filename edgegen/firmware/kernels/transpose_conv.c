#include "transpose_conv.h"

#include "fixed_point.h"

static uint32_t product(const edgegen_transpose_conv_params *p, const int8_t *in, const int8_t *w)
{
    uint32_t sum = 0; /* modulo 2^32, whatever the weights */
    for (int32_t c = 0; c < p->in_c; ++c) {
        sum += (uint32_t)((in[c] + p->input_offset) * w[c]);
    }
    return sum;
}

/* One output element gathers from the inputs whose window reaches it. */
static int32_t accumulate(const edgegen_transpose_conv_params *p, const int8_t *input, int32_t out_y,
                          int32_t out_x, int32_t channel)
{
    const int8_t *w = p->weights + channel * p->kernel_h * p->kernel_w * p->in_c;
    uint32_t acc = 0;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t y = out_y + p->pad_top - ky;
        if (y < 0 || y % p->stride_h != 0 || y / p->stride_h >= p->in_h) {
            continue;
        }
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t x = out_x + p->pad_left - kx;
            if (x < 0 || x % p->stride_w != 0 || x / p->stride_w >= p->in_w) {
                continue;
            }
            const int32_t place = (y / p->stride_h) * p->in_w + x / p->stride_w;
            acc += product(p, input + place * p->in_c, w + (ky * p->kernel_w + kx) * p->in_c);
        }
    }
    return (int32_t)acc;
}

void edgegen_transpose_conv(const edgegen_transpose_conv_params *p, const int8_t *input, int8_t *output)
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
