/* 3x3 convolution with stride 1 by exact integer Winograd transforms, F(2x2, 3x3): 16 products for four
 * outputs. */
#ifndef EDGEGEN_CONV2D_WINOGRAD_H
#define EDGEGEN_CONV2D_WINOGRAD_H

#include <stdint.h>

typedef struct {
    const int16_t *weights;  /* [out_c / 4][16][in_c / 2][4][2]: four times the transformed ones */
    const uint32_t *records; /* [out_c / 4][9], see packed_block.h */
    int32_t in_h, in_c, in_row_bytes;
    int32_t out_h, out_w, out_c;
    int32_t pad_top, left_bytes;
    int32_t ring_row_bytes;
    int32_t padding;
    int32_t output_offset;
} edgegen_conv2d_winograd_params;

/* in_c and out_c are multiples of 4. scratch: a ring of four rows, then the transformed windows of two tiles,
 * 64 bytes for each input channel, then 128 sums. The output may lie on the input where the lowering says. */
void edgegen_conv2d_winograd(const edgegen_conv2d_winograd_params *p, const int8_t *input, int8_t *output,
                             void *scratch);

#endif
