/* Vectors along the last axis of int8 activations, divided by their lengths. */
#ifndef EDGEGEN_L2_NORMALIZATION_H
#define EDGEGEN_L2_NORMALIZATION_H

#include <stdint.h>

typedef struct {
    int32_t rows, depth;
    int32_t input_offset;
} edgegen_l2_normalization_params;

/* input [rows][depth] -> output [rows][depth], scale 1/128, zero point 0; they may be the same buffer */
void edgegen_l2_normalization(const edgegen_l2_normalization_params *p, const int8_t *input, int8_t *output);

#endif
