#include "leaky_relu_int16.h"

#include "fixed_point.h"

static int32_t scaled(const edgegen_leaky_relu_int16_params *p, int32_t x)
{
    if (x >= 0) {
        return edgegen_requantize(x, p->positive_multiplier, p->positive_shift);
    }
    const int32_t y = edgegen_requantize(x, p->negative_multiplier, p->negative_shift);
    return p->sign < 0 ? -y : y;
}

void edgegen_leaky_relu_int16(const edgegen_leaky_relu_int16_params *p, const int16_t *input, int16_t *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t scaled_input = scaled(p, input[i] + p->input_offset);
        const int32_t y = edgegen_wrap32((int64_t)scaled_input + p->output_offset);
        output[i] = (int16_t)edgegen_clamp(y, INT16_MIN, INT16_MAX);
    }
}
