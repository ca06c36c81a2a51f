/* Slices at points of the first axes. */
#ifndef EDGEGEN_GATHER_ND_H
#define EDGEGEN_GATHER_ND_H

#include <stdint.h>

typedef struct {
    int32_t count, axes;      /* points, and coordinates of each */
    int32_t size[5], step[5]; /* of those axes; steps in blocks */
    int32_t block;            /* bytes after them */
} edgegen_gather_nd_params;

/* input, points [count][axes] -> output [count][block]; coordinates out of range are clamped */
void edgegen_gather_nd(const edgegen_gather_nd_params *p, const uint8_t *input, const int32_t *points,
                       uint8_t *output);

#endif
