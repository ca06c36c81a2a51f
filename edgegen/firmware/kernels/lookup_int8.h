/* Any function of one 8-bit number, by its table. */
#ifndef EDGEGEN_LOOKUP_INT8_H
#define EDGEGEN_LOOKUP_INT8_H

#include <stdint.h>

typedef struct {
    const int8_t *table; /* [256], indexed by the input read as an unsigned byte */
    int32_t count;
} edgegen_lookup_int8_params;

/* input [count] -> output [count]; they may be the same buffer */
void edgegen_lookup_int8(const edgegen_lookup_int8_params *p, const uint8_t *input, int8_t *output);

#endif
