#include "depthwise_conv2d_rows.h"

#include "depthwise_block.h"
#include "dsp.h"
#include "features.h"
#include "row_ring.h"

/* The sums of four channels at one position. */
static void window(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows, int32_t at,
                   const int8_t *w, int32_t *sums)
{
    for (int32_t i = 0; i < 4; ++i) {
        sums[i] = 0;
    }
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *x = rows[ky] + at;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            for (int32_t i = 0; i < 4; ++i) {
                sums[i] += x[i] * w[i];
            }
            x += p->tap_bytes;
            w += 4;
        }
    }
}

static int8_t rescaled(const edgegen_depthwise_conv2d_rows_params *p, int32_t sum, int32_t channel)
{
    const int32_t acc = edgegen_wrap32((int64_t)sum + p->bias[channel]);
    const int32_t out = edgegen_requantize(acc, p->multiplier[channel], p->shift[channel]);
    return (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min, p->clamp_max);
}

/* Four channels along a row of 3x3 windows: constants are unpacked once and used for all positions. */
static void four_channels_3x3(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows,
                              int32_t first, const int8_t *w, int8_t *output)
{
    edgegen_depthwise_block block;
    const int32_t odd = 2 * p->output_offset + 1;
    for (int32_t i = 0; i < 4; ++i) {
        const int32_t right = -p->shift[first + i];
        block.bias[i] = 2 * p->bias[first + i];
        block.records[i].multiplier = p->multiplier[first + i];
        block.records[i].nudge = odd * ((int32_t)1 << (right - 1));
        block.records[i].right = right;
    }
    for (int32_t t = 0; t < 9; ++t) {
        const uint32_t word = edgegen_load4(w + 4 * t);
        block.weights[t][0] = edgegen_twice16(edgegen_bytes02(word));
        block.weights[t][1] = edgegen_twice16(edgegen_bytes13(word));
    }
    for (int32_t ky = 0; ky < 3; ++ky) {
        block.rows[ky] = rows[ky] + first;
    }
    block.tap_bytes = p->tap_bytes;
    block.step_bytes = p->step_bytes;
    block.output_bytes = p->channels;
    block.end = output + p->out_w * p->channels;
    edgegen_depthwise_block_3x3(&block, output);
}

/* Up to four channels with any requantisation; those beyond the last are computed and dropped. */
static void four_channels_exact(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *const *rows,
                                int32_t first, const int8_t *w, int8_t *output)
{
    const int32_t count = edgegen_min(4, p->channels - first);
    int32_t at = first;
    for (int32_t x = 0; x < p->out_w; ++x) {
        int32_t sums[4];
        window(p, rows, at, w, sums);
        for (int32_t i = 0; i < count; ++i) {
            output[i] = rescaled(p, sums[i], first + i);
        }
        output += p->channels;
        at += p->step_bytes;
    }
}

void edgegen_depthwise_conv2d_rows_row(const edgegen_depthwise_conv2d_rows_params *p,
                                       const int8_t *const *rows, int8_t *output)
{
    const int8_t *w = p->weights;
    const int32_t small = p->fast && p->kernel_h == 3 && p->kernel_w == 3;
    for (int32_t first = 0; first < p->channels; first += 4) {
        if (EDGEGEN_ROWS_3X3 && small && first + 4 <= p->channels) {
            four_channels_3x3(p, rows, first, w, output + first);
        } else if (EDGEGEN_ROWS_EXACT) {
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
    edgegen_row_walk walk = {{(int8_t *)scratch, input, p->kernel_h, p->ring_row_bytes, p->in_h,
                              p->in_row_bytes, p->left_bytes, (int8_t)p->padding},
                             -p->pad_top,
                             0};
    for (int32_t y = 0; y < p->out_h; ++y) {
        edgegen_ring_window(&walk, y * p->stride_h - p->pad_top, rows);
        edgegen_depthwise_conv2d_rows_row(p, rows, output + y * p->out_w * p->channels);
    }
}
