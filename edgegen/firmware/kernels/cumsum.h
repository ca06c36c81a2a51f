/* Running sums of int8 activations along an axis. */
#ifndef EDGEGEN_CUMSUM_H
#define EDGEGEN_CUMSUM_H

#include <stdint.h>

typedef struct {
    int32_t outer, size, inner;
    int32_t exclusive, reverse; /* booleans: leave out the element itself, sum from the end */
    int32_t input_offset, multiplier, shift, output_offset;
    int32_t clamp_min, clamp_max;
} edgegen_cumsum_params;

/* input [outer][size][inner] -> output of the same shape; they may be the same buffer */
void edgegen_cumsum(const edgegen_cumsum_params *p, const int8_t *input, int8_t *output);

#endif
