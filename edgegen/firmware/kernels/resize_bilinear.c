#include "resize_bilinear.h"

#define ONE 1024

/* x / 2^20, ties away from zero. */
static int32_t rounded(int64_t x)
{
    const int64_t half = (int64_t)1 << 19;
    return (int32_t)((x > 0 ? x + half : x - half) / ((int64_t)1 << 20));
}

static void resize_pixel(const edgegen_resize_bilinear_params *p, const int8_t *upper, const int8_t *lower,
                         int32_t row_share, int32_t x, int8_t *output)
{
    const int32_t left = p->column_low[x] * p->channels, right = p->column_high[x] * p->channels;
    const int32_t share = p->column_share[x];
    for (int32_t c = 0; c < p->channels; ++c) {
        const int32_t first = upper[left + c] * (ONE - row_share) + lower[left + c] * row_share;
        const int32_t second = upper[right + c] * (ONE - row_share) + lower[right + c] * row_share;
        output[c] = (int8_t)rounded((int64_t)first * (ONE - share) + (int64_t)second * share);
    }
}

void edgegen_resize_bilinear(const edgegen_resize_bilinear_params *p, const int8_t *input, int8_t *output)
{
    const int32_t row = p->in_w * p->channels;
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t y = 0; y < p->out_h; ++y) {
            const int8_t *upper = input + p->row_low[y] * row;
            const int8_t *lower = input + p->row_high[y] * row;
            for (int32_t x = 0; x < p->out_w; ++x) {
                resize_pixel(p, upper, lower, p->row_share[y], x, output);
                output += p->channels;
            }
        }
        input += p->in_h * row;
    }
}
