/* Products of transformed weights and windows; see conv2d_winograd.c. */
#ifndef EDGEGEN_WINOGRAD_PRODUCTS_H
#define EDGEGEN_WINOGRAD_PRODUCTS_H

#include <stdint.h>

/* For each of 16 places: four output channels by two tiles, summed over `pairs` of input channels, an even
 * number of them. weights [16][pairs][4] and windows [16][pairs][2] are pairs of int16; sums [16][4][2] are
 * modulo 2^32. */
void edgegen_winograd_products(const uint32_t *weights, const uint32_t *windows, int32_t pairs,
                               int32_t *sums);

#endif
