/* Requantisation of vectors, bit for bit that of fixed_point.h. */
#ifndef EDGEGEN_SIMD_H
#define EDGEGEN_SIMD_H

#include <stdint.h>
#include <wasm_simd128.h>

#include "fixed_point.h"

/* Four sums with the multipliers and shifts that stand there, plus the zero point, clamped. */
static inline v128_t edgegen_requantize4(v128_t sums, const int32_t *multiplier, const int32_t *shift,
                                         int32_t offset, int32_t least, int32_t most)
{
    int32_t out[4];
    wasm_v128_store(out, sums);
    for (int32_t i = 0; i < 4; ++i) {
        out[i] = edgegen_requantize(out[i], multiplier[i], shift[i]);
    }
    const v128_t moved = wasm_i32x4_add(wasm_v128_load(out), wasm_i32x4_splat(offset));
    return wasm_i32x4_min(wasm_i32x4_max(moved, wasm_i32x4_splat(least)), wasm_i32x4_splat(most));
}

#endif
