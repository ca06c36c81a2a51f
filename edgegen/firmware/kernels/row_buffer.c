#include "row_buffer.h"

void edgegen_row_window(const edgegen_row_buffer *buffer, int32_t first, int32_t count, int32_t skip,
                        const int8_t **rows)
{
    for (int32_t i = 0; i < count; ++i) {
        const int32_t row = first + i;
        const int32_t outside = row < 0 || row >= buffer->height;
        rows[i] = skip + (outside ? buffer->padding : buffer->rows + row % buffer->slots * buffer->row_bytes);
    }
}

void edgegen_row_fill(int8_t *to, int32_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes; ++i) {
        to[i] = (int8_t)value;
    }
}

void edgegen_row_copy(int8_t *to, const int8_t *from, int32_t bytes)
{
    for (; bytes >= 4; bytes -= 4) {
        __builtin_memcpy(to, from, 4);
        to += 4;
        from += 4;
    }
    for (; bytes > 0; --bytes) {
        *to++ = *from++;
    }
}
