/* The square of the difference of two activations, with broadcasting. */
#ifndef EDGEGEN_SQUARED_DIFFERENCE_H
#define EDGEGEN_SQUARED_DIFFERENCE_H

#include <stdint.h>

typedef struct {
    int32_t size[6], first_step[6], second_step[6]; /* loops, outermost first; steps in elements */
    int32_t element_bytes;
    int32_t left_shift; /* of both operands */
    int32_t first_offset, first_multiplier, first_shift;
    int32_t second_offset, second_multiplier, second_shift;
    int32_t output_offset, output_multiplier, output_shift;
    int32_t clamp_min, clamp_max;
} edgegen_squared_difference_params;

/* The output may be the buffer of an input of the same shape. */
void edgegen_squared_difference(const edgegen_squared_difference_params *p, const void *first,
                                const void *second, void *output);

#endif
