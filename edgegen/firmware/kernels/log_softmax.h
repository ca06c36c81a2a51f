/* The logarithm of softmax over the last axis of int8 activations. */
#ifndef EDGEGEN_LOG_SOFTMAX_H
#define EDGEGEN_LOG_SOFTMAX_H

#include <stdint.h>

typedef struct {
    const int32_t *difference;  /* [count]: of the distance to the row's maximum, Q5.26 */
    const int32_t *exponential; /* [count]: e^difference, Q12.19; 0 beyond */
    int32_t count;
    int32_t rows, depth;
    int32_t reverse_multiplier, reverse_shift; /* from Q5.26 to distances */
} edgegen_log_softmax_params;

/* input [rows][depth] -> output [rows][depth], scale 1/16, zero point 127; they may be the same buffer */
void edgegen_log_softmax(const edgegen_log_softmax_params *p, const int8_t *input, int8_t *output);

#endif
