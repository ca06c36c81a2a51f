#include "pad.h"

#include "elements.h"
#include "loops.h"

#include <string.h>

static void fill(uint8_t *output, int32_t count, const edgegen_pad_params *p)
{
    if (p->element_bytes == 1) {
        memset(output, p->value & 0xFF, (size_t)count);
        return;
    }
    for (int32_t i = 0; i < count; ++i) {
        edgegen_store(output, i, p->element_bytes, p->value);
    }
}

/* Whether this row of the output lies in the border of one of the outer axes. */
static int32_t outside(const edgegen_pad_params *p, const int32_t index[5])
{
    for (int32_t axis = 0; axis < 5; ++axis) {
        const int32_t at = index[axis] - p->before[axis];
        if (at < 0 || at >= p->size[axis]) {
            return 1;
        }
    }
    return 0;
}

void edgegen_pad(const edgegen_pad_params *p, const uint8_t *input, uint8_t *output)
{
    static const int32_t still[6] = {0};
    const int32_t bytes = p->element_bytes;
    const int32_t row = p->size[5], before = p->before[5], after = p->after[5];
    int32_t outer[6] = {1}, index[6] = {0};
    for (int32_t axis = 0; axis < 5; ++axis) {
        outer[axis + 1] = p->before[axis] + p->size[axis] + p->after[axis];
    }
    for (int32_t done = 0; !done; (void)edgegen_next(index, outer, still, &done)) {
        if (outside(p, index + 1)) {
            fill(output, before + row + after, p);
        } else {
            fill(output, before, p);
            memcpy(output + before * bytes, input, (size_t)(row * bytes));
            fill(output + (before + row) * bytes, after, p);
            input += row * bytes;
        }
        output += (before + row + after) * bytes;
    }
}
