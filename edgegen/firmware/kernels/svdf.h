/* A dense layer of low rank over a window of time, int8 with an int16 state. */
#ifndef EDGEGEN_SVDF_H
#define EDGEGEN_SVDF_H

#include <stdint.h>

typedef struct {
    const int8_t *feature_weights; /* [units * rank][features] */
    const int16_t *time_weights;   /* [units * rank][memory] */
    const int32_t *bias;           /* [units], or null */
    int32_t batch, features, units, rank, memory;
    int32_t input_offset;
    int32_t state_multiplier, state_shift;
    int32_t output_multiplier, output_shift, output_offset;
} edgegen_svdf_params;

/* input [batch][features], state [batch][units * rank][memory] with the newest value last -> output
 * [batch][units] */
void edgegen_svdf(const edgegen_svdf_params *p, const int8_t *input, int16_t *state, int8_t *output);

#endif
