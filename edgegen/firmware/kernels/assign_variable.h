/* A new value for a state. */
#ifndef EDGEGEN_ASSIGN_VARIABLE_H
#define EDGEGEN_ASSIGN_VARIABLE_H

#include <stdint.h>

typedef struct {
    int32_t bytes;
} edgegen_assign_variable_params;

void edgegen_assign_variable(const edgegen_assign_variable_params *p, void *state, const void *value);

#endif
