/* Blocks from places that a table an axis gives, with holes to fill: mirrored borders, resized images. */
#ifndef EDGEGEN_REMAP_H
#define EDGEGEN_REMAP_H

#include <stdint.h>

typedef struct {
    const int32_t *place; /* [size[0] + ... + size[5]]: tables in bytes; a sum below zero is a hole */
    int32_t size[6];
    int32_t block; /* bytes */
    int32_t fill;  /* the byte of holes */
} edgegen_remap_params;

/* output [size[0]] ... [size[5]][block] */
void edgegen_remap(const edgegen_remap_params *p, const uint8_t *input, uint8_t *output);

#endif
