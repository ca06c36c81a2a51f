/* Dense layer of int8 activations, four outputs at a time. */
#ifndef EDGEGEN_FULLY_CONNECTED_COLUMNS_H
#define EDGEGEN_FULLY_CONNECTED_COLUMNS_H

#include <stdint.h>

typedef struct {
    const int8_t *weights;     /* [blocks][steps][4][16], see column_block.h */
    const int32_t *bias;       /* [blocks][4] */
    const int32_t *multiplier; /* [blocks][4] */
    const int32_t *shift;      /* [blocks][4] */
    int32_t steps;
    int32_t rows, in_features, out_features;
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_fully_connected_columns_params;

/* scratch: a column of 16 * steps values. */
void edgegen_fully_connected_columns(const edgegen_fully_connected_columns_params *p, const int8_t *input,
                                     int8_t *output, void *scratch);

#endif
