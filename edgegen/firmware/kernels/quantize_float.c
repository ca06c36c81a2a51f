#include "quantize_float.h"

#include "elements.h"
#include "fixed_point.h"

#define BEYOND 1e6f /* more steps than any int16 and zero point need */

/* To nearest, ties away from zero; the difference below is exact. */
static int32_t rounded(float steps)
{
    const float inside = !(steps > -BEYOND) ? -BEYOND : steps > BEYOND ? BEYOND : steps;
    const int32_t whole = (int32_t)inside;
    const float rest = inside - (float)whole;
    return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

void edgegen_quantize_float(const edgegen_quantize_float_params *p, const float *input, void *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t y = rounded(input[i] / p->scale) + p->zero_point;
        edgegen_store(output, i, p->output_bytes, edgegen_clamp(y, p->clamp_min, p->clamp_max));
    }
}
