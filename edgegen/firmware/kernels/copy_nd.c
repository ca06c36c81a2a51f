#include "copy_nd.h"

#include "loops.h"

#include <string.h>

void edgegen_copy_nd(const edgegen_copy_nd_params *p, const uint8_t *input, uint8_t *output)
{
    const int32_t block = p->block;
    int32_t index[6] = {0};
    int32_t place = p->offset;
    for (int32_t done = 0; !done; output += block) {
        if (block == 1) {
            *output = input[place];
        } else {
            memcpy(output, input + place, (size_t)block);
        }
        place += edgegen_next(index, p->size, p->step, &done);
    }
}
