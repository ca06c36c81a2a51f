/* Inner products of packed int8 weights with two or one columns of int16 activations, on the DSP
 * instructions. */
#ifndef EDGEGEN_PACKED_MAC_H
#define EDGEGEN_PACKED_MAC_H

#include <stdint.h>

/* weights [4 * groups][2]: halfwords 256 * w_a + w_b of two inputs, for the output channels (0, 1) and (2,
 * 3). columns [4 * groups][2]: two int16 activations for each of two positions. sums [4][2]: channel by
 * position. */
void edgegen_packed_mac_4x2(const uint32_t *weights, const uint32_t *columns, int32_t groups, int32_t *sums);

/* The same for one position: column [4 * groups], sums [4]. */
void edgegen_packed_mac_4x1(const uint32_t *weights, const uint32_t *column, int32_t groups, int32_t *sums);

#endif
