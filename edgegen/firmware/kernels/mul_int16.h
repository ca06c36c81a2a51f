/* Elementwise product of int16 tensors with broadcasting. */
#ifndef EDGEGEN_MUL_INT16_H
#define EDGEGEN_MUL_INT16_H

#include <stdint.h>

typedef struct {
    int32_t size[6];        /* loops, outermost first */
    int32_t first_step[6];  /* elements that the first operand moves in each loop */
    int32_t second_step[6]; /* the same of the second operand */
    int32_t first_offset, second_offset;
    int32_t multiplier, shift, output_offset;
    int32_t clamp_min, clamp_max;
} edgegen_mul_int16_params;

/* The output may lie on an operand of its own shape. */
void edgegen_mul_int16(const edgegen_mul_int16_params *p, const int16_t *first, const int16_t *second,
                       int16_t *output);

#endif
