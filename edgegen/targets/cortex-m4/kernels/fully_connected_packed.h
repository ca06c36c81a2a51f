/* Dense layer of int8 activations by packed pairs of weights, four outputs at a time. */
#ifndef EDGEGEN_FULLY_CONNECTED_PACKED_H
#define EDGEGEN_FULLY_CONNECTED_PACKED_H

#include <stdint.h>

typedef struct {
    const uint32_t *weights;    /* [out_features / 4][4 * groups][2], see packed_mac.h */
    const uint32_t *twice_bias; /* of the fast case, [out_features], see packed_dense.h; else null */
    const uint32_t *scales;     /* of the fast case, [out_features / 4 or 1][5]; else null */
    int32_t scales_bytes;       /* 20, or 0 where all outputs have the same scale */
    const int32_t *bias;        /* of the exact case, [out_features], zero point of the input folded in */
    const int32_t *multiplier;  /* of the exact case, [out_features] */
    const int8_t *shift;        /* of the exact case, [out_features], positive to the left */
    int32_t groups;             /* of eight inputs */
    int32_t direct;             /* not 0: inputs are read as they lie, and no scratch is needed */
    int32_t rows, in_features, out_features;
    int32_t output_offset, clamp_min, clamp_max;
} edgegen_fully_connected_packed_params;

/* scratch: the input of one row as int16. */
void edgegen_fully_connected_packed(const edgegen_fully_connected_packed_params *p, const int8_t *input,
                                    int8_t *output, void *scratch);

#endif
