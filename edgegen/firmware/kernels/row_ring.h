/* The last rows of an image, padded, in a ring: a window never meets a border, and the output may grow over
 * the rows of the input that are already in the ring. */
#ifndef EDGEGEN_ROW_RING_H
#define EDGEGEN_ROW_RING_H

#include <stdint.h>

typedef struct {
    int8_t *rows;        /* [slots][row_bytes] */
    const int8_t *image; /* [height][width_bytes] */
    int32_t slots, row_bytes, height, width_bytes, left_bytes;
    int8_t padding;
} edgegen_row_ring;

/* The number of an image row, negative ones and those below the image being padding, to its place in the
 * ring. */
static inline int8_t *edgegen_ring_row(const edgegen_row_ring *ring, int32_t slot)
{
    return ring->rows + slot * ring->row_bytes;
}

/* A ring on its way down an image; it begins with the first row that the first window looks at. */
typedef struct {
    edgegen_row_ring ring;
    int32_t next; /* row to load */
    int32_t slot; /* of it */
} edgegen_row_walk;

/* Loads rows until the window from `top` on is there, and points at its rows, as many as there are slots. */
void edgegen_ring_window(edgegen_row_walk *walk, int32_t top, const int8_t **rows);

#endif
