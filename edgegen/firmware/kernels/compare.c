#include "compare.h"

#include "elements.h"
#include "fixed_point.h"
#include "loops.h"

#define UNIT 256 /* both operands are shifted left by 8 bits before their scales */

static int32_t holds(int32_t relation, int32_t a, int32_t b)
{
    switch (relation) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return a > b;
    case 3:
        return a >= b;
    case 4:
        return a < b;
    default:
        return a <= b;
    }
}

void edgegen_compare(const edgegen_compare_params *p, const void *first, const void *second, uint8_t *output)
{
    int32_t index1[6] = {0}, index2[6] = {0};
    int32_t at1 = 0, at2 = 0, done = 0;
    for (int32_t i = 0; !done; ++i) {
        int32_t a = edgegen_load(first, at1, p->element_bytes);
        int32_t b = edgegen_load(second, at2, p->element_bytes);
        if (p->first_multiplier) {
            a = edgegen_requantize((a + p->first_offset) * UNIT, p->first_multiplier, p->first_shift);
            b = edgegen_requantize((b + p->second_offset) * UNIT, p->second_multiplier, p->second_shift);
        }
        output[i] = (uint8_t)holds(p->relation, a, b);
        at1 += edgegen_next(index1, p->size, p->first_step, &done);
        at2 += edgegen_next(index2, p->size, p->second_step, &done);
    }
}
