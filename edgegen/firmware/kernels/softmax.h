/* Softmax over the last axis of int8 activations. */
#ifndef EDGEGEN_SOFTMAX_H
#define EDGEGEN_SOFTMAX_H

#include <stdint.h>

typedef struct {
    const int32_t *exponentials; /* [count]: of the distance to the row's maximum, Q0.31; 0 beyond */
    int32_t count;
    int32_t rows, depth;
} edgegen_softmax_params;

/* input [rows][depth] -> output [rows][depth], scale 1/256, zero point -128; they may be the same buffer */
void edgegen_softmax(const edgegen_softmax_params *p, const int8_t *input, int8_t *output);

#endif
