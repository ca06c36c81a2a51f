#include "conv2d_columns.h"

#include "column_block.h"
#include "fixed_point.h"
#include "row_ring.h"

typedef edgegen_conv2d_columns_params params;

/* A window, row behind row. */
static void gather(const params *p, const int8_t *const *rows, int32_t at, int8_t *to)
{
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *from = rows[ky] + at;
        int32_t left = p->segment_bytes;
        for (; left >= 8; left -= 8) {
            __builtin_memcpy(to, from, 8);
            to += 8;
            from += 8;
        }
        for (; left > 0; --left) {
            *to++ = *from++;
        }
    }
}

/* All whole blocks, and a last one of fewer than four channels through a buffer. */
static void two_positions(const params *p, edgegen_column_block block, const int8_t *const *columns,
                          int8_t *first, int8_t *second)
{
    const int32_t whole = 4 * block.blocks;
    if (whole > 0) {
        edgegen_column_block_2(&block, columns[0], columns[1], first, second);
    }
    if (whole < p->out_c) {
        int8_t last[2][4];
        block.weights += whole * 16 * p->steps;
        block.bias += whole;
        block.multiplier += whole;
        block.shift += whole;
        block.blocks = 1;
        edgegen_column_block_2(&block, columns[0], columns[1], last[0], last[1]);
        for (int32_t i = 0; i < p->out_c - whole; ++i) {
            first[whole + i] = last[0][i];
            second[whole + i] = last[1][i];
        }
    }
}

static void one_row(const params *p, const int8_t *const *rows, int8_t *scratch, int8_t *output)
{
    const edgegen_column_block block = {p->weights,       p->bias,      p->multiplier,
                                        p->shift,         p->out_c / 4, p->steps,
                                        p->output_offset, p->clamp_min, p->clamp_max};
    for (int32_t x = 0; x < p->out_w; x += 2) {
        const int32_t at = x * p->step_bytes;
        const int32_t next = x + 1 < p->out_w ? 1 : 0;
        const int8_t *columns[2] = {rows[0] + at, rows[0] + at + next * p->step_bytes};
        if (p->ring_row_bytes > 0) {
            gather(p, rows, at, scratch);
            gather(p, rows, at + next * p->step_bytes, scratch + 16 * p->steps);
            columns[0] = scratch;
            columns[1] = scratch + 16 * p->steps;
        }
        int8_t *out = output + x * p->out_c;
        two_positions(p, block, columns, out, out + next * p->out_c);
    }
}

#define MOST_ROWS 16

void edgegen_conv2d_columns(const edgegen_conv2d_columns_params *p, const int8_t *input, int8_t *output,
                            void *scratch)
{
    const int8_t *rows[MOST_ROWS];
    edgegen_row_walk walk = {{(int8_t *)scratch, input, p->kernel_h, p->ring_row_bytes, p->in_h,
                              p->in_row_bytes, p->left_bytes, (int8_t)p->padding},
                             -p->pad_top,
                             0};
    int8_t *columns = (int8_t *)scratch + p->kernel_h * p->ring_row_bytes;
    for (int32_t at = 0; p->ring_row_bytes > 0 && at < 32 * p->steps; ++at) {
        columns[at] = 0; /* the ends of columns have weights of 0 */
    }
    for (int32_t y = 0; y < p->out_h; ++y) {
        if (p->ring_row_bytes == 0) {
            rows[0] = input + y * p->in_row_bytes;
        } else {
            edgegen_ring_window(&walk, y * p->stride_h - p->pad_top, rows);
        }
        one_row(p, rows, columns, output + y * p->out_w * p->out_c);
    }
}
