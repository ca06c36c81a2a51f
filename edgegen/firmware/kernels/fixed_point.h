/*
 * Integer arithmetic shared by the kernels: the reference arithmetic of TensorFlow Lite Micro.
 *
 * A shift is positive to the left. Right shifts of negative numbers are taken to be arithmetic, as every
 * compiler this code is built with defines them; this is the only place that states the reliance.
 */
#ifndef EDGEGEN_FIXED_POINT_H
#define EDGEGEN_FIXED_POINT_H

#include <stddef.h>
#include <stdint.h>

/* Keeps the low 32 bits; the conversion back to a signed type is modular on all supported compilers. */
static inline int32_t edgegen_wrap32(int64_t x)
{
    return (int32_t)(uint32_t)((uint64_t)x & 0xFFFFFFFFu);
}

static inline int32_t edgegen_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t edgegen_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t edgegen_clamp(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* High 32 bits of 2*a*b, rounded with ties towards plus infinity; INT32_MIN * INT32_MIN saturates. */
static inline int32_t edgegen_high_mul(int32_t a, int32_t b)
{
    const int64_t high = ((int64_t)a * b + ((int64_t)1 << 30)) >> 31;
    return high > INT32_MAX ? INT32_MAX : (int32_t)high;
}

/* x / 2^exponent to nearest, ties away from zero; 0 <= exponent <= 31. */
static inline int32_t edgegen_divide_by_pot(int32_t x, int32_t exponent)
{
    const int32_t mask = (int32_t)(((int64_t)1 << exponent) - 1);
    const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

/* An accumulator times multiplier * 2^(shift - 31), rounded twice. */
static inline int32_t edgegen_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    const int32_t shifted = (int32_t)((uint32_t)x << left);
    return edgegen_divide_by_pot(edgegen_high_mul(shifted, multiplier), right);
}

/* The same of a 64-bit accumulator below 2^47, with a multiplier reduced to 16 bits and one rounding;
 * shift <= 14. A result that 32 bits do not hold wraps. */
static inline int32_t edgegen_requantize64(int64_t x, int32_t multiplier, int32_t shift)
{
    const int64_t reduced = multiplier < 0x7FFF0000 ? ((int64_t)multiplier + (1 << 15)) >> 16 : 0x7FFF;
    const int32_t total = 15 - shift;
    return (int32_t)((x * reduced + ((int64_t)1 << (total - 1))) >> total);
}

#endif
