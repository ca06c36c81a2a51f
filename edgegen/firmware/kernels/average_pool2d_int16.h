/* Mean of windows over int16 activations. */
#ifndef EDGEGEN_AVERAGE_POOL2D_INT16_H
#define EDGEGEN_AVERAGE_POOL2D_INT16_H

#include <stdint.h>

typedef struct {
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t kernel_h, kernel_w, stride_h, stride_w;
    int32_t pad_top, pad_left;
    int32_t clamp_min, clamp_max;
} edgegen_average_pool2d_int16_params;

/* input [batch][in_h][in_w][channels] -> output [batch][out_h][out_w][channels] */
void edgegen_average_pool2d_int16(const edgegen_average_pool2d_int16_params *p, const int16_t *input,
                                  int16_t *output);

#endif
