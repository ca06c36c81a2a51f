#include "reduce_max.h"

#include "loops.h"

static int8_t largest(const edgegen_reduce_max_params *p, const int8_t *in)
{
    int32_t index[6] = {0, 0, 0, 0, 0, 0};
    int32_t done = 0;
    int8_t max = INT8_MIN;
    while (!done) {
        max = *in > max ? *in : max;
        in += edgegen_next(index, p->reduced_size, p->reduced_step, &done);
    }
    return max;
}

void edgegen_reduce_max(const edgegen_reduce_max_params *p, const int8_t *input, int8_t *output)
{
    int32_t index[6] = {0, 0, 0, 0, 0, 0};
    int32_t done = 0;
    while (!done) {
        *output++ = largest(p, input);
        input += edgegen_next(index, p->kept_size, p->kept_step, &done);
    }
}
