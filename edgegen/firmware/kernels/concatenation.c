#include "concatenation.h"

#include <stdarg.h>
#include <string.h>

static int32_t row_bytes(const edgegen_concatenation_params *p)
{
    int32_t bytes = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        bytes += p->run[i];
    }
    return bytes;
}

static void place(const uint8_t *input, uint8_t *output, int32_t rows, int32_t run, int32_t stride)
{
    for (int32_t row = 0; row < rows; ++row) {
        memcpy(output, input, (size_t)run);
        input += run;
        output += stride;
    }
}

void edgegen_concatenation(const edgegen_concatenation_params *p, ...)
{
    va_list inputs, all;
    va_start(inputs, p);
    va_copy(all, inputs);
    for (int32_t i = 0; i < p->count; ++i) {
        (void)va_arg(all, void *);
    }
    uint8_t *output = va_arg(all, void *);
    va_end(all);
    const int32_t stride = row_bytes(p);
    for (int32_t i = 0; i < p->count; ++i) {
        place(va_arg(inputs, void *), output, p->rows, p->run[i], stride);
        output += p->run[i];
    }
    va_end(inputs);
}
