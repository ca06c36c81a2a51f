/* Transposed convolution of int8 activations. */
#ifndef EDGEGEN_TRANSPOSE_CONV_H
#define EDGEGEN_TRANSPOSE_CONV_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [out_c][kernel_h][kernel_w][in_c] */
    const int32_t *bias;       /* [out_c], or null */
    const int32_t *multiplier; /* [out_c] */
    const int8_t *shift;       /* [out_c], positive to the left */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t kernel_h, kernel_w;
    int32_t stride_h, stride_w;
    int32_t pad_top, pad_left;
    int32_t input_offset, output_offset, clamp_min, clamp_max;
} edgegen_transpose_conv_params;

/* input [batch][in_h][in_w][in_c] -> output [batch][out_h][out_w][out_c] */
void edgegen_transpose_conv(const edgegen_transpose_conv_params *p, const int8_t *input, int8_t *output);

#endif
