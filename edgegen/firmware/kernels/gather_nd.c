#include "gather_nd.h"

#include "fixed_point.h"

#include <string.h>

void edgegen_gather_nd(const edgegen_gather_nd_params *p, const uint8_t *input, const int32_t *points,
                       uint8_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t at = 0;
        for (int32_t axis = 0; axis < p->axes; ++axis) {
            at += edgegen_clamp(points[axis], 0, p->size[axis] - 1) * p->step[axis];
        }
        memcpy(output, input + at * p->block, (size_t)p->block);
        points += p->axes;
        output += p->block;
    }
}
