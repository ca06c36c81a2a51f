#include "depthwise_conv2d_rows.h"

#include "dsp.h"
#include "row_ring.h"

/* Four channels at one position: activations of channels (0, 2) and (1, 3) meet weights of the same order. */
typedef struct {
    int32_t channel[4];
} four_sums;

static inline four_sums tap(four_sums sums, const int8_t *x, const int16_t *w)
{
    const uint32_t word = edgegen_load4(x);
    const uint32_t even = edgegen_bytes02(word);
    const uint32_t odd = edgegen_bytes13(word);
    uint32_t pair[2];
    __builtin_memcpy(pair, w, 8);
    sums.channel[0] = edgegen_mac_bb(sums.channel[0], even, pair[0]);
    sums.channel[2] = edgegen_mac_tt(sums.channel[2], even, pair[0]);
    sums.channel[1] = edgegen_mac_bb(sums.channel[1], odd, pair[1]);
    sums.channel[3] = edgegen_mac_tt(sums.channel[3], odd, pair[1]);
    return sums;
}

static inline four_sums window_3x3(const int8_t *const *rows, int32_t at, int32_t step, const int16_t *w)
{
    four_sums sums = {{0, 0, 0, 0}};
    for (int32_t ky = 0; ky < 3; ++ky) {
        const int8_t *x = rows[ky] + at;
        sums = tap(sums, x, w);
        sums = tap(sums, x + step, w + 4);
        sums = tap(sums, x + 2 * step, w + 8);
        w += 12;
    }
    return sums;
}

static four_sums window(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows, int32_t at,
                        const int16_t *w)
{
    four_sums sums = {{0, 0, 0, 0}};
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *x = rows[ky] + at;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            sums = tap(sums, x, w);
            x += p->tap_bytes;
            w += 4;
        }
    }
    return sums;
}

static int8_t rescaled(const edgegen_depthwise_conv2d_rows_params *p, int32_t sum, int32_t channel)
{
    const int32_t acc = edgegen_wrap32((int64_t)sum + p->bias[channel]);
    const int32_t out = edgegen_requantize(acc, p->multiplier[channel], p->shift[channel]);
    return (int8_t)edgegen_clamp(out + p->output_offset, p->clamp_min, p->clamp_max);
}

/* Four channels along a row, so that their constants stay in registers. */
static void four_channels_fast(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows,
                               int32_t first, const int16_t *w, int8_t *output)
{
    const int32_t odd = 2 * p->output_offset + 1;
    const int32_t small = p->kernel_h == 3 && p->kernel_w == 3;
    int32_t at = first;
    for (int32_t x = 0; x < p->out_w; ++x) {
        const four_sums sums = small ? window_3x3(rows, at, p->tap_bytes, w) : window(p, rows, at, w);
        for (int32_t i = 0; i < 4; ++i) {
            const int32_t right = -p->shift[first + i];
            const int32_t nudge = odd * ((int32_t)1 << (right - 1));
            const int32_t out = edgegen_requantize_fast(sums.channel[i] + p->bias[first + i],
                                                        p->multiplier[first + i], right, nudge);
            output[i] = (int8_t)edgegen_saturate8(out);
        }
        output += p->channels;
        at += p->step_bytes;
    }
}

/* Up to four channels with any requantisation; those beyond the last are computed and dropped. */
static void four_channels_exact(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows,
                                int32_t first, const int16_t *w, int8_t *output)
{
    const int32_t count = edgegen_min(4, p->channels - first);
    int32_t at = first;
    for (int32_t x = 0; x < p->out_w; ++x) {
        const four_sums sums = window(p, rows, at, w);
        for (int32_t i = 0; i < count; ++i) {
            output[i] = rescaled(p, sums.channel[i], first + i);
        }
        output += p->channels;
        at += p->step_bytes;
    }
}

static void one_row(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows, int8_t *output)
{
    const int16_t *w = p->weights;
    for (int32_t first = 0; first < p->channels; first += 4) {
        if (p->fast && first + 4 <= p->channels) {
            four_channels_fast(p, rows, first, w, output + first);
        } else {
            four_channels_exact(p, rows, first, w, output + first);
        }
        w += 4 * p->kernel_h * p->kernel_w;
    }
}

#define MOST_ROWS 16

void edgegen_depthwise_conv2d_rows(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *input,
                                   int8_t *output, void *scratch)
{
    const int8_t *rows[MOST_ROWS];
    const edgegen_row_ring ring = {(int8_t *)scratch, input,           p->kernel_h,   p->ring_row_bytes,
                                   p->in_h,           p->in_row_bytes, p->left_bytes, (int8_t)p->padding};
    int32_t loaded = -p->pad_top;
    int32_t slot = 0; /* of the next row to load */
    for (int32_t y = 0; y < p->out_h; ++y) {
        for (const int32_t end = y * p->stride_h - p->pad_top + p->kernel_h; loaded < end; ++loaded) {
            edgegen_ring_load(&ring, loaded, slot);
            slot = slot + 1 < p->kernel_h ? slot + 1 : 0;
        }
        for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
            const int32_t at = slot + ky;
            rows[ky] = edgegen_ring_row(&ring, at < p->kernel_h ? at : at - p->kernel_h);
        }
        one_row(p, rows, output + y * p->out_w * p->channels);
    }
}
