#include "average_pool2d_wide.h"

#include "dsp.h"

typedef struct {
    int32_t top, bottom, left, right;
} window;

/* To nearest, ties away from zero; the division itself truncates. */
static int8_t mean(const edgegen_average_pool2d_wide_params *p, int32_t total, int32_t count)
{
    const int32_t half = count / 2;
    return (int8_t)edgegen_clamp((total > 0 ? total + half : total - half) / count, p->clamp_min,
                                 p->clamp_max);
}

static void four_channels(const edgegen_average_pool2d_wide_params *p, const int8_t *input, window w,
                          int8_t *output)
{
    const int32_t channels = p->channels;
    const int32_t width = w.right - w.left;
    const int32_t count = (w.bottom - w.top) * width;
    uint32_t even = 0;
    uint32_t odd = 0;
    for (int32_t y = w.top; y < w.bottom; ++y) {
        const int8_t *in = input + (y * p->in_w + w.left) * channels;
        for (int32_t x = 0; x < width; ++x) {
            const uint32_t word = edgegen_load4(in);
            even = edgegen_add_bytes02(even, word);
            odd = edgegen_add_bytes13(odd, word);
            in += channels;
        }
    }
    output[0] = mean(p, (int16_t)(even & 0xFFFFu), count);
    output[1] = mean(p, (int16_t)(odd & 0xFFFFu), count);
    output[2] = mean(p, (int32_t)even >> 16, count);
    output[3] = mean(p, (int32_t)odd >> 16, count);
}

void edgegen_average_pool2d_wide(const edgegen_average_pool2d_wide_params *p, const int8_t *input,
                                 int8_t *output)
{
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t y = 0; y < p->out_h; ++y) {
            for (int32_t x = 0; x < p->out_w; ++x) {
                const int32_t top = y * p->stride_h - p->pad_top;
                const int32_t left = x * p->stride_w - p->pad_left;
                const window w = {edgegen_max(top, 0), edgegen_min(top + p->kernel_h, p->in_h),
                                  edgegen_max(left, 0), edgegen_min(left + p->kernel_w, p->in_w)};
                for (int32_t c = 0; c < p->channels; c += 4) {
                    four_channels(p, input + c, w, output);
                    output += 4;
                }
            }
        }
        input += p->in_h * p->in_w * p->channels;
    }
}
