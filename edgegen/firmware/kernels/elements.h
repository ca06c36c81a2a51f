/* Integer elements of a width that is data. */
#ifndef EDGEGEN_ELEMENTS_H
#define EDGEGEN_ELEMENTS_H

#include <stdint.h>

/* The signed element of 1, 2 or 4 bytes at an index. */
static inline int32_t edgegen_load(const void *data, int32_t index, int32_t bytes)
{
    switch (bytes) {
    case 1:
        return ((const int8_t *)data)[index];
    case 2:
        return ((const int16_t *)data)[index];
    default:
        return ((const int32_t *)data)[index];
    }
}

/* Stores a number that the element can hold. */
static inline void edgegen_store(void *data, int32_t index, int32_t bytes, int32_t value)
{
    switch (bytes) {
    case 1:
        ((int8_t *)data)[index] = (int8_t)value;
        break;
    case 2:
        ((int16_t *)data)[index] = (int16_t)value;
        break;
    default:
        ((int32_t *)data)[index] = value;
        break;
    }
}

#endif
