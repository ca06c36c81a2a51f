/* All of a block of output channels, sums and requantisation, for the common case: right shifts of 1 to 22,
 * sums below 2^30, and the whole range of int8 as the clamp. */
#ifndef EDGEGEN_PACKED_BLOCK_H
#define EDGEGEN_PACKED_BLOCK_H

#include <stdint.h>

/* The assembly knows these offsets. */
typedef struct {
    const uint32_t *weights; /* as for packed_mac.h */
    const uint32_t *records; /* nine words for four channels: (bias * 2, multiplier) [4], and four bytes, each
                              * one less than the right shift */
    int32_t odd;             /* 2 * output zero point + 1 */
    int32_t column_bytes;    /* of one position, as int16 */
    int32_t blocks;          /* of four channels */
} edgegen_packed_block;

/* Writes 4 * blocks bytes to each of two positions; columns are interleaved as for packed_mac.h. */
void edgegen_packed_block_4x2(const edgegen_packed_block *block, const uint32_t *columns, int8_t *first,
                              int8_t *second);

#endif
