#include "mul.h"

#include "fixed_point.h"
#include "loops.h"

void edgegen_mul(const edgegen_mul_params *p, const int8_t *first, const int8_t *second, int8_t *output)
{
    int32_t at_first[6] = {0, 0, 0, 0, 0, 0};
    int32_t at_second[6] = {0, 0, 0, 0, 0, 0};
    int32_t done = 0;
    while (!done) {
        const int64_t product = (int64_t)(*first + p->first_offset) * (*second + p->second_offset);
        const int32_t out = edgegen_requantize(edgegen_wrap32(product), p->multiplier, p->shift);
        *output++ = (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), p->clamp_min,
                                          p->clamp_max);
        first += edgegen_next(at_first, p->size, p->first_step, &done);
        second += edgegen_next(at_second, p->size, p->second_step, &done);
    }
}
