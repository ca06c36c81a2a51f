#include "cast.h"

enum { FLOAT, INT8, UINT8, INT16, INT32, BOOLEAN };

/* Towards zero; not-a-number becomes the least. */
static int32_t truncated(float x)
{
    return !(x > -2147483648.0f) ? INT32_MIN : x >= 2147483648.0f ? INT32_MAX : (int32_t)x;
}

static int32_t read(const void *input, int32_t i, int32_t type)
{
    switch (type) {
    case FLOAT:
        return truncated(((const float *)input)[i]);
    case INT8:
        return ((const int8_t *)input)[i];
    case INT16:
        return ((const int16_t *)input)[i];
    case INT32:
        return ((const int32_t *)input)[i];
    case BOOLEAN:
        return ((const uint8_t *)input)[i] != 0;
    default:
        return ((const uint8_t *)input)[i];
    }
}

static void write(void *output, int32_t i, int32_t type, int32_t x)
{
    switch (type) {
    case FLOAT:
        ((float *)output)[i] = (float)x;
        break;
    case INT16:
        ((int16_t *)output)[i] = (int16_t)(uint16_t)((uint32_t)x & 0xFFFFu);
        break;
    case INT32:
        ((int32_t *)output)[i] = x;
        break;
    case BOOLEAN:
        ((uint8_t *)output)[i] = x != 0;
        break;
    default:
        ((uint8_t *)output)[i] = (uint8_t)((uint32_t)x & 0xFFu);
        break;
    }
}

void edgegen_cast(const edgegen_cast_params *p, const void *input, void *output)
{
    for (int32_t i = 0; i < p->count; ++i) {
        if (p->source == FLOAT && p->target == FLOAT) {
            ((float *)output)[i] = ((const float *)input)[i];
        } else if (p->source == FLOAT && p->target == BOOLEAN) {
            ((uint8_t *)output)[i] = ((const float *)input)[i] != 0.0f;
        } else {
            write(output, i, p->target, read(input, i, p->source));
        }
    }
}
