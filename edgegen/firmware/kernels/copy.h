/* The same bytes in another place. */
#ifndef EDGEGEN_COPY_H
#define EDGEGEN_COPY_H

#include <stdint.h>

typedef struct {
    int32_t bytes;
} edgegen_copy_params;

void edgegen_copy(const edgegen_copy_params *p, const void *input, void *output);

#endif
