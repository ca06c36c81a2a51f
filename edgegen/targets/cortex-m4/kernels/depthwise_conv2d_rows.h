/* Depthwise convolution of int8 activations, four channels at a time, through a ring of padded rows. */
#ifndef EDGEGEN_DEPTHWISE_CONV2D_ROWS_H
#define EDGEGEN_DEPTHWISE_CONV2D_ROWS_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [channels / 4][kernel_h * kernel_w][4] */
    const int32_t *bias;       /* [channels], zero point of the input folded in */
    const int32_t *multiplier; /* [channels] */
    const int8_t *shift;       /* [channels], positive to the left */
    int32_t channels;
    int32_t in_h, in_row_bytes;
    int32_t out_h, out_w;
    int32_t kernel_h, kernel_w;
    int32_t tap_bytes;  /* from one column of the window to the next */
    int32_t step_bytes; /* from one window to the next */
    int32_t stride_h, pad_top, left_bytes, ring_row_bytes;
    int32_t padding;
    int32_t fast; /* every channel meets the conditions of packed_block.h, and the clamp is that of int8 */
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_depthwise_conv2d_rows_params;

/* scratch: the ring. The output may lie on the input where the lowering says. */
void edgegen_depthwise_conv2d_rows(const edgegen_depthwise_conv2d_rows_params *p, const int8_t *input,
                                   int8_t *output, void *scratch);

/* One row of the output from kernel_h rows with their padding, behind which three more bytes are read. */
void edgegen_depthwise_conv2d_rows_row(const edgegen_depthwise_conv2d_rows_params *p,
                                       const int8_t *const *rows, int8_t *output);

#endif
