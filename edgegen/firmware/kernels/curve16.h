/* What the int16 logistic and tanh share: a table of the logistic function, read with interpolation. */
#ifndef EDGEGEN_CURVE16_H
#define EDGEGEN_CURVE16_H

#include <stdint.h>

/* The input in steps of 1 / (3 * 4096), rounded half up; |multiplier| < 2^15, shift < 32. */
static inline int32_t edgegen_curve16_input(int16_t x, int32_t multiplier, int32_t shift)
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

#endif
