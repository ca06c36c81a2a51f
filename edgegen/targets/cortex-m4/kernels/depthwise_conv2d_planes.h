/* 3x3 depthwise convolution of int8 activations, four channels at a time through the whole image: their
 * padded rows lie as int16 planes in a ring, so that the scratch is small and the output may take the input's
 * place. The rows may be the columns of a tall image, since long ones cost less. */
#ifndef EDGEGEN_DEPTHWISE_CONV2D_PLANES_H
#define EDGEGEN_DEPTHWISE_CONV2D_PLANES_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;   /* [channels][9] */
    const uint32_t *records; /* [channels][2]: bias with the input's zero point folded in, multiplier */
    const uint8_t *right;    /* [channels], right shifts of 1 to 22 */
    int32_t channels;
    int32_t in_h, in_w;                   /* rows, and the pixels of one that a window reaches */
    int32_t in_row_bytes, in_pixel_bytes; /* from one to the next */
    int32_t out_h, out_w;
    int32_t out_row_bytes, out_pixel_bytes;
    int32_t stride_h, stride_w; /* of 1 or 2 columns */
    int32_t pad_top, pad_left;
    int32_t pitch; /* bytes of a plane's row, a multiple of 4 */
    int32_t padding;
    int32_t output_offset;
} edgegen_depthwise_conv2d_planes_params;

/* scratch: four rows of four planes. */
void edgegen_depthwise_conv2d_planes(const edgegen_depthwise_conv2d_planes_params *p, const int8_t *input,
                                     int8_t *output, void *scratch);

#endif
