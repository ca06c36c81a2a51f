#include "depthwise_conv2d_planes.h"

#include "depthwise_planes.h"
#include "dsp.h"
#include "features.h"

#define GROUP 4
#define ROWS 3

typedef edgegen_depthwise_conv2d_planes_params params;

/* Up to four channels of a pixel as a word. */
static uint32_t pixel(const int8_t *from, int32_t count)
{
    uint32_t word = 0;
    for (int32_t i = count - 1; i >= 0; --i) {
        word = word << 8 | (uint8_t)from[i];
    }
    return word;
}

/* A row of fewer than four channels, pixel by pixel, since a word would reach beyond the last. */
static void load_few(edgegen_planes_source source, int32_t count, int32_t pixels)
{
    const int8_t *from = source.pixels;
    for (int32_t x = -source.lead; x < pixels; x += 2) {
        const int32_t words[2] = {
            x < 0 ? source.padding : (int32_t)pixel(from + x * source.pixel_bytes, count),
            x + 1 < pixels ? (int32_t)pixel(from + (x + 1) * source.pixel_bytes, count) : source.padding};
        const edgegen_planes_source pair = {(const int8_t *)words, 4,         1, source.pitch,
                                            source.padding,        source.to, 0, 0};
        edgegen_planes_load(&pair);
        source.to += 4;
    }
}

static uint32_t two_weights(int32_t first, int32_t second)
{
    return (uint32_t)(2 * first & 0xFFFF) | (uint32_t)(2 * second) << 16;
}

static void unpack_constants(const params *p, int32_t channel, edgegen_planes_record *to)
{
    const int8_t *w = p->weights + 9 * channel;
    for (int32_t ky = 0; ky < ROWS; ++ky) {
        to->weights[ky][0] = two_weights(w[0], w[1]);
        to->weights[ky][1] = two_weights(w[1], w[2]);
        w += 3;
    }
    to->bias = (int32_t)(2 * p->records[2 * channel]);
    to->multiplier = (int32_t)p->records[2 * channel + 1];
    to->right = p->right[channel];
    to->nudge = (2 * p->output_offset + 1) * ((int32_t)1 << (to->right - 1));
}

static void one_row(const params *p, const edgegen_planes_row *row)
{
    const int32_t nonnegative = p->output_offset == INT8_MIN;
    if (EDGEGEN_PLANES_NONNEGATIVE_1 && nonnegative && p->stride_w == 1) {
        edgegen_depthwise_planes_nonnegative_1(row);
    } else if (EDGEGEN_PLANES_NONNEGATIVE_2 && nonnegative) {
        edgegen_depthwise_planes_nonnegative_2(row);
    } else if (EDGEGEN_PLANES_GENERAL_1 && p->stride_w == 1) {
        edgegen_depthwise_planes_general_1(row);
    } else if (EDGEGEN_PLANES_GENERAL_2) {
        edgegen_depthwise_planes_general_2(row);
    }
}

/* The window's rows on their way down the image; the last slot of the ring holds padding. */
typedef struct {
    const int16_t *rows[ROWS];
    edgegen_planes_source source;
    int8_t *ring;
    int32_t slot; /* of the next row of the image */
    int32_t at;   /* the next row, beyond the image at both ends */
} window;

static void step_down(const params *p, window *w, int32_t count)
{
    const int32_t slot_bytes = GROUP * p->pitch;
    int8_t *to = w->ring + ROWS * slot_bytes;
    if (w->at >= 0 && w->at < p->in_h) {
        to = w->ring + w->slot * slot_bytes;
        w->slot = w->slot + 1 < ROWS ? w->slot + 1 : 0;
        w->source.to = to + 2 * (p->pad_left & ~1);
        if (count == GROUP) {
            edgegen_planes_load(&w->source);
        } else {
            load_few(w->source, count, p->in_w);
        }
        w->source.pixels += p->in_row_bytes;
    }
    w->rows[0] = w->rows[1];
    w->rows[1] = w->rows[2];
    w->rows[2] = (const int16_t *)(const void *)to;
    ++w->at;
}

/* Up to four channels from `first` on, where input and output point, through the whole image. */
static void some_channels(const params *p, const int8_t *input, int8_t *output, int32_t first, int8_t *ring)
{
    const int32_t count = edgegen_min(GROUP, p->channels - first);
    const int32_t lead = p->pad_left & 1;
    const int32_t pairs = p->out_w / 2;
    edgegen_planes_record records[GROUP];
    for (int32_t i = 0; i < count; ++i) {
        unpack_constants(p, first + i, &records[i]);
    }
    edgegen_planes_row row = {records,
                              records + count,
                              {0, 0, 0},
                              output,
                              p->out_pixel_bytes,
                              pairs,
                              p->out_w & 1,
                              p->pitch - 4 * p->stride_w * pairs};
    window w = {{0, 0, 0},
                {input, p->in_pixel_bytes, (p->in_w - lead) / 2, p->pitch,
                 (int32_t)((uint8_t)p->padding * 0x01010101u), ring, lead, (p->in_w - lead) & 1},
                ring,
                0,
                -p->pad_top};
    for (int32_t y = 0; y < p->out_h; ++y) {
        for (int32_t rows = y == 0 ? ROWS : p->stride_h; rows > 0; --rows) {
            step_down(p, &w, count);
        }
        row.rows[0] = w.rows[0];
        row.rows[1] = w.rows[1];
        row.rows[2] = w.rows[2];
        one_row(p, &row);
        row.output += p->out_row_bytes;
    }
}

void edgegen_depthwise_conv2d_planes(const edgegen_depthwise_conv2d_planes_params *p, const int8_t *input,
                                     int8_t *output, void *scratch)
{
    int8_t *ring = (int8_t *)scratch;
    const uint32_t half = (uint16_t)p->padding;
    for (int32_t at = 0; at < (ROWS + 1) * GROUP * p->pitch; at += 4) {
        edgegen_store4(ring + at, half | half << 16);
    }
    for (int32_t first = 0; first < p->channels; first += GROUP) {
        some_channels(p, input + first, output + first, first, ring);
    }
}
