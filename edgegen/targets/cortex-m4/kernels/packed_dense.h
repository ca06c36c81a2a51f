/* All of a dense layer's outputs for one position, in blocks of four; the conditions are those of
 * packed_block.h. */
#ifndef EDGEGEN_PACKED_DENSE_H
#define EDGEGEN_PACKED_DENSE_H

#include <stdint.h>

/* The assembly knows these offsets. */
typedef struct {
    const uint32_t *weights; /* as for packed_mac.h */
    const uint32_t *bias;    /* doubled, four a block */
    const uint32_t
        *scales;          /* five words: multiplier [4], and four bytes, each one less than the right shift */
    int32_t scales_bytes; /* from a block's scales to the next; 0 where all have the same */
    int32_t odd;          /* 2 * output zero point + 1 */
    int32_t column_bytes; /* of one position */
    int32_t blocks;
} edgegen_packed_dense_block;

/* Writes 4 * blocks bytes, from a column of int16 in the order of packed_mac.h. */
void edgegen_packed_dense_column(const edgegen_packed_dense_block *block, const void *column, int8_t *output);

/* The same from int8 values as they lie, a multiple of eight of them. */
void edgegen_packed_dense_direct(const edgegen_packed_dense_block *block, const void *column, int8_t *output);

#endif
