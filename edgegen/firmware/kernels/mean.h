/* Mean or sum over some axes of an int8 tensor. */
#ifndef EDGEGEN_MEAN_H
#define EDGEGEN_MEAN_H

#include <stdint.h>

typedef struct {
    int32_t kept_size[6], kept_step[6];       /* loops over the outputs, outermost first */
    int32_t reduced_size[6], reduced_step[6]; /* loops over the elements of one output */
    int32_t start;                            /* minus the zero points of those elements */
    int32_t multiplier, shift, output_offset;
} edgegen_mean_params;

void edgegen_mean(const edgegen_mean_params *p, const int8_t *input, int8_t *output);

#endif
