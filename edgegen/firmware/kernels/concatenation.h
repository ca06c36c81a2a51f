/* Runs of bytes of several tensors, in turn: concatenation and packing. */
#ifndef EDGEGEN_CONCATENATION_H
#define EDGEGEN_CONCATENATION_H

#include <stdint.h>

typedef struct {
    const int32_t *run; /* [count]: bytes of each tensor in a row */
    int32_t count, rows;
} edgegen_concatenation_params;

/* After the parameters: `count` pointers to inputs [rows][run[i]], then one to the output. All are void *. */
void edgegen_concatenation(const edgegen_concatenation_params *p, ...);

#endif
