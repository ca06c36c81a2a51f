#include "svdf.h"

#include "fixed_point.h"

/* The newest result of a filter enters its memory; the oldest leaves. */
static void remember(const edgegen_svdf_params *p, int32_t filter, const int8_t *input, int16_t *memory)
{
    const int8_t *w = p->feature_weights + filter * p->features;
    uint32_t sum = 0; /* modulo 2^32, whatever the weights */
    for (int32_t i = 0; i < p->features; ++i) {
        sum += (uint32_t)((input[i] + p->input_offset) * w[i]);
    }
    for (int32_t i = 0; i + 1 < p->memory; ++i) {
        memory[i] = memory[i + 1];
    }
    const int32_t newest = edgegen_requantize((int32_t)sum, p->state_multiplier, p->state_shift);
    memory[p->memory - 1] = (int16_t)edgegen_clamp(newest, INT16_MIN, INT16_MAX);
}

static int32_t in_time(const edgegen_svdf_params *p, int32_t filter, const int16_t *memory)
{
    const int16_t *w = p->time_weights + filter * p->memory;
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->memory; ++i) {
        sum += (uint32_t)(memory[i] * w[i]);
    }
    return (int32_t)sum;
}

void edgegen_svdf(const edgegen_svdf_params *p, const int8_t *input, int16_t *state, int8_t *output)
{
    for (int32_t n = 0; n < p->batch; ++n) {
        for (int32_t unit = 0; unit < p->units; ++unit) {
            int64_t sum = p->bias ? p->bias[unit] : 0;
            for (int32_t r = 0; r < p->rank; ++r) {
                const int32_t filter = unit * p->rank + r;
                remember(p, filter, input, state);
                sum += in_time(p, filter, state);
                state += p->memory;
            }
            const int32_t acc = edgegen_wrap32(sum);
            const int32_t out = edgegen_requantize(acc, p->output_multiplier, p->output_shift);
            *output++ =
                (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out + p->output_offset), INT8_MIN, INT8_MAX);
        }
        input += p->features;
    }
}
