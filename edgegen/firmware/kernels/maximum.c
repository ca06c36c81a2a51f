#include "maximum.h"

#include "elements.h"
#include "loops.h"

void edgegen_maximum(const edgegen_maximum_params *p, const void *first, const void *second, void *output)
{
    const int32_t bytes = p->element_bytes;
    int32_t index1[6] = {0}, index2[6] = {0};
    int32_t at1 = 0, at2 = 0, done = 0;
    for (int32_t i = 0; !done; ++i) {
        const int32_t a = edgegen_load(first, at1, bytes);
        const int32_t b = edgegen_load(second, at2, bytes);
        edgegen_store(output, i, bytes, (a > b) == (p->sign > 0) ? a : b);
        at1 += edgegen_next(index1, p->size, p->first_step, &done);
        at2 += edgegen_next(index2, p->size, p->second_step, &done);
    }
}
