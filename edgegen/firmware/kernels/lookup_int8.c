#include "lookup_int8.h"

void edgegen_lookup_int8(const edgegen_lookup_int8_params *p, const uint8_t *input, int8_t *output)
{
    const int8_t *table = p->table;
    const int32_t count = p->count;
    for (int32_t i = 0; i < count; ++i) {
        output[i] = table[input[i]];
    }
}
