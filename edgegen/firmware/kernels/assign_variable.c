#include "assign_variable.h"

#include <string.h>

void edgegen_assign_variable(const edgegen_assign_variable_params *p, void *state, const void *value)
{
    memmove(state, value, (size_t)p->bytes);
}
