/* Leaky ReLU of int16 activations. */
#ifndef EDGEGEN_LEAKY_RELU_INT16_H
#define EDGEGEN_LEAKY_RELU_INT16_H

#include <stdint.h>

typedef struct {
    int32_t count;
    int32_t input_offset, output_offset;
    int32_t positive_multiplier, positive_shift;
    int32_t negative_multiplier, negative_shift;
    int32_t sign; /* of alpha: 1 or -1 */
} edgegen_leaky_relu_int16_params;

/* input [count] -> output [count]; they may be the same buffer */
void edgegen_leaky_relu_int16(const edgegen_leaky_relu_int16_params *p, const int16_t *input,
                              int16_t *output);

#endif
