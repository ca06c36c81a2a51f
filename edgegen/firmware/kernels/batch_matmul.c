#include "batch_matmul.h"

#include "fixed_point.h"

static int8_t element(const edgegen_batch_matmul_params *p, const int8_t *row, const int8_t *column)
{
    uint32_t acc = 0; /* modulo 2^32, whatever the operands */
    for (int32_t k = 0; k < p->depth; ++k) {
        acc += (uint32_t)((*row + p->first_offset) * (*column + p->second_offset));
        row += p->first_depth_step;
        column += p->second_depth_step;
    }
    const int32_t out = edgegen_requantize((int32_t)acc, p->multiplier, p->shift);
    return (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), INT8_MIN, INT8_MAX);
}

static void matrix(const edgegen_batch_matmul_params *p, const int8_t *first, const int8_t *second,
                   int8_t *output)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        for (int32_t column = 0; column < p->columns; ++column) {
            *output++ = element(p, first + row * p->first_row_step, second + column * p->second_column_step);
        }
    }
}

void edgegen_batch_matmul(const edgegen_batch_matmul_params *p, const int8_t *first, const int8_t *second,
                          int8_t *output)
{
    const int32_t *a = p->first_batch_step;
    const int32_t *b = p->second_batch_step;
    for (int32_t i = 0; i < p->batches[0]; ++i) {
        for (int32_t j = 0; j < p->batches[1]; ++j) {
            for (int32_t k = 0; k < p->batches[2]; ++k) {
                matrix(p, first + i * a[0] + j * a[1] + k * a[2], second + i * b[0] + j * b[1] + k * b[2],
                       output);
                output += p->rows * p->columns;
            }
        }
    }
}
