/* A relation of two numbers, with broadcasting. */
#ifndef EDGEGEN_COMPARE_H
#define EDGEGEN_COMPARE_H

#include <stdint.h>

typedef struct {
    int32_t size[6], first_step[6], second_step[6]; /* loops, outermost first; steps in elements */
    int32_t element_bytes;
    int32_t relation; /* 0 ==, 1 !=, 2 >, 3 >=, 4 <, 5 <= */
    int32_t first_offset, first_multiplier, first_shift;
    int32_t second_offset, second_multiplier, second_shift; /* multipliers 0: no change of scale */
} edgegen_compare_params;

/* output: 1 where the relation holds, 0 elsewhere */
void edgegen_compare(const edgegen_compare_params *p, const void *first, const void *second, uint8_t *output);

#endif
