/* A change of scale and zero point between integer tensors of any two widths. */
#ifndef EDGEGEN_RESCALE_H
#define EDGEGEN_RESCALE_H

#include <stdint.h>

typedef struct {
    int32_t count;
    int32_t input_bytes, output_bytes; /* 1, 2 or 4 */
    int32_t input_offset, output_offset;
    int32_t multiplier, shift; /* the shift positive to the left */
    int32_t clamp_min, clamp_max;
} edgegen_rescale_params;

/* input [count] -> output [count]; they may be the same buffer if the widths are equal */
void edgegen_rescale(const edgegen_rescale_params *p, const void *input, void *output);

#endif
