#include "conv2d_winograd.h"

#include "dsp.h"
#include "row_ring.h"
#include "winograd_products.h"

#define ROWS 4
#define PLACES 16
#define COLUMNS 6 /* of two tiles, which share two */

typedef edgegen_conv2d_winograd_params params;

/* Columns of two channels through the vertical transform: rows 0 - 2, 1 + 2, 2 - 1, 1 - 3. */
static inline void down(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t *to)
{
    to[0] = edgegen_sub16(a, c);
    to[1] = edgegen_add16(b, c);
    to[2] = edgegen_sub16(c, b);
    to[3] = edgegen_sub16(b, d);
}

/* Two channels of two tiles: the horizontal transform of what `down` left, a place `stride` words apart. */
static inline void across(uint32_t columns[COLUMNS][4], uint32_t *to, int32_t stride)
{
    for (int32_t row = 0; row < 4; ++row) {
        const uint32_t a = columns[0][row], b = columns[1][row], c = columns[2][row];
        const uint32_t d = columns[3][row], e = columns[4][row], f = columns[5][row];
        to[0] = edgegen_sub16(a, c);
        to[1] = edgegen_sub16(c, e);
        to += stride;
        to[0] = edgegen_add16(b, c);
        to[1] = edgegen_add16(d, e);
        to += stride;
        to[0] = edgegen_sub16(c, b);
        to[1] = edgegen_sub16(e, d);
        to += stride;
        to[0] = edgegen_sub16(b, d);
        to[1] = edgegen_sub16(d, f);
        to += stride;
    }
}

/* The windows of two tiles, whose first column is `at` bytes into the rows, to [16][in_c / 2][2]. */
static void transform_windows(const params *p, const int8_t *const *rows, int32_t at, uint32_t *to)
{
    const int32_t stride = p->in_c;
    for (int32_t c = 0; c < p->in_c; c += 4) {
        uint32_t even[COLUMNS][4];
        uint32_t odd[COLUMNS][4];
        for (int32_t x = 0; x < COLUMNS; ++x) {
            const int32_t place = at + c + x * p->in_c;
            const uint32_t a = edgegen_load4(rows[0] + place), b = edgegen_load4(rows[1] + place);
            const uint32_t d = edgegen_load4(rows[2] + place), e = edgegen_load4(rows[3] + place);
            down(edgegen_bytes02(a), edgegen_bytes02(b), edgegen_bytes02(d), edgegen_bytes02(e), even[x]);
            down(edgegen_bytes13(a), edgegen_bytes13(b), edgegen_bytes13(d), edgegen_bytes13(e), odd[x]);
        }
        across(even, to, stride);
        across(odd, to + 2, stride);
        to += 4;
    }
}

/* A sum of four times the products to a byte. */
static inline int8_t output_of(const uint32_t *record, int32_t channel, uint32_t fourfold, int32_t odd)
{
    const int32_t less_one = (int32_t)(record[8] >> (8 * channel) & 0xFF);
    const int32_t twice = ((int32_t)fourfold >> 1) + (int32_t)record[2 * channel];
    int32_t out = edgegen_high_mul_twice(twice, (int32_t)record[2 * channel + 1]);
    out += out >> 31;
    return (int8_t)edgegen_saturate8((out + odd * ((int32_t)1 << less_one)) >> (less_one + 1));
}

/* Sums of one channel and tile, eight words apart, to up to two by two outputs. */
static void transform_sums(const params *p, const int32_t *sums, const uint32_t *record, int32_t channel,
                           int32_t width, int32_t height, int8_t *output)
{
    const int32_t odd = 2 * p->output_offset + 1;
    uint32_t above[4];
    uint32_t below[4];
    for (int32_t x = 0; x < 4; ++x) {
        const uint32_t a = (uint32_t)sums[8 * x], b = (uint32_t)sums[8 * (4 + x)];
        const uint32_t c = (uint32_t)sums[8 * (8 + x)], d = (uint32_t)sums[8 * (12 + x)];
        above[x] = a + b + c;
        below[x] = b - c - d;
    }
    const int32_t row_bytes = p->out_w * p->out_c;
    output[0] = output_of(record, channel, above[0] + above[1] + above[2], odd);
    if (width > 1) {
        output[p->out_c] = output_of(record, channel, above[1] - above[2] - above[3], odd);
    }
    if (height > 1) {
        output[row_bytes] = output_of(record, channel, below[0] + below[1] + below[2], odd);
        if (width > 1) {
            output[row_bytes + p->out_c] = output_of(record, channel, below[1] - below[2] - below[3], odd);
        }
    }
}

/* Two rows of outputs from four rows of the ring. */
static void two_rows(const params *p, const int8_t *const *rows, int32_t height, uint32_t *windows,
                     int8_t *output)
{
    int32_t *sums = (int32_t *)(windows + PLACES * p->in_c);
    for (int32_t x = 0; x < p->out_w; x += 4) {
        const uint32_t *weights = (const uint32_t *)(const void *)p->weights;
        const uint32_t *record = p->records;
        transform_windows(p, rows, x * p->in_c, windows);
        for (int32_t c = 0; c < p->out_c; c += 4) {
            edgegen_winograd_products(weights, windows, p->in_c / 2, sums);
            for (int32_t tile = 0; tile < 2 && x + 2 * tile < p->out_w; ++tile) {
                int8_t *to = output + (x + 2 * tile) * p->out_c + c;
                const int32_t width = p->out_w - x - 2 * tile;
                for (int32_t i = 0; i < 4; ++i) {
                    transform_sums(p, sums + 2 * i + tile, record, i, width, height, to + i);
                }
            }
            weights += PLACES * 2 * p->in_c;
            record += 9;
        }
    }
}

void edgegen_conv2d_winograd(const edgegen_conv2d_winograd_params *p, const int8_t *input, int8_t *output,
                             void *scratch)
{
    const int8_t *rows[ROWS];
    edgegen_row_walk walk = {{(int8_t *)scratch, input, ROWS, p->ring_row_bytes, p->in_h, p->in_row_bytes,
                              p->left_bytes, (int8_t)p->padding},
                             -p->pad_top,
                             0};
    uint32_t *windows = (uint32_t *)(void *)((int8_t *)scratch + ROWS * p->ring_row_bytes);
    for (int32_t y = 0; y < p->out_h; y += 2) {
        edgegen_ring_window(&walk, y - p->pad_top, rows);
        two_rows(p, rows, p->out_h - y, windows, output + y * p->out_w * p->out_c);
    }
}
