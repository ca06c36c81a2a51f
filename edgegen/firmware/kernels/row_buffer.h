/* Rows of a tensor: whole, or a ring of the last few with padding beside them. */
#ifndef EDGEGEN_ROW_BUFFER_H
#define EDGEGEN_ROW_BUFFER_H

#include <stdint.h>

typedef struct {
    const int8_t *rows;    /* [slots][row_bytes], padding at the left included */
    const int8_t *padding; /* [row_bytes] of what lies above and below the tensor, or null */
    int32_t height, row_bytes, slots;
} edgegen_row_buffer;

/* `count` rows from `first` on, each without its first `skip` bytes. */
void edgegen_row_window(const edgegen_row_buffer *buffer, int32_t first, int32_t count, int32_t skip,
                        const int8_t **rows);

void edgegen_row_fill(int8_t *to, int32_t value, int32_t bytes);

void edgegen_row_copy(int8_t *to, const int8_t *from, int32_t bytes);

#endif
