/* The common case of add_aligned: a sum, not a difference, whose finer operand is shifted to the right. */
#ifndef EDGEGEN_ADD_BLOCK_H
#define EDGEGEN_ADD_BLOCK_H

#include "add_aligned.h"

/* `count` of the parameters elements; the assembly knows the parameters' offsets. */
void edgegen_add_block(const edgegen_add_aligned_params *p, const int8_t *wide, const int8_t *fine,
                       int8_t *output);

#endif
