/* The same numbers in another type. */
#ifndef EDGEGEN_CAST_H
#define EDGEGEN_CAST_H

#include <stdint.h>

typedef struct {
    int32_t count;
    int32_t source, target; /* 0 float, 1 int8, 2 uint8, 3 int16, 4 int32, 5 boolean */
} edgegen_cast_params;

/* Floats are truncated to int32, saturated; integers wrap to narrower types. */
void edgegen_cast(const edgegen_cast_params *p, const void *input, void *output);

#endif
