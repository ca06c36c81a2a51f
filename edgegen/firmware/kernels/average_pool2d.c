#include "average_pool2d.h"

#include "fixed_point.h"

typedef struct {
    int32_t top, bottom, left, right;
} window;

static int8_t reduce(const edgegen_average_pool2d_params *p, const int8_t *input, window w)
{
    int32_t total = 0;
    for (int32_t y = w.top; y < w.bottom; ++y) {
        const int8_t *in = input + (y * p->in_w + w.left) * p->channels;
        for (int32_t x = w.left; x < w.right; ++x) {
            total += *in;
            in += p->channels;
        }
    }
    /* to nearest, ties away from zero; the division itself truncates */
    const int32_t count = (w.bottom - w.top) * (w.right - w.left);
    return (int8_t)edgegen_clamp((total > 0 ? total + count / 2 : total - count / 2) / count, p->clamp_min,
                                 p->clamp_max);
}

void edgegen_average_pool2d(const edgegen_average_pool2d_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t y = 0; y < p->out_h; ++y) {
            for (int32_t x = 0; x < p->out_w; ++x) {
                const int32_t top = y * p->stride_h - p->pad_top;
                const int32_t left = x * p->stride_w - p->pad_left;
                const window w = {edgegen_max(top, 0), edgegen_min(top + p->kernel_h, p->in_h),
                                  edgegen_max(left, 0), edgegen_min(left + p->kernel_w, p->in_w)};
                for (int32_t c = 0; c < p->channels; ++c) {
                    *output++ = reduce(p, input + c, w);
                }
            }
        }
        input += p->in_h * p->in_w * p->channels;
    }
}
