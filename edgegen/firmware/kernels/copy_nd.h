/* Blocks from strided places, one after the other: transpositions, slices, repetitions. */
#ifndef EDGEGEN_COPY_ND_H
#define EDGEGEN_COPY_ND_H

#include <stdint.h>

typedef struct {
    int32_t size[6], step[6]; /* loops, outermost first; bytes from one block to the next */
    int32_t offset;           /* bytes to the first block */
    int32_t block;            /* bytes */
} edgegen_copy_nd_params;

/* output [size[0]] ... [size[5]][block] */
void edgegen_copy_nd(const edgegen_copy_nd_params *p, const uint8_t *input, uint8_t *output);

#endif
