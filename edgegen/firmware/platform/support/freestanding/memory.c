/* Compilers call these four by themselves, also without a C library.
 * KEEP_LOOP stops them from turning a loop back into a call of the function that it implements. */
#include <stdint.h>
#include <string.h>

#define KEEP_LOOP() __asm volatile("" ::: "memory")

typedef uint32_t __attribute__((may_alias)) word;

static int both_aligned(const void *a, const void *b)
{
    return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (both_aligned(to, from)) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)(void *)out = *(const word *)(const void *)in;
            out += sizeof(word);
            in += sizeof(word);
            KEEP_LOOP();
        }
    }
    for (; bytes > 0; bytes--) {
        *out++ = *in++;
        KEEP_LOOP();
    }
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        return memcpy(to, from, bytes); /* also right for a move to a lower address: memcpy goes upwards */
    }
    uint8_t *out = (uint8_t *)to + bytes;
    const uint8_t *in = (const uint8_t *)from + bytes;
    for (; bytes > 0; bytes--) {
        *--out = *--in;
        KEEP_LOOP();
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *out = to;
    const uint32_t pattern = 0x01010101u * (uint8_t)value;
    if (both_aligned(to, to)) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)(void *)out = pattern;
            out += sizeof(word);
            KEEP_LOOP();
        }
    }
    for (; bytes > 0; bytes--) {
        *out++ = (uint8_t)value;
        KEEP_LOOP();
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a;
    const uint8_t *right = b;
    for (; bytes > 0; bytes--) {
        if (*left != *right) {
            return *left - *right;
        }
        left++;
        right++;
        KEEP_LOOP();
    }
    return 0;
}
