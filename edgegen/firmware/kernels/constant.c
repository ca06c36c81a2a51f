#include "constant.h"

#include <string.h>

void edgegen_constant(const edgegen_constant_params *p, void *output)
{
    memcpy(output, p->data, (size_t)p->bytes);
}
