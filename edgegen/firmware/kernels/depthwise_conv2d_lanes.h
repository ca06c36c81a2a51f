/* Depthwise convolution of int8 activations, eight channels at a time, through a ring of padded rows. */
#ifndef EDGEGEN_DEPTHWISE_CONV2D_LANES_H
#define EDGEGEN_DEPTHWISE_CONV2D_LANES_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [blocks][kernel_h * kernel_w][8], see lane_block.h */
    const int32_t *bias;       /* [blocks][8] */
    const int32_t *multiplier; /* [blocks][8] */
    const int32_t *shift;      /* [blocks][8] */
    int32_t channels;          /* at least 8; the last block ends with the last channel */
    int32_t in_h, in_row_bytes;
    int32_t out_h, out_w;
    int32_t kernel_h, kernel_w;
    int32_t tap_bytes, step_bytes;
    int32_t stride_h, pad_top, left_bytes, ring_row_bytes;
    int32_t padding;
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_depthwise_conv2d_lanes_params;

/* scratch: the ring. The output may lie on the input where the lowering says. */
void edgegen_depthwise_conv2d_lanes(const edgegen_depthwise_conv2d_lanes_params *p, const int8_t *input,
                                    int8_t *output, void *scratch);

#endif
