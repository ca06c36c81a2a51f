/* What the int16 logistic and tanh share: a table of the logistic function, read with interpolation. */
#ifndef EDGEGEN_CURVE16_H
#define EDGEGEN_CURVE16_H

#include <stdint.h>

/* The input in steps of 1 / (3 * 4096), rounded half up; |multiplier| < 2^15, shift < 32. */
static inline int32_t edgegen_curve16_input(int32_t x, int32_t multiplier, int32_t shift)
{
    const int64_t nudge = ((int64_t)1 << shift) >> 1;
    return (int32_t)(((int64_t)x * multiplier + nudge) >> shift);
}

/* The table between two entries, 2^bits steps apart; `saturated` from the last entry on. */
static inline int32_t edgegen_curve16_read(const uint16_t *table, int32_t magnitude, int32_t bits,
                                           int32_t saturated)
{
    const int32_t entry = magnitude >> bits;
    if (entry >= 255) {
        return saturated;
    }
    const int32_t low = table[entry];
    const int32_t high = table[entry + 1];
    return (low << bits) + (magnitude & ((1 << bits) - 1)) * (high - low);
}

/* The logistic function in Q0.15 of an input in those steps. */
static inline int16_t edgegen_curve16_logistic(const uint16_t *table, int32_t x)
{
    const int32_t y = edgegen_curve16_read(table, x < 0 ? -x : x, 9, 0x7FFF << 10);
    return (int16_t)((x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10);
}

/* tanh(x) = 2 logistic(2x) - 1 in Q0.15, so the table is walked in half steps. */
static inline int16_t edgegen_curve16_tanh(const uint16_t *table, int32_t x)
{
    const int32_t y = edgegen_curve16_read(table, x < 0 ? -x : x, 8, 0xFFFF << 8);
    return (int16_t)((x >= 0 ? y - (1 << 23) + (1 << 7) : (1 << 23) - y + (1 << 7) - 1) >> 8);
}

#endif
