/* Logistic of int16 activations, output scale 1/32768. */
#ifndef EDGEGEN_LOGISTIC_INT16_H
#define EDGEGEN_LOGISTIC_INT16_H

#include <stdint.h>

typedef struct {
    const uint16_t *table; /* [256]: 65536 / (1 + e^(-i / 24)) */
    int32_t count;
    int32_t multiplier, shift; /* to steps of 1 / (3 * 4096); the shift is to the right */
} edgegen_logistic_int16_params;

/* input [count] -> output [count]; they may be the same buffer */
void edgegen_logistic_int16(const edgegen_logistic_int16_params *p, const int16_t *input, int16_t *output);

#endif
