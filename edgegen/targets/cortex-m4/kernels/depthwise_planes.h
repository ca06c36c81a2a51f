/* A row of 3x3 depthwise windows, channel by channel, from planes of int16: the planes, sums, requantisation.
 */
#ifndef EDGEGEN_DEPTHWISE_PLANES_H
#define EDGEGEN_DEPTHWISE_PLANES_H

#include <stdint.h>

/* The constants of a channel; the assembly knows the order. Weights and bias are doubled, so that no product
 * has to be. Of each row of the window the words are (first, second) and (second, third), as int16. */
typedef struct {
    uint32_t weights[3][2];
    int32_t bias, multiplier;
    int32_t nudge; /* (2 * output zero point + 1) << (right - 1) */
    int32_t right;
} edgegen_planes_record;

/* What a call needs; the assembly knows these offsets. */
typedef struct {
    const edgegen_planes_record *records, *records_end;
    const int16_t *rows[3]; /* of the first channel, each at a multiple of four bytes */
    int8_t *output;
    int32_t output_bytes; /* from one output of a channel to the next */
    int32_t pairs;        /* of outputs, at least one unless `single` */
    int32_t single;       /* not 0: one more output follows the pairs */
    int32_t plane_skip;   /* bytes from where a row ends to the next channel's plane */
} edgegen_planes_row;

/* Windows one or two columns apart; a row may be read three values beyond its last window. The general ones
 * take any zero point, the others one that is also the least output. */
void edgegen_depthwise_planes_nonnegative_1(const edgegen_planes_row *row);
void edgegen_depthwise_planes_nonnegative_2(const edgegen_planes_row *row);
void edgegen_depthwise_planes_general_1(const edgegen_planes_row *row);
void edgegen_depthwise_planes_general_2(const edgegen_planes_row *row);

/* A row of the image on its way to the planes of its four channels; the assembly knows these offsets. */
typedef struct {
    const int8_t *pixels;
    int32_t pixel_bytes, pairs;
    int32_t pitch;   /* bytes from plane to plane */
    int32_t padding; /* four bytes of it */
    int8_t *to;      /* the first plane, at a multiple of four bytes */
    int32_t lead;    /* not 0: padding and a pixel go before the pairs */
    int32_t tail;    /* not 0: a pixel and padding follow the pairs */
} edgegen_planes_source;

/* At least one of pairs, lead and tail is not 0. */
void edgegen_planes_load(const edgegen_planes_source *source);

#endif
