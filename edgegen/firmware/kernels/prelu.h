/* PReLU: a slope of its own for the negative side of each element, with broadcasting. */
#ifndef EDGEGEN_PRELU_H
#define EDGEGEN_PRELU_H

#include <stdint.h>

typedef struct {
    int32_t size[6], first_step[6], second_step[6]; /* loops, outermost first; steps in elements */
    int32_t element_bytes;                          /* of the activations; slopes are int8 */
    int32_t input_offset, alpha_offset, output_offset;
    int32_t positive_multiplier, positive_shift;
    int32_t negative_multiplier, negative_shift;
    int32_t clamp_min, clamp_max;
} edgegen_prelu_params;

/* The output may be the buffer of an input of the same shape. */
void edgegen_prelu(const edgegen_prelu_params *p, const void *input, const int8_t *alpha, void *output);

#endif
