#include "add_run.h"

#include "neon.h"

/* An operand's scale, its offset in the same vector registers. */
typedef struct {
    edgegen_scale4 scale;
    int32x4_t offset;
} operand;

static inline operand operand_of(int32_t offset, int32_t multiplier, int32_t shift)
{
    const int32_t multipliers[4] = {multiplier, multiplier, multiplier, multiplier};
    const int32_t shifts[4] = {shift, shift, shift, shift};
    const operand made = {edgegen_load_scale4(multipliers, shifts), vdupq_n_s32(offset)};
    return made;
}

static inline int32x4_t rescaled4(int16x4_t x, const operand *by, int32x4_t left_shift)
{
    return edgegen_rescale4(vshlq_s32(vaddw_s16(by->offset, x), left_shift), by->scale);
}

void edgegen_add_run(const edgegen_add_params *p, const int8_t *first, const int8_t *second, int32_t count,
                     int8_t *output)
{
    const operand a = operand_of(p->first_offset, p->first_multiplier, p->first_shift);
    const operand b = operand_of(p->second_offset, p->second_multiplier, p->second_shift);
    const operand out = operand_of(0, p->output_multiplier, p->output_shift);
    const edgegen_output4 range = edgegen_output_range4(p->output_offset, p->clamp_min, p->clamp_max);
    const int32x4_t left = vdupq_n_s32(p->left_shift), sign = vdupq_n_s32(p->sign);
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const int16x8_t x = vmovl_s8(vld1_s8(first + i)), y = vmovl_s8(vld1_s8(second + i));
        const int32x4_t low =
            vmlaq_s32(rescaled4(vget_low_s16(x), &a, left), rescaled4(vget_low_s16(y), &b, left), sign);
        const int32x4_t high =
            vmlaq_s32(rescaled4(vget_high_s16(x), &a, left), rescaled4(vget_high_s16(y), &b, left), sign);
        vst1_s8(output + i, edgegen_bytes8(edgegen_requantize4(low, out.scale, range),
                                           edgegen_requantize4(high, out.scale, range)));
    }
    for (; i < count; ++i) {
        output[i] = edgegen_add_one(p, first[i], second[i]);
    }
}
