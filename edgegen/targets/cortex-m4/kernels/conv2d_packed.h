/* Convolution of int8 activations by packed pairs of weights, two positions and four channels at a time. */
#ifndef EDGEGEN_CONV2D_PACKED_H
#define EDGEGEN_CONV2D_PACKED_H

#include <stdint.h>

typedef struct {
    const uint32_t *weights;   /* [out_c / 4][4 * groups][2], see packed_mac.h */
    const uint32_t *records;   /* of the fast case, [out_c / 4][9], see packed_block.h; else null */
    const int32_t *bias;       /* of the exact case, [out_c], zero point of the input folded in */
    const int32_t *multiplier; /* of the exact case, [out_c] */
    const int8_t *shift;       /* of the exact case, [out_c], positive to the left */
    int32_t groups;            /* of eight inputs, those of a window padded */
    int32_t in_h, in_row_bytes;
    int32_t out_h, out_w, out_c;
    int32_t kernel_h;
    int32_t
        gathered_bytes; /* of a window that is first put together, a multiple of 4 and a word more; else 0 */
    int32_t segment_bytes; /* of a window in one row */
    int32_t step_bytes;    /* from one window to the next */
    int32_t stride_h, pad_top, left_bytes;
    int32_t ring_row_bytes; /* 0: windows lie in the input as they are */
    int32_t padding;
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_conv2d_packed_params;

/* scratch: the ring, then the columns of two windows. The output may lie on the input where the lowering
 * says. */
void edgegen_conv2d_packed(const edgegen_conv2d_packed_params *p, const int8_t *input, int8_t *output,
                           void *scratch);

/* One row of the output from kernel_h rows with their padding. scratch: the columns of two windows. */
void edgegen_conv2d_packed_row(const edgegen_conv2d_packed_params *p, const int8_t *const *rows,
                               int8_t *output, void *scratch);

#endif
