#include "arg_extreme.h"

#include "elements.h"

static int32_t position(const edgegen_arg_extreme_params *p, const void *input, int32_t first)
{
    int32_t found = 0;
    int32_t extreme = edgegen_load(input, first, p->element_bytes);
    for (int32_t i = 1; i < p->size; ++i) {
        const int32_t x = edgegen_load(input, first + i * p->inner, p->element_bytes);
        if (p->sign > 0 ? x > extreme : x < extreme) {
            extreme = x;
            found = i;
        }
    }
    return found;
}

void edgegen_arg_extreme(const edgegen_arg_extreme_params *p, const void *input, int32_t *output)
{
    for (int32_t outer = 0; outer < p->outer; ++outer) {
        for (int32_t inner = 0; inner < p->inner; ++inner) {
            *output++ = position(p, input, outer * p->size * p->inner + inner);
        }
    }
}
