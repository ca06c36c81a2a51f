/* The DSP instructions that the kernels use, for gcc and clang alike, and requantisation by them. */
#ifndef EDGEGEN_DSP_H
#define EDGEGEN_DSP_H

#include <stdint.h>

#include "fixed_point.h"

/* Four bytes from any address: an LDR, which may be unaligned on these cores. */
static inline uint32_t edgegen_load4(const int8_t *from)
{
    uint32_t word;
    __builtin_memcpy(&word, from, 4);
    return word;
}

static inline void edgegen_store4(int8_t *to, uint32_t word)
{
    __builtin_memcpy(to, &word, 4);
}

/* Bytes 0 and 2 as int16. */
static inline uint32_t edgegen_bytes02(uint32_t word)
{
    uint32_t out;
    __asm("sxtb16 %0, %1" : "=r"(out) : "r"(word));
    return out;
}

/* Bytes 1 and 3 as int16. */
static inline uint32_t edgegen_bytes13(uint32_t word)
{
    uint32_t out;
    __asm("sxtb16 %0, %1, ror #8" : "=r"(out) : "r"(word));
    return out;
}

/* Both int16 halves added or subtracted. */
static inline uint32_t edgegen_add16(uint32_t a, uint32_t b)
{
    uint32_t out;
    __asm("sadd16 %0, %1, %2" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

static inline uint32_t edgegen_sub16(uint32_t a, uint32_t b)
{
    uint32_t out;
    __asm("ssub16 %0, %1, %2" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

/* Both int16 halves doubled. */
static inline uint32_t edgegen_twice16(uint32_t pair)
{
    uint32_t out;
    __asm("sadd16 %0, %1, %1" : "=r"(out) : "r"(pair));
    return out;
}

/* sum + bytes 0 and 2 of a word, as int16 each. */
static inline uint32_t edgegen_add_bytes02(uint32_t sum, uint32_t word)
{
    uint32_t out;
    __asm("sxtab16 %0, %1, %2" : "=r"(out) : "r"(sum), "r"(word));
    return out;
}

static inline uint32_t edgegen_add_bytes13(uint32_t sum, uint32_t word)
{
    uint32_t out;
    __asm("sxtab16 %0, %1, %2, ror #8" : "=r"(out) : "r"(sum), "r"(word));
    return out;
}

/* floor((twice * multiplier + 2^31) / 2^32): the rounding doubling high multiply of twice / 2. */
static inline int32_t edgegen_high_mul_twice(int32_t twice, int32_t multiplier)
{
    int32_t out;
    __asm("smmulr %0, %1, %2" : "=r"(out) : "r"(twice), "r"(multiplier));
    return out;
}

static inline int32_t edgegen_saturate8(int32_t x)
{
    int32_t out;
    __asm("ssat %0, #8, %1" : "=r"(out) : "r"(x));
    return out;
}

#endif
