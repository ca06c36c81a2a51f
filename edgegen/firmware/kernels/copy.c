#include "copy.h"

void edgegen_copy(const edgegen_copy_params *p, const void *input, void *output)
{
    const uint8_t *in = (const uint8_t *)input;
    uint8_t *out = (uint8_t *)output;
    for (int32_t i = 0; i < p->bytes; ++i) {
        out[i] = in[i];
    }
}
