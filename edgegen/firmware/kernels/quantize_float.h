/* Float to int8 or int16, at the edge of a graph. */
#ifndef EDGEGEN_QUANTIZE_FLOAT_H
#define EDGEGEN_QUANTIZE_FLOAT_H

#include <stdint.h>

typedef struct {
    float scale;
    int32_t count;
    int32_t output_bytes; /* 1 or 2 */
    int32_t zero_point, clamp_min, clamp_max;
} edgegen_quantize_float_params;

/* input [count] -> output [count]; what is out of range saturates, not-a-number becomes clamp_min */
void edgegen_quantize_float(const edgegen_quantize_float_params *p, const float *input, void *output);

#endif
