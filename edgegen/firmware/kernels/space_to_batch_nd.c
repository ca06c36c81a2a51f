#include "space_to_batch_nd.h"

#include <string.h>

/* One plane of the output: every block's pixel at (top, left), in image coordinates of the first block. */
static uint8_t *take_plane(const edgegen_space_to_batch_nd_params *p, const uint8_t *image, int32_t top,
                           int32_t left, uint8_t *output)
{
    for (int32_t row = 0; row < p->out_h; ++row) {
        const int32_t y = top + row * p->block_h;
        for (int32_t column = 0; column < p->out_w; ++column) {
            const int32_t x = left + column * p->block_w;
            if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) {
                memset(output, p->fill & 0xFF, (size_t)p->pixel);
            } else {
                memcpy(output, image + (y * p->in_w + x) * p->pixel, (size_t)p->pixel);
            }
            output += p->pixel;
        }
    }
    return output;
}

void edgegen_space_to_batch_nd(const edgegen_space_to_batch_nd_params *p, const uint8_t *input,
                               uint8_t *output)
{
    for (int32_t y = 0; y < p->block_h; ++y) {
        for (int32_t x = 0; x < p->block_w; ++x) {
            for (int32_t n = 0; n < p->batch; ++n) {
                const uint8_t *image = input + n * p->in_h * p->in_w * p->pixel;
                output = take_plane(p, image, y - p->pad_top, x - p->pad_left, output);
            }
        }
    }
}
