#include "depthwise_conv2d_int16.h"

#include "fixed_point.h"

/* The taps of one axis that lie inside the input: first <= k < end. */
typedef struct {
    int32_t origin, first, end;
} tap_range;

static tap_range taps_inside(int32_t origin, int32_t size, int32_t kernel, int32_t dilation)
{
    tap_range taps = {origin, 0, kernel};
    while (taps.first < kernel && origin + taps.first * dilation < 0) {
        ++taps.first;
    }
    while (taps.end > taps.first && origin + (taps.end - 1) * dilation >= size) {
        --taps.end;
    }
    return taps;
}

static int64_t accumulate(const edgegen_depthwise_conv2d_int16_params *p, const int16_t *input,
                          tap_range rows, tap_range columns, int32_t channel)
{
    const int32_t out_c = p->in_c * p->depth_multiplier;
    const int32_t step = p->dilation_w * p->in_c;
    int64_t acc = 0;
    input += channel / p->depth_multiplier;
    for (int32_t ky = rows.first; ky < rows.end; ++ky) {
        const int32_t y = rows.origin + ky * p->dilation_h;
        const int32_t x = columns.origin + columns.first * p->dilation_w;
        const int16_t *in = input + (y * p->in_w + x) * p->in_c;
        const int8_t *w = p->weights + (ky * p->kernel_w + columns.first) * out_c + channel;
        for (int32_t kx = columns.first; kx < columns.end; ++kx) {
            acc += (int64_t)(*in + p->input_offset) * *w;
            in += step;
            w += out_c;
        }
    }
    return acc;
}

static int16_t rescaled(const edgegen_depthwise_conv2d_int16_params *p, int64_t acc, int32_t channel)
{
    const int32_t multiplier = p->multiplier[channel];
    const int32_t shift = p->shift[channel];
    const int32_t out = p->wide ? edgegen_requantize64(acc, multiplier, shift)
                                : edgegen_requantize(edgegen_wrap32(acc), multiplier, shift);
    return (int16_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min,
                                  p->clamp_max);
}

void edgegen_depthwise_conv2d_int16(const edgegen_depthwise_conv2d_int16_params *p, const int16_t *input,
                                    int16_t *output)
{
    const int32_t out_c = p->in_c * p->depth_multiplier;
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t y = 0; y < p->out_h; ++y) {
            const tap_range rows =
                taps_inside(y * p->stride_h - p->pad_top, p->in_h, p->kernel_h, p->dilation_h);
            for (int32_t x = 0; x < p->out_w; ++x) {
                const tap_range columns =
                    taps_inside(x * p->stride_w - p->pad_left, p->in_w, p->kernel_w, p->dilation_w);
                for (int32_t c = 0; c < out_c; ++c) {
                    int64_t acc = accumulate(p, input, rows, columns, c);
                    if (p->bias) {
                        acc += p->bias[c];
                    }
                    *output++ = rescaled(p, acc, c);
                }
            }
        }
        input += p->in_h * p->in_w * p->in_c;
    }
}
