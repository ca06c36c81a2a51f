/* Two-dimensional convolution of int16 activations. */
#ifndef EDGEGEN_CONV2D_INT16_H
#define EDGEGEN_CONV2D_INT16_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [out_c][kernel_h][kernel_w][group_c] */
    const int64_t *bias;       /* [out_c], or null */
    const int32_t *multiplier; /* [out_c] */
    const int8_t *shift;       /* [out_c], positive to the left */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t kernel_h, kernel_w, group_c;
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    int32_t pad_top, pad_left;
    int32_t input_offset, output_offset, clamp_min, clamp_max;
    int32_t wide; /* sums have 64 bits and are rounded once, else 32 and twice */
} edgegen_conv2d_int16_params;

/* input [batch][in_h][in_w][in_c] -> output [batch][out_h][out_w][out_c] */
void edgegen_conv2d_int16(const edgegen_conv2d_int16_params *p, const int16_t *input, int16_t *output);

#endif
