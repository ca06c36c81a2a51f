#include "unidirectional_sequence_lstm.h"

#include "curve16.h"
#include "fixed_point.h"

enum { INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE };

static int32_t saturated16(int32_t x)
{
    return edgegen_clamp(x, INT16_MIN, INT16_MAX);
}

static int32_t product(const int8_t *x, int32_t offset, const int8_t *weights, int32_t count)
{
    uint32_t sum = 0; /* modulo 2^32, whatever the weights */
    for (int32_t i = 0; i < count; ++i) {
        sum += (uint32_t)((x[i] + offset) * weights[i]);
    }
    return (int32_t)sum;
}

/* One unit of one gate before its squashing, Q3.12. */
static int32_t gate_sum(const edgegen_unidirectional_sequence_lstm_params *p, int32_t gate, int32_t unit,
                        const int8_t *input, const int8_t *hidden)
{
    const int32_t row = gate * p->units + unit;
    const int32_t direct = product(input, p->input_offset, p->input_weights + row * p->features, p->features);
    const int32_t fed_back =
        product(hidden, p->hidden_offset, p->recurrent_weights + row * p->units, p->units);
    const int32_t biased = edgegen_wrap32((int64_t)direct + p->bias[row]);
    const int32_t a = edgegen_requantize(biased, p->input_multiplier[gate], p->input_shift[gate]);
    const int32_t b = edgegen_requantize(fed_back, p->recurrent_multiplier[gate], p->recurrent_shift[gate]);
    return saturated16(saturated16(a) + saturated16(b));
}

static void gates_of(const edgegen_unidirectional_sequence_lstm_params *p, const int8_t *input,
                     const int8_t *hidden, int16_t *gates)
{
    for (int32_t gate = INPUT_GATE; gate <= OUTPUT_GATE; ++gate) {
        for (int32_t unit = 0; unit < p->units; ++unit) {
            const int32_t x = 3 * gate_sum(p, gate, unit, input, hidden);
            *gates++ =
                gate == CELL_GATE ? edgegen_curve16_tanh(p->table, x) : edgegen_curve16_logistic(p->table, x);
        }
    }
}

static void update(const edgegen_unidirectional_sequence_lstm_params *p, const int16_t *gates, int8_t *hidden,
                   int16_t *cell)
{
    for (int32_t unit = 0; unit < p->units; ++unit) {
        const int16_t *gate = gates + unit;
        const int32_t forgetting = gate[FORGET_GATE * p->units];
        const int32_t entering = gate[INPUT_GATE * p->units] * gate[CELL_GATE * p->units];
        const int32_t kept =
            edgegen_requantize(forgetting * cell[unit], p->forget_multiplier, p->forget_shift);
        const int32_t added = edgegen_requantize(entering, p->update_multiplier, p->update_shift);
        int32_t state = saturated16(saturated16(kept) + saturated16(added));
        if (p->cell_clip > 0) {
            state = edgegen_clamp(state, -p->cell_clip, p->cell_clip);
        }
        cell[unit] = (int16_t)state;
        const int32_t x = edgegen_curve16_input(state, p->tanh_multiplier, p->tanh_shift);
        const int32_t leaving = edgegen_curve16_tanh(p->table, x) * gate[OUTPUT_GATE * p->units];
        const int32_t out = edgegen_requantize(leaving, p->hidden_multiplier, p->hidden_shift);
        hidden[unit] =
            (int8_t)edgegen_clamp(edgegen_wrap32((int64_t)out - p->hidden_offset), INT8_MIN, INT8_MAX);
    }
}

void edgegen_unidirectional_sequence_lstm(const edgegen_unidirectional_sequence_lstm_params *p,
                                          const int8_t *input, int8_t *hidden, int16_t *cell, int8_t *output,
                                          void *scratch)
{
    int16_t *gates = (int16_t *)scratch;
    for (int32_t batch = 0; batch < p->batch; ++batch) {
        for (int32_t step = 0; step < p->steps; ++step) {
            const int32_t row = batch * p->batch_stride + step * p->step_stride;
            gates_of(p, input + row * p->features, hidden, gates);
            update(p, gates, hidden, cell);
            for (int32_t unit = 0; unit < p->units; ++unit) {
                output[row * p->units + unit] = hidden[unit];
            }
        }
        hidden += p->units;
        cell += p->units;
    }
}
