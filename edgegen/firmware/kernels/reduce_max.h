/* Largest element over some axes of an int8 tensor. */
#ifndef EDGEGEN_REDUCE_MAX_H
#define EDGEGEN_REDUCE_MAX_H

#include <stdint.h>

typedef struct {
    int32_t kept_size[6], kept_step[6];       /* loops over the outputs, outermost first */
    int32_t reduced_size[6], reduced_step[6]; /* loops over the elements of one output */
} edgegen_reduce_max_params;

void edgegen_reduce_max(const edgegen_reduce_max_params *p, const int8_t *input, int8_t *output);

#endif
