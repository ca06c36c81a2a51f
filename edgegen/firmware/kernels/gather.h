/* Slices at computed positions along an axis. */
#ifndef EDGEGEN_GATHER_H
#define EDGEGEN_GATHER_H

#include <stdint.h>

typedef struct {
    int32_t batch, outer, size, count;
    int32_t block; /* bytes after the axis */
} edgegen_gather_params;

/* input [batch][outer][size][block], positions [batch][count] -> output [batch][outer][count][block];
   positions out of range are clamped */
void edgegen_gather(const edgegen_gather_params *p, const uint8_t *input, const int32_t *positions,
                    uint8_t *output);

#endif
