#include "fully_connected_columns.h"

#include "column_block.h"

void edgegen_fully_connected_columns(const edgegen_fully_connected_columns_params *p, const int8_t *input,
                                     int8_t *output, void *scratch)
{
    int8_t *column = (int8_t *)scratch;
    edgegen_column_block block = {p->weights,          p->bias,  p->multiplier,    p->shift,
                                  p->out_features / 4, p->steps, p->output_offset, p->clamp_min,
                                  p->clamp_max};
    edgegen_column_block rest = block;
    const int32_t whole = 4 * block.blocks;
    rest.weights += whole * 16 * p->steps;
    rest.bias += whole;
    rest.multiplier += whole;
    rest.shift += whole;
    rest.blocks = 1;
    for (int32_t row = 0; row < p->rows; ++row) {
        for (int32_t i = 0; i < 16 * p->steps; ++i) {
            column[i] = i < p->in_features ? input[i] : 0;
        }
        if (whole > 0) {
            edgegen_column_block_1(&block, column, output);
        }
        if (whole < p->out_features) {
            int8_t last[4];
            edgegen_column_block_1(&rest, column, last);
            for (int32_t i = whole; i < p->out_features; ++i) {
                output[i] = last[i - whole];
            }
        }
        input += p->in_features;
        output += p->out_features;
    }
}
