/* An int8 image in another size, by linear interpolation along both axes. */
#ifndef EDGEGEN_RESIZE_BILINEAR_H
#define EDGEGEN_RESIZE_BILINEAR_H

#include <stdint.h>

typedef struct {
    const int32_t *row_low, *row_high, *row_share;          /* [out_h]: sources, the second one's 1/1024 */
    const int32_t *column_low, *column_high, *column_share; /* [out_w] */
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
} edgegen_resize_bilinear_params;

/* input [batch][in_h][in_w][channels] -> output [batch][out_h][out_w][channels] */
void edgegen_resize_bilinear(const edgegen_resize_bilinear_params *p, const int8_t *input, int8_t *output);

#endif
