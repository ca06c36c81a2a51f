#include "log_softmax.h"

#include "fixed_point.h"

#define SQRT_HALF 1518500250 /* Q0.31, as all constants below */
#define FOURTH_ROOT_OF_HALF 1805811301
#define LOG_2 1488522236
#define QUARTER_Q6 (1 << 23)

static int32_t leading_zeros(uint32_t x)
{
    int32_t count = 0;
    for (; count < 32 && !(x & 0x80000000u); x <<= 1) {
        ++count;
    }
    return count;
}

static int32_t saturate(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* 1 / (1 + x) in Q0.31 of x in [0, 1) in Q0.31, by three Newton-Raphson steps from 48/17 - 32/17 x. */
static int32_t one_over_one_plus(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) >> 1);
    int32_t y = 1515870810 + edgegen_high_mul(half, -1010580540);
    for (int32_t step = 0; step < 3; ++step) {
        const int32_t error = ((int32_t)1 << 29) - edgegen_high_mul(half, y);
        y += saturate((int64_t)edgegen_high_mul(y, error) * 4);
    }
    return saturate((int64_t)y * 2);
}

/* log r in Q0.31 relative to the fourth root of 1/2, by a rational function. */
static int32_t log_near_fourth_root(int32_t r)
{
    const int32_t middle = (int32_t)(((int64_t)r + FOURTH_ROOT_OF_HALF + 1) >> 1);
    const int32_t q = (r - FOURTH_ROOT_OF_HALF) * 2;
    const int32_t square = edgegen_high_mul(q, q);
    const int32_t numerator =
        edgegen_high_mul(q, r) + edgegen_high_mul(edgegen_high_mul(q, square), 117049297);
    const int32_t sum = 1057819769 + q + edgegen_high_mul(127690142, square);
    const int32_t denominator = edgegen_high_mul(middle, sum) + edgegen_high_mul(638450708, q);
    return edgegen_high_mul(numerator, one_over_one_plus(denominator));
}

/* log x in Q5.26 of x >= 1 in Q12.19: x = 2^n r, with r as close to the fourth root of 1/2 as may be. */
static int32_t log_of_q12(int32_t x)
{
    const int32_t headroom = leading_zeros((uint32_t)x) - 1;
    const int32_t top = (int32_t)((uint32_t)x << headroom);
    const int32_t r_whole = saturate((int64_t)edgegen_high_mul(top, SQRT_HALF) * 2);
    const int32_t log2_whole = (12 - 1 - headroom) * (1 << 25) + QUARTER_Q6;
    const int32_t headroom_half = leading_zeros((uint32_t)edgegen_high_mul(x, SQRT_HALF)) - 1;
    const int32_t r_half = saturate((int64_t)x * ((int64_t)1 << headroom_half));
    const int32_t log2_half = (12 - headroom_half) * (1 << 25) - QUARTER_Q6;
    const int32_t fraction = log_near_fourth_root(edgegen_min(r_whole, r_half));
    const int32_t whole = edgegen_high_mul(edgegen_max(log2_whole, log2_half), LOG_2);
    return saturate(((int64_t)whole + edgegen_divide_by_pot(fraction, 6)) * 2);
}

static void log_softmax_row(const edgegen_log_softmax_params *p, const int8_t *input, int8_t *output)
{
    int32_t max = INT8_MIN, sum = 0;
    for (int32_t i = 0; i < p->depth; ++i) {
        max = edgegen_max(max, input[i]);
    }
    for (int32_t i = 0; i < p->depth; ++i) {
        const int32_t distance = max - input[i];
        sum += distance < p->count ? p->exponential[distance] : 0;
    }
    const int32_t log_sum = log_of_q12(sum);
    const int32_t least = edgegen_requantize(log_sum + INT32_MIN, p->reverse_multiplier, p->reverse_shift);
    for (int32_t i = 0; i < p->depth; ++i) {
        const int32_t distance = max - input[i];
        int32_t y = INT8_MIN;
        if (distance < p->count && -distance > least) {
            y = edgegen_divide_by_pot(p->difference[distance] - log_sum, 31 - 5 - 4) + INT8_MAX;
        }
        output[i] = (int8_t)edgegen_clamp(y, INT8_MIN, INT8_MAX);
    }
}

void edgegen_log_softmax(const edgegen_log_softmax_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        log_softmax_row(p, input, output);
        input += p->depth;
        output += p->depth;
    }
}
