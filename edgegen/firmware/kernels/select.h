/* One of two numbers by a condition, with broadcasting. */
#ifndef EDGEGEN_SELECT_H
#define EDGEGEN_SELECT_H

#include <stdint.h>

typedef struct {
    int32_t size[6]; /* loops, outermost first; steps in elements */
    int32_t condition_step[6], first_step[6], second_step[6];
    int32_t element_bytes;
} edgegen_select_params;

/* The output may be the buffer of numbers of the same shape. */
void edgegen_select(const edgegen_select_params *p, const uint8_t *condition, const void *first,
                    const void *second, void *output);

#endif
