/* Bytes of two positions to the columns of packed_mac.h. */
#ifndef EDGEGEN_UNPACK_PAIR_H
#define EDGEGEN_UNPACK_PAIR_H

#include <stdint.h>

/* Of each word, at least one, of any alignment: int16 bytes 0 and 2 of the first, of the second, bytes 1 and
 * 3 of the first, of the second. Returns the end of what was written; `to` lies at a multiple of four bytes.
 */
uint32_t *edgegen_unpack_pair(const int8_t *first, const int8_t *second, int32_t words, uint32_t *to);

#endif
