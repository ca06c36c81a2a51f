/* Blocks of four output channels from columns of int8 values, sums and requantisation: the inner loop of
 * convolutions and dense layers where vectors have 16 bytes. A target may have its own. */
#ifndef EDGEGEN_COLUMN_BLOCK_H
#define EDGEGEN_COLUMN_BLOCK_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [blocks][steps][4][16], none of them -128 */
    const int32_t *bias;       /* [blocks][4], zero point of the input folded in */
    const int32_t *multiplier; /* [blocks][4] */
    const int32_t *shift;      /* [blocks][4], positive to the left */
    int32_t blocks;
    int32_t steps; /* of 16 values */
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_column_block;

/* 4 * blocks bytes to each of two positions, whose columns have 16 * steps values. */
void edgegen_column_block_2(const edgegen_column_block *block, const int8_t *first_column,
                            const int8_t *second_column, int8_t *first, int8_t *second);

/* The same for one position. */
void edgegen_column_block_1(const edgegen_column_block *block, const int8_t *column, int8_t *output);

#endif
