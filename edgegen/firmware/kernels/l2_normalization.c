#include "l2_normalization.h"

#include "fixed_point.h"

static int32_t saturate(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* root * (3 - x * root^2) / 2 in Q3.28, from x / 2. */
static int32_t newton_step(int32_t root, int32_t half)
{
    const int32_t square = edgegen_high_mul(root, root);
    const int32_t cube = saturate((int64_t)edgegen_high_mul(square, root) * 64);
    const int32_t three_halves = (1 << 28) + (1 << 27);
    return saturate(((int64_t)edgegen_high_mul(three_halves, root) - edgegen_high_mul(half, cube)) * 8);
}

/* 1 / sqrt(x) as a multiplier; returns its shift, positive to the left. */
static int32_t inverse_sqrt(int32_t x, int32_t *multiplier)
{
    if (x <= 1) {
        *multiplier = INT32_MAX;
        return 0;
    }
    int32_t right = 11;
    for (; x >= 1 << 29; ++right) {
        x /= 4;
    }
    for (; x < 1 << 27; --right) {
        x *= 4;
    }
    const int32_t half = edgegen_divide_by_pot(x >> 1, 1);
    int32_t root = 1 << 28;
    for (int32_t step = 0; step < 5; ++step) {
        root = newton_step(root, half);
    }
    root = edgegen_high_mul(root, 1518500250); /* the square root of 1/2 */
    if (right < 0) {
        *multiplier = root * (1 << -right);
        return 0;
    }
    *multiplier = root;
    return -right;
}

static void normalize(const edgegen_l2_normalization_params *p, const int8_t *input, int8_t *output)
{
    int32_t squares = 0, multiplier;
    for (int32_t i = 0; i < p->depth; ++i) {
        squares += (input[i] + p->input_offset) * (input[i] + p->input_offset);
    }
    const int32_t shift = inverse_sqrt(squares, &multiplier) + 7; /* output steps of 1/128 */
    for (int32_t i = 0; i < p->depth; ++i) {
        const int32_t y = edgegen_requantize(input[i] + p->input_offset, multiplier, shift);
        output[i] = (int8_t)edgegen_clamp(y, INT8_MIN, INT8_MAX);
    }
}

void edgegen_l2_normalization(const edgegen_l2_normalization_params *p, const int8_t *input, int8_t *output)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        normalize(p, input, output);
        input += p->depth;
        output += p->depth;
    }
}
