/* Matrix products of two int8 tensors, batch by batch. */
#ifndef EDGEGEN_BATCH_MATMUL_H
#define EDGEGEN_BATCH_MATMUL_H

#include <stdint.h>

typedef struct {
    int32_t batches[3]; /* loops over matrices, outermost first */
    int32_t first_batch_step[3], second_batch_step[3];
    int32_t rows, columns, depth;
    int32_t first_row_step, first_depth_step;
    int32_t second_column_step, second_depth_step;
    int32_t first_offset, second_offset;
    int32_t multiplier, shift, output_offset;
} edgegen_batch_matmul_params;

/* output [batches][rows][columns] */
void edgegen_batch_matmul(const edgegen_batch_matmul_params *p, const int8_t *first, const int8_t *second,
                          int8_t *output);

#endif
