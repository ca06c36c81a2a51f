/* Runs of bytes to several tensors, in turn: splitting and unpacking. */
#ifndef EDGEGEN_SPLIT_H
#define EDGEGEN_SPLIT_H

#include <stdint.h>

typedef struct {
    const int32_t *run; /* [count]: bytes of each tensor in a row */
    int32_t count, rows;
} edgegen_split_params;

/* After the input: `count` pointers to outputs [rows][run[i]]. All are void *. */
void edgegen_split(const edgegen_split_params *p, const uint8_t *input, ...);

#endif
