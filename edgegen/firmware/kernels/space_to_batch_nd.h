/* Pixels of one position within blocks together, as batches of their own. */
#ifndef EDGEGEN_SPACE_TO_BATCH_ND_H
#define EDGEGEN_SPACE_TO_BATCH_ND_H

#include <stdint.h>

typedef struct {
    int32_t batch, in_h, in_w;
    int32_t pixel; /* bytes */
    int32_t block_h, block_w, pad_top, pad_left;
    int32_t out_h, out_w;
    int32_t fill; /* the byte of padding */
} edgegen_space_to_batch_nd_params;

/* input [batch][in_h][in_w][pixel] -> output [block_h][block_w][batch][out_h][out_w][pixel] */
void edgegen_space_to_batch_nd(const edgegen_space_to_batch_nd_params *p, const uint8_t *input,
                               uint8_t *output);

#endif
