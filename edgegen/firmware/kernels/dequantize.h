/* Integers to float, at the edge of a graph. */
#ifndef EDGEGEN_DEQUANTIZE_H
#define EDGEGEN_DEQUANTIZE_H

#include <stdint.h>

typedef struct {
    float scale;
    int32_t count;
    int32_t input_bytes, input_signed; /* 1 or 2; unsigned only with 1 */
    int32_t zero_point;
} edgegen_dequantize_params;

/* input [count] -> output [count] */
void edgegen_dequantize(const edgegen_dequantize_params *p, const void *input, float *output);

#endif
