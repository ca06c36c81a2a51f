#include "squared_difference.h"

#include "elements.h"
#include "fixed_point.h"
#include "loops.h"

static int32_t square(const edgegen_squared_difference_params *p, int32_t first, int32_t second)
{
    const int32_t unit = (int32_t)1 << p->left_shift;
    const int32_t a =
        edgegen_requantize((first + p->first_offset) * unit, p->first_multiplier, p->first_shift);
    const int32_t b =
        edgegen_requantize((second + p->second_offset) * unit, p->second_multiplier, p->second_shift);
    return (a - b) * (a - b);
}

void edgegen_squared_difference(const edgegen_squared_difference_params *p, const void *first,
                                const void *second, void *output)
{
    const int32_t bytes = p->element_bytes;
    int32_t index1[6] = {0}, index2[6] = {0};
    int32_t at1 = 0, at2 = 0, done = 0;
    for (int32_t i = 0; !done; ++i) {
        int32_t y = square(p, edgegen_load(first, at1, bytes), edgegen_load(second, at2, bytes));
        y = edgegen_requantize(y, p->output_multiplier, p->output_shift);
        y = edgegen_wrap32((int64_t)y + p->output_offset);
        edgegen_store(output, i, bytes, edgegen_clamp(y, p->clamp_min, p->clamp_max));
        at1 += edgegen_next(index1, p->size, p->first_step, &done);
        at2 += edgegen_next(index2, p->size, p->second_step, &done);
    }
}
