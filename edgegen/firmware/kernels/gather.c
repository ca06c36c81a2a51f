#include "gather.h"

#include "fixed_point.h"

#include <string.h>

void edgegen_gather(const edgegen_gather_params *p, const uint8_t *input, const int32_t *positions,
                    uint8_t *output)
{
    for (int32_t batch = 0; batch < p->batch; ++batch) {
        for (int32_t outer = 0; outer < p->outer; ++outer) {
            for (int32_t i = 0; i < p->count; ++i) {
                const int32_t at = edgegen_clamp(positions[i], 0, p->size - 1);
                memcpy(output, input + at * p->block, (size_t)p->block);
                output += p->block;
            }
            input += p->size * p->block;
        }
        positions += p->count;
    }
}
