/* A row of 3x3 depthwise windows over four channels, sums and requantisation. */
#ifndef EDGEGEN_DEPTHWISE_BLOCK_H
#define EDGEGEN_DEPTHWISE_BLOCK_H

#include <stdint.h>

typedef struct {
    int32_t multiplier, nudge, right;
} edgegen_depthwise_record;

/* Filled once a row and four channels; the assembly knows these offsets. Weights and bias are doubled. */
typedef struct {
    int32_t bias[4];
    uint32_t weights[9][2]; /* two int16 each: channels (0, 2) and (1, 3) */
    edgegen_depthwise_record records[4];
    const int8_t *rows[3];
    int32_t tap_bytes, step_bytes, output_bytes;
    const int8_t *end; /* of the outputs */
} edgegen_depthwise_block;

/* Writes four bytes at each output, `output_bytes` apart, up to `end`. */
void edgegen_depthwise_block_3x3(const edgegen_depthwise_block *block, int8_t *output);

#endif
