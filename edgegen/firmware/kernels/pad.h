/* A tensor with a border of one value. */
#ifndef EDGEGEN_PAD_H
#define EDGEGEN_PAD_H

#include <stdint.h>

typedef struct {
    int32_t size[6], before[6], after[6]; /* in elements */
    int32_t element_bytes;                /* 1, 2 or 4 */
    int32_t value;                        /* the bits of the border's value */
} edgegen_pad_params;

/* input [size[0]] ... [size[5]] -> output, each axis longer by before and after */
void edgegen_pad(const edgegen_pad_params *p, const uint8_t *input, uint8_t *output);

#endif
