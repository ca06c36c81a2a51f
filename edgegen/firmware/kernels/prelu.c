#include "prelu.h"

#include "elements.h"
#include "fixed_point.h"
#include "loops.h"

static int32_t scaled(const edgegen_prelu_params *p, int32_t x, int32_t alpha)
{
    if (x >= 0) {
        return edgegen_requantize(x, p->positive_multiplier, p->positive_shift);
    }
    return edgegen_requantize(x * alpha, p->negative_multiplier, p->negative_shift);
}

void edgegen_prelu(const edgegen_prelu_params *p, const void *input, const int8_t *alpha, void *output)
{
    int32_t index1[6] = {0}, index2[6] = {0};
    int32_t at1 = 0, at2 = 0, done = 0;
    for (int32_t i = 0; !done; ++i) {
        const int32_t x = edgegen_load(input, at1, p->element_bytes) + p->input_offset;
        int32_t y = scaled(p, x, alpha[at2] + p->alpha_offset);
        y = edgegen_wrap32((int64_t)y + p->output_offset);
        edgegen_store(output, i, p->element_bytes, edgegen_clamp(y, p->clamp_min, p->clamp_max));
        at1 += edgegen_next(index1, p->size, p->first_step, &done);
        at2 += edgegen_next(index2, p->size, p->second_step, &done);
    }
}
