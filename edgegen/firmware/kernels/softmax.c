#include "softmax.h"

#include "fixed_point.h"

#define SUM_BITS 12 /* integer bits of the sum of exponentials: Q12.19 */

static int32_t leading_zeros(uint32_t x)
{
    int32_t count = 0;
    for (; !(x & 0x80000000u); x <<= 1) {
        ++count;
    }
    return count;
}

static int32_t saturating_double(int32_t x, int32_t times)
{
    for (; times > 0; --times) {
        x = x > INT32_MAX / 2 ? INT32_MAX : x < INT32_MIN / 2 ? INT32_MIN : x * 2;
    }
    return x;
}

/* 1 / (1 + x) in Q0.31 of x in [0, 1) in Q0.31, by three Newton-Raphson steps from 48/17 - 32/17 x. */
static int32_t one_over_one_plus(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) >> 1);
    int32_t y = 1515870810 + edgegen_high_mul(half, -1010580540);
    for (int32_t step = 0; step < 3; ++step) {
        const int32_t error = ((int32_t)1 << 29) - edgegen_high_mul(half, y);
        y += saturating_double(edgegen_high_mul(y, error), 2);
    }
    return saturating_double(y, 1);
}

static void softmax_row(const edgegen_softmax_params *p, const int8_t *input, int8_t *output)
{
    int32_t max = INT8_MIN;
    for (int32_t i = 0; i < p->depth; ++i) {
        max = edgegen_max(max, input[i]);
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < p->depth; ++i) {
        const int32_t distance = max - input[i];
        if (distance < p->count) {
            sum += edgegen_divide_by_pot(p->exponentials[distance], SUM_BITS);
        }
    }
    const int32_t headroom = leading_zeros((uint32_t)sum);
    const int32_t fraction = (int32_t)(((uint32_t)sum << headroom) & 0x7FFFFFFFu);
    const int32_t reciprocal = one_over_one_plus(fraction);
    const int32_t right = SUM_BITS - headroom + 31 - 8;
    for (int32_t i = 0; i < p->depth; ++i) {
        const int32_t distance = max - input[i];
        int32_t out = INT8_MIN;
        if (distance < p->count) {
            out += edgegen_divide_by_pot(edgegen_high_mul(reciprocal, p->exponentials[distance]), right);
        }
        output[i] = (int8_t)edgegen_clamp(out, INT8_MIN, INT8_MAX);
    }
}

void edgegen_softmax(const edgegen_softmax_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        softmax_row(p, input, output);
        input += p->depth;
        output += p->depth;
    }
}
