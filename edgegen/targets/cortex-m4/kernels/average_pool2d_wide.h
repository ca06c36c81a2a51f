/* Mean of windows over int8 activations, four channels at a time; windows of at most 255 elements. */
#ifndef EDGEGEN_AVERAGE_POOL2D_WIDE_H
#define EDGEGEN_AVERAGE_POOL2D_WIDE_H

#include <stdint.h>

typedef struct {
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t kernel_h, kernel_w, stride_h, stride_w;
    int32_t pad_top, pad_left;
    int32_t clamp_min, clamp_max;
} edgegen_average_pool2d_wide_params;

/* channels is a multiple of four */
void edgegen_average_pool2d_wide(const edgegen_average_pool2d_wide_params *p, const int8_t *input,
                                 int8_t *output);

#endif
