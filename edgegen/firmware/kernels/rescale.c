#include "rescale.h"

#include "elements.h"
#include "fixed_point.h"

void edgegen_rescale(const edgegen_rescale_params *p, const void *input, void *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t x = edgegen_load(input, i, p->input_bytes);
        int32_t y = edgegen_wrap32((int64_t)x + p->input_offset);
        y = edgegen_requantize(y, p->multiplier, p->shift);
        y = edgegen_wrap32((int64_t)y + p->output_offset);
        edgegen_store(output, i, p->output_bytes, edgegen_clamp(y, p->clamp_min, p->clamp_max));
    }
}
