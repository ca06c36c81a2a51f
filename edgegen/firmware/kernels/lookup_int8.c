#include "lookup_int8.h"

void edgegen_lookup_int8(const edgegen_lookup_int8_params *p, const void *input, void *output)
{
    const uint8_t *in = (const uint8_t *)input;
    int8_t *out = (int8_t *)output;
    for (int32_t i = 0; i < p->count; ++i) {
        out[i] = p->table[in[i]];
    }
}
