#include "dequantize.h"

#include "elements.h"

void edgegen_dequantize(const edgegen_dequantize_params *p, const void *input, float *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t x = edgegen_load(input, i, p->input_bytes);
        if (!p->input_signed) {
            x &= 0xFF;
        }
        output[i] = p->scale * (float)(x - p->zero_point);
    }
}
