#include "row_ring.h"

static inline void put4(int8_t *to, uint32_t word)
{
    __builtin_memcpy(to, &word, 4);
}

static inline uint32_t get4(const int8_t *from)
{
    uint32_t word;
    __builtin_memcpy(&word, from, 4);
    return word;
}

static void fill(int8_t *to, int8_t value, int32_t bytes)
{
    const uint32_t word = (uint8_t)value * 0x01010101u;
    for (; bytes >= 4; bytes -= 4) {
        put4(to, word);
        to += 4;
    }
    for (; bytes > 0; --bytes) {
        *to++ = value;
    }
}

static void copy(int8_t *to, const int8_t *from, int32_t bytes)
{
    for (; bytes >= 8; bytes -= 8) {
        put4(to, get4(from));
        put4(to + 4, get4(from + 4));
        from += 8;
        to += 8;
    }
    for (; bytes > 0; --bytes) {
        *to++ = *from++;
    }
}

static void load(const edgegen_row_ring *ring, int32_t row, int32_t slot)
{
    int8_t *to = edgegen_ring_row(ring, slot);
    const int32_t room = ring->row_bytes - ring->left_bytes;
    const int32_t inside = room < ring->width_bytes ? room : ring->width_bytes;
    if (row < 0 || row >= ring->height) {
        fill(to, ring->padding, ring->row_bytes);
        return;
    }
    fill(to, ring->padding, ring->left_bytes);
    copy(to + ring->left_bytes, ring->image + row * ring->width_bytes, inside);
    fill(to + ring->left_bytes + inside, ring->padding, room - inside);
}

void edgegen_ring_window(edgegen_row_walk *walk, int32_t top, const int8_t **rows)
{
    const int32_t slots = walk->ring.slots;
    for (; walk->next < top + slots; ++walk->next) {
        load(&walk->ring, walk->next, walk->slot);
        walk->slot = walk->slot + 1 < slots ? walk->slot + 1 : 0;
    }
    for (int32_t i = 0; i < slots; ++i) {
        const int32_t at = walk->slot + i;
        rows[i] = edgegen_ring_row(&walk->ring, at < slots ? at : at - slots);
    }
}
