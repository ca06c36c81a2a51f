/* Nested loops whose number is data: six counters, the innermost last. */
#ifndef EDGEGEN_LOOPS_H
#define EDGEGEN_LOOPS_H

#include <stdint.h>

/* Moves to the next element; returns how far that is, or sets *done after the last one. */
static inline int32_t edgegen_next(int32_t index[6], const int32_t size[6], const int32_t step[6],
                                   int32_t *done)
{
    int32_t moved = 0;
    for (int32_t loop = 5; loop >= 0; --loop) {
        moved += step[loop];
        if (++index[loop] < size[loop]) {
            return moved;
        }
        moved -= step[loop] * size[loop];
        index[loop] = 0;
    }
    *done = 1;
    return moved;
}

#endif
