/* The same bytes elsewhere. */
#ifndef EDGEGEN_COPY_H
#define EDGEGEN_COPY_H

#include <stdint.h>

typedef struct {
    int32_t bytes;
} edgegen_copy_params;

/* input [bytes] -> output [bytes]; they may be the same buffer */
void edgegen_copy(const edgegen_copy_params *p, const void *input, void *output);

#endif
