/* A standard LSTM over a sequence of int8 vectors with an int16 cell. */
#ifndef EDGEGEN_UNIDIRECTIONAL_SEQUENCE_LSTM_H
#define EDGEGEN_UNIDIRECTIONAL_SEQUENCE_LSTM_H

#include <stdint.h>

/* Constants of the input, forget, cell and output gate, in this order. */
typedef struct {
    const int8_t *input_weights;     /* [4][units][features] */
    const int8_t *recurrent_weights; /* [4][units][units] */
    const int32_t *bias;             /* [4][units] */
    const uint16_t *table;           /* [256], the sigmoid */
    int32_t batch, steps, features, units;
    int32_t batch_stride, step_stride; /* in rows of the input */
    int32_t input_offset, hidden_offset;
    int32_t input_multiplier[4], input_shift[4];
    int32_t recurrent_multiplier[4], recurrent_shift[4];
    int32_t forget_multiplier, forget_shift; /* of forget gate times cell */
    int32_t update_multiplier, update_shift; /* of input gate times cell gate */
    int32_t hidden_multiplier, hidden_shift; /* of the output gate times the squashed cell */
    int32_t tanh_multiplier, tanh_shift;     /* of the cell */
    int32_t cell_clip;                       /* 0 for none */
} edgegen_unidirectional_sequence_lstm_params;

/* hidden [batch][units] and cell [batch][units] are states. scratch: int16 [4][units]. */
void edgegen_unidirectional_sequence_lstm(const edgegen_unidirectional_sequence_lstm_params *p,
                                          const int8_t *input, int8_t *hidden, int16_t *cell, int8_t *output,
                                          void *scratch);

#endif
