/* The greater or the lesser of two numbers, with broadcasting. */
#ifndef EDGEGEN_MAXIMUM_H
#define EDGEGEN_MAXIMUM_H

#include <stdint.h>

typedef struct {
    int32_t size[6], first_step[6], second_step[6]; /* loops, outermost first; steps in elements */
    int32_t element_bytes;
    int32_t sign; /* 1: the maximum, -1: the minimum */
} edgegen_maximum_params;

/* The output may be the buffer of an input of the same shape. */
void edgegen_maximum(const edgegen_maximum_params *p, const void *first, const void *second, void *output);

#endif
