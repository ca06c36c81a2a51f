/* Magnitude of int16 activations. */
#ifndef EDGEGEN_ABS_INT16_H
#define EDGEGEN_ABS_INT16_H

#include <stdint.h>

typedef struct {
    int32_t count;
    int32_t multiplier, shift; /* a multiplier of 0: no change of scale */
    int32_t clamp_max;         /* 32767, or 32768 to let that wrap around */
} edgegen_abs_int16_params;

/* input [count] -> output [count]; they may be the same buffer */
void edgegen_abs_int16(const edgegen_abs_int16_params *p, const int16_t *input, int16_t *output);

#endif
