/* A row of depthwise windows, eight channels at a time, sums and requantisation: the inner loop of depthwise
 * convolutions where vectors have 16 bytes. A target may have its own. */
#ifndef EDGEGEN_LANE_BLOCK_H
#define EDGEGEN_LANE_BLOCK_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [kernel_h * kernel_w][8], none of them -128 */
    const int32_t *bias;       /* [8], zero point of the input folded in */
    const int32_t *multiplier; /* [8] */
    const int32_t *shift;      /* [8], positive to the left */
    int32_t kernel_h, kernel_w;
    int32_t tap_bytes;  /* from one column of the window to the next */
    int32_t step_bytes; /* from one window to the next */
    int32_t output_bytes;
    int32_t count; /* of outputs */
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_lane_block;

/* Eight bytes at each of `count` outputs, from kernel_h rows that begin at the first window. */
void edgegen_lane_block_row(const edgegen_lane_block *block, const int8_t *const *rows, int8_t *output);

#endif
