/* The first position of the greatest or the least number along an axis. */
#ifndef EDGEGEN_ARG_EXTREME_H
#define EDGEGEN_ARG_EXTREME_H

#include <stdint.h>

typedef struct {
    int32_t outer, size, inner;
    int32_t element_bytes;
    int32_t sign; /* 1: the greatest, -1: the least */
} edgegen_arg_extreme_params;

/* input [outer][size][inner] -> output [outer][inner] */
void edgegen_arg_extreme(const edgegen_arg_extreme_params *p, const void *input, int32_t *output);

#endif
