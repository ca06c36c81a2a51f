/* Dense layer of int8 activations. */
#ifndef EDGEGEN_FULLY_CONNECTED_H
#define EDGEGEN_FULLY_CONNECTED_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [out_features][in_features] */
    const int32_t *bias;       /* [out_features], or null */
    const int32_t *multiplier; /* [out_features] */
    const int8_t *shift;       /* [out_features], positive to the left */
    int32_t rows, in_features, out_features;
    int32_t input_offset, output_offset, clamp_min, clamp_max;
} edgegen_fully_connected_params;

/* input [rows][in_features] -> output [rows][out_features] */
void edgegen_fully_connected(const edgegen_fully_connected_params *p, const int8_t *input, int8_t *output);

#endif
