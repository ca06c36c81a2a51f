#include "split.h"

#include <stdarg.h>
#include <string.h>

static int32_t row_bytes(const edgegen_split_params *p)
{
    int32_t bytes = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        bytes += p->run[i];
    }
    return bytes;
}

static void take(const uint8_t *input, uint8_t *output, int32_t rows, int32_t run, int32_t stride)
{
    for (int32_t row = 0; row < rows; ++row) {
        memcpy(output, input, (size_t)run);
        input += stride;
        output += run;
    }
}

void edgegen_split(const edgegen_split_params *p, const uint8_t *input, ...)
{
    const int32_t stride = row_bytes(p);
    va_list outputs;
    va_start(outputs, input);
    for (int32_t i = 0; i < p->count; ++i) {
        take(input, va_arg(outputs, void *), p->rows, p->run[i], stride);
        input += p->run[i];
    }
    va_end(outputs);
}
