#include "remap.h"

#include "loops.h"

#include <string.h>

/* The sum of the entries of five loops; a hole stays below zero. */
static int64_t outer_place(const edgegen_remap_params *p, const int32_t index[5])
{
    const int32_t *table = p->place;
    int64_t place = 0;
    for (int32_t loop = 0; loop < 5; ++loop) {
        place += table[index[loop]];
        table += p->size[loop];
    }
    return place;
}

void edgegen_remap(const edgegen_remap_params *p, const uint8_t *input, uint8_t *output)
{
    static const int32_t still[6] = {0};
    const int32_t outer[6] = {1, p->size[0], p->size[1], p->size[2], p->size[3], p->size[4]};
    const int32_t *inner = p->place + p->size[0] + p->size[1] + p->size[2] + p->size[3] + p->size[4];
    int32_t index[6] = {0};
    for (int32_t done = 0; !done; (void)edgegen_next(index, outer, still, &done)) {
        const int64_t base = outer_place(p, index + 1);
        for (int32_t i = 0; i < p->size[5]; ++i) {
            const int64_t place = base + inner[i];
            if (place < 0) {
                memset(output, p->fill & 0xFF, (size_t)p->block);
            } else {
                memcpy(output, input + place, (size_t)p->block);
            }
            output += p->block;
        }
    }
}
