#include "cumsum.h"

#include "fixed_point.h"

#define HALF_UNIT (1 << 19) /* numbers are shifted left by 20 bits and halved, which is exact */

/* One line along the axis. The sum starts from the negated zero point. */
static void sum_line(const edgegen_cumsum_params *p, const int8_t *input, int8_t *output)
{
    int32_t sum = p->input_offset * HALF_UNIT;
    for (int32_t i = 0; i < p->size; ++i) {
        const int32_t at = (p->reverse ? p->size - 1 - i : i) * p->inner;
        const int32_t next = edgegen_wrap32((int64_t)sum + (input[at] + p->input_offset) * HALF_UNIT);
        const int32_t y = edgegen_requantize(p->exclusive ? sum : next, p->multiplier, p->shift);
        sum = next;
        const int32_t out = edgegen_wrap32((int64_t)y + p->output_offset);
        output[at] = (int8_t)edgegen_clamp(out, p->clamp_min, p->clamp_max);
    }
}

void edgegen_cumsum(const edgegen_cumsum_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t outer = 0; outer < p->outer; ++outer) {
        for (int32_t inner = 0; inner < p->inner; ++inner) {
            const int32_t first = outer * p->size * p->inner + inner;
            sum_line(p, input + first, output + first);
        }
    }
}
