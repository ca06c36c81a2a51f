/* Dense layer of int16 activations. */
#ifndef EDGEGEN_FULLY_CONNECTED_INT16_H
#define EDGEGEN_FULLY_CONNECTED_INT16_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [out_features][in_features] */
    const int64_t *bias;       /* [out_features], or null */
    const int32_t *multiplier; /* [out_features] */
    const int8_t *shift;       /* [out_features], positive to the left */
    int32_t rows, in_features, out_features;
    int32_t input_offset, output_offset, clamp_min, clamp_max;
    int32_t wide; /* sums have 64 bits and are rounded once, else 32 and twice */
} edgegen_fully_connected_int16_params;

/* input [rows][in_features] -> output [rows][out_features] */
void edgegen_fully_connected_int16(const edgegen_fully_connected_int16_params *p, const int16_t *input,
                                   int16_t *output);

#endif
