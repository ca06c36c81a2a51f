#include "depthwise_conv2d_lanes.h"

#include "fixed_point.h"
#include "lane_block.h"
#include "row_ring.h"

#define LANES 8
#define MOST_ROWS 16

typedef edgegen_depthwise_conv2d_lanes_params params;

static void one_row(const params *p, const int8_t *const *rows, int8_t *output)
{
    const int8_t *starts[MOST_ROWS];
    edgegen_lane_block block = {p->weights,       p->bias,      p->multiplier, p->shift,    p->kernel_h,
                                p->kernel_w,      p->tap_bytes, p->step_bytes, p->channels, p->out_w,
                                p->output_offset, p->clamp_min, p->clamp_max};
    for (int32_t next = 0; next < p->channels; next += LANES) {
        const int32_t first = edgegen_min(next, p->channels - LANES);
        for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
            starts[ky] = rows[ky] + first;
        }
        edgegen_lane_block_row(&block, starts, output + first);
        block.weights += LANES * p->kernel_h * p->kernel_w;
        block.bias += LANES;
        block.multiplier += LANES;
        block.shift += LANES;
    }
}

void edgegen_depthwise_conv2d_lanes(const edgegen_depthwise_conv2d_lanes_params *p, const int8_t *input,
                                    int8_t *output, void *scratch)
{
    const int8_t *rows[MOST_ROWS];
    edgegen_row_walk walk = {{(int8_t *)scratch, input, p->kernel_h, p->ring_row_bytes, p->in_h,
                              p->in_row_bytes, p->left_bytes, (int8_t)p->padding},
                             -p->pad_top,
                             0};
    for (int32_t y = 0; y < p->out_h; ++y) {
        edgegen_ring_window(&walk, y * p->stride_h - p->pad_top, rows);
        one_row(p, rows, output + y * p->out_w * p->channels);
    }
}
