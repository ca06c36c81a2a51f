/* Any function of one byte, by table. */
#ifndef EDGEGEN_LOOKUP_INT8_H
#define EDGEGEN_LOOKUP_INT8_H

#include <stdint.h>

typedef struct {
    const int8_t *table; /* [256], by the input's bits as an unsigned byte */
    int32_t count;
} edgegen_lookup_int8_params;

/* The output may be the input's buffer. */
void edgegen_lookup_int8(const edgegen_lookup_int8_params *p, const void *input, void *output);

#endif
