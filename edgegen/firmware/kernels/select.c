#include "select.h"

#include "elements.h"
#include "loops.h"

void edgegen_select(const edgegen_select_params *p, const uint8_t *condition, const void *first,
                    const void *second, void *output)
{
    const int32_t bytes = p->element_bytes;
    int32_t index0[6] = {0}, index1[6] = {0}, index2[6] = {0};
    int32_t at0 = 0, at1 = 0, at2 = 0, done = 0;
    for (int32_t i = 0; !done; ++i) {
        const int32_t y = condition[at0] ? edgegen_load(first, at1, bytes) : edgegen_load(second, at2, bytes);
        edgegen_store(output, i, bytes, y);
        at0 += edgegen_next(index0, p->size, p->condition_step, &done);
        at1 += edgegen_next(index1, p->size, p->first_step, &done);
        at2 += edgegen_next(index2, p->size, p->second_step, &done);
    }
}
