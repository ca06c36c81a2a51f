#include "mean.h"

#include "fixed_point.h"
#include "loops.h"

static int32_t total(const edgegen_mean_params *p, const int8_t *in)
{
    int32_t index[6] = {0, 0, 0, 0, 0, 0};
    int32_t done = 0;
    int32_t sum = p->start;
    while (!done) {
        sum += *in;
        in += edgegen_next(index, p->reduced_size, p->reduced_step, &done);
    }
    return sum;
}

void edgegen_mean(const edgegen_mean_params *p, const int8_t *input, int8_t *output)
{
    int32_t index[6] = {0, 0, 0, 0, 0, 0};
    int32_t done = 0;
    while (!done) {
        const int32_t out = edgegen_requantize(total(p, input), p->multiplier, p->shift);
        *output++ =
            (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), INT8_MIN, INT8_MAX);
        input += edgegen_next(index, p->kept_size, p->kept_step, &done);
    }
}
