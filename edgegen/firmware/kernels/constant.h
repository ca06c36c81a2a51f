/* Bytes known at build time. */
#ifndef EDGEGEN_CONSTANT_H
#define EDGEGEN_CONSTANT_H

#include <stdint.h>

typedef struct {
    const uint8_t *data; /* [bytes] */
    int32_t bytes;
} edgegen_constant_params;

/* output [bytes] */
void edgegen_constant(const edgegen_constant_params *p, void *output);

#endif
