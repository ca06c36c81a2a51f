#include "conv2d_packed.h"

#include "dsp.h"
#include "features.h"
#include "packed_block.h"
#include "packed_mac.h"
#include "row_ring.h"
#include "unpack_pair.h"

/* One to three bytes as the low ones of a word; after whole words the load may begin before them. */
static inline uint32_t last_bytes(const int8_t *from, int32_t bytes, int32_t whole)
{
    if (whole) {
        return edgegen_load4(from + bytes - 4) >> (8 * (4 - bytes));
    }
    uint32_t word = 0;
    for (int32_t i = bytes - 1; i >= 0; --i) {
        word = word << 8 | (uint8_t)from[i];
    }
    return word;
}

/* Bytes of two windows as int16: bytes 0 and 2, then 1 and 3, the order of the packed weights. */
static uint32_t *unpack(const int8_t *first, const int8_t *second, int32_t bytes, uint32_t *to)
{
    const int32_t words = bytes >> 2;
    if (words > 0) {
        to = edgegen_unpack_pair(first, second, words, to);
    }
    if (bytes & 3) {
        const uint32_t a = last_bytes(first + 4 * words, bytes & 3, words);
        const uint32_t b = last_bytes(second + 4 * words, bytes & 3, words);
        to[0] = edgegen_bytes02(a);
        to[1] = edgegen_bytes02(b);
        to[2] = edgegen_bytes13(a);
        to[3] = edgegen_bytes13(b);
        to += 4;
    }
    return to;
}

/* A window whose rows are no whole words, byte behind byte; up to three bytes more are read and written. */
static void gather(const edgegen_conv2d_packed_params *p, const int8_t *const *rows, int32_t at, int8_t *to)
{
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *from = rows[ky] + at;
        for (int32_t i = 0; i < p->segment_bytes; i += 4) {
            edgegen_store4(to + i, edgegen_load4(from + i));
        }
        to += p->segment_bytes;
    }
}

/* The windows of two positions as columns. */
static void unpack_windows(const edgegen_conv2d_packed_params *p, const int8_t *const *rows, int32_t first,
                           int32_t second, uint32_t *columns)
{
    if (EDGEGEN_BLOCK_GATHER && p->gathered_bytes > 0) {
        int8_t *bytes = (int8_t *)(columns + 8 * p->groups);
        gather(p, rows, first, bytes);
        gather(p, rows, second, bytes + p->gathered_bytes);
        (void)edgegen_unpack_pair(bytes, bytes + p->gathered_bytes, p->gathered_bytes / 4 - 1, columns);
        return;
    }
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        columns = unpack(rows[ky] + first, rows[ky] + second, p->segment_bytes, columns);
    }
}

static int8_t rescaled(const edgegen_conv2d_packed_params *p, int32_t sum, int32_t channel)
{
    const int32_t acc = edgegen_wrap32((int64_t)sum + p->bias[channel]);
    const int32_t out = edgegen_requantize(acc, p->multiplier[channel], p->shift[channel]);
    return (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min, p->clamp_max);
}

/* All channels of two positions by any requantisation; where there is only one position, both are the same.
 */
static void two_positions_exact(const edgegen_conv2d_packed_params *p, const uint32_t *columns, int8_t *first,
                                int8_t *second)
{
    const uint32_t *weights = p->weights;
    int32_t sums[8];
    for (int32_t channel = 0; channel < p->out_c; channel += 4) {
        edgegen_packed_mac_4x2(weights, columns, p->groups, sums);
        weights += 8 * p->groups;
        for (int32_t i = 0; i < edgegen_min(4, p->out_c - channel); ++i) {
            first[channel + i] = rescaled(p, sums[2 * i], channel + i);
            second[channel + i] = rescaled(p, sums[2 * i + 1], channel + i);
        }
    }
}

/* The same by blocks; a last block of fewer than four channels goes through a buffer. */
static void two_positions(const edgegen_conv2d_packed_params *p, const edgegen_packed_block *block,
                          const uint32_t *columns, int8_t *first, int8_t *second)
{
    const int32_t whole = 4 * block->blocks;
    if (whole > 0) {
        edgegen_packed_block_4x2(block, columns, first, second);
    }
    if (whole < p->out_c) {
        int8_t last[2][4];
        const edgegen_packed_block rest = {block->weights + whole * 2 * p->groups,
                                           block->records + block->blocks * 9, block->odd,
                                           block->column_bytes, 1};
        edgegen_packed_block_4x2(&rest, columns, last[0], last[1]);
        for (int32_t i = 0; i < p->out_c - whole; ++i) {
            first[whole + i] = last[0][i];
            second[whole + i] = last[1][i];
        }
    }
}

void edgegen_conv2d_packed_row(const edgegen_conv2d_packed_params *p, const int8_t *const *rows,
                               int8_t *output, void *scratch)
{
    uint32_t *columns = (uint32_t *)scratch;
    const edgegen_packed_block block = {p->weights, p->records, 2 * p->output_offset + 1, 16 * p->groups,
                                        p->out_c / 4};
    int32_t at = 0;
    for (int32_t left = p->out_w; left > 0; left -= 2) {
        const int32_t next = left > 1 ? 1 : 0;
        int8_t *second = output + next * p->out_c;
        unpack_windows(p, rows, at, at + next * p->step_bytes, columns);
        if (EDGEGEN_BLOCK_EXACT && !p->records) {
            two_positions_exact(p, columns, output, second);
        } else if (EDGEGEN_BLOCK_GENERAL || EDGEGEN_BLOCK_NONNEGATIVE) {
            two_positions(p, &block, columns, output, second);
        }
        at += 2 * p->step_bytes;
        output += 2 * p->out_c;
    }
}

#define MOST_ROWS 16

void edgegen_conv2d_packed(const edgegen_conv2d_packed_params *p, const int8_t *input, int8_t *output,
                           void *scratch)
{
    const int8_t *rows[MOST_ROWS];
    edgegen_row_walk walk = {{(int8_t *)scratch, input, p->kernel_h, p->ring_row_bytes, p->in_h,
                              p->in_row_bytes, p->left_bytes, (int8_t)p->padding},
                             -p->pad_top,
                             0};
    void *columns = (int8_t *)scratch + ((p->kernel_h * p->ring_row_bytes + 3) & ~3);
    for (int32_t y = 0; y < p->out_h; ++y) {
        if (!EDGEGEN_BLOCK_RING || p->ring_row_bytes == 0) {
            rows[0] = input + y * p->in_row_bytes;
        } else {
            edgegen_ring_window(&walk, y * p->stride_h - p->pad_top, rows);
        }
        edgegen_conv2d_packed_row(p, rows, output + y * p->out_w * p->out_c, columns);
    }
}
