/* Convolution of int8 activations through columns of its windows, two positions and four channels at a time.
 */
#ifndef EDGEGEN_CONV2D_COLUMNS_H
#define EDGEGEN_CONV2D_COLUMNS_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [blocks][steps][4][16], see column_block.h */
    const int32_t *bias;       /* [blocks][4] */
    const int32_t *multiplier; /* [blocks][4] */
    const int32_t *shift;      /* [blocks][4] */
    int32_t steps;
    int32_t in_h, in_row_bytes;
    int32_t out_h, out_w, out_c;
    int32_t kernel_h;
    int32_t segment_bytes; /* of a window in one row */
    int32_t step_bytes;    /* from one window to the next */
    int32_t stride_h, pad_top, left_bytes;
    int32_t ring_row_bytes; /* 0: windows are columns as they lie in the input */
    int32_t padding;
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_conv2d_columns_params;

/* scratch: the ring, then two columns. The output may lie on the input where the lowering says. */
void edgegen_conv2d_columns(const edgegen_conv2d_columns_params *p, const int8_t *input, int8_t *output,
                            void *scratch);

#endif
