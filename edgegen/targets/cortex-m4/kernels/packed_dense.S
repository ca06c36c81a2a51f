/* Blocks of four outputs of one position by packed weights; see packed_dense.h, packed_block.S and packed_mac.S. */
#include "features.h"

    .syntax unified
    .thumb
    .text

    .macro two_steps_4x1 direct
    ldm r12!, {r2, r3, r8, r9}
    .if \direct
    ldr r0, [r11], #4
    sxtb16 r1, r0, ror #8
    sxtb16 r0, r0
    .else
    ldrd r0, r1, [r11], #8
    .endif
    smlad r4, r0, r2, r4
    smlad r5, r0, r3, r5
    smlad r4, r1, r8, r4
    smlad r5, r1, r9, r5
    sxtb16 r2, r2
    sxtb16 r3, r3
    sxtb16 r8, r8
    sxtb16 r9, r9
    smlad r6, r0, r2, r6
    smlad r7, r0, r3, r7
    smlad r6, r1, r8, r6
    smlad r7, r1, r9, r7
    .endm

    .macro requantize1 a, twice, i, nonnegative
    ldr r0, [r8], #4
    ldr r2, [r1, #4 * \i]
    ldrsb r3, [r1, #16 + \i]
    add \a, r0, \a, \twice
    lsl r0, r9, r3
    .if \nonnegative == 0
    add r0, r0, \a, asr #31
    .endif
    smmlar \a, \a, r2, r0
    asr \a, \a, r3
    ssat \a, #8, \a, asr #1
    .endm

    .macro requantize_all_1 nonnegative
    requantize1 r4, "asr #7", 0, \nonnegative
    requantize1 r6, "lsl #1", 1, \nonnegative
    requantize1 r5, "asr #7", 2, \nonnegative
    requantize1 r7, "lsl #1", 3, \nonnegative
    .endm

/* r0, r1 activations; r2, r3, r8, r9 weights; r4 H of channels (0, 1), r5 of (2, 3); r6 B of (0, 1), r7 of (2, 3);
 * r10 end of the column; r11 column; r12 weights; lr blocks left. Then r1 scales, r8 biases, r9 odd, r11 output.
 * Frame: 0 biases, 4 odd, 8 scales, 12 bytes from scales to scales, 16 column, 20 output. */
    .macro packed_dense name, direct
    .balign 4
    .global edgegen_packed_dense_\name
    .type edgegen_packed_dense_\name, %function
    .thumb_func
edgegen_packed_dense_\name:
    push {r4-r11, lr}
    sub sp, sp, #28
    ldrd r12, r8, [r0]
    ldrd r4, r5, [r0, #8]
    ldrd r9, r10, [r0, #16]
    ldr lr, [r0, #24]
    strd r8, r9, [sp]
    strd r4, r5, [sp, #8]
    strd r1, r2, [sp, #16]
    add r10, r10, r1
1:
    ldr r11, [sp, #16]
    movs r4, #0
    movs r5, #0
    movs r6, #0
    movs r7, #0
2:
    two_steps_4x1 \direct
    two_steps_4x1 \direct
    cmp r11, r10
    bne 2b
    ldrd r8, r9, [sp]
    ldr r1, [sp, #8]
    sub r4, r4, r6
    sub r5, r5, r7
#if EDGEGEN_DENSE_GENERAL && EDGEGEN_DENSE_NONNEGATIVE
    cmn r9, #255
    bne 5f
#endif
#if EDGEGEN_DENSE_NONNEGATIVE
    requantize_all_1 1
4:
#else
    requantize_all_1 0
#endif
    ldr r0, [sp, #12]
    ldr r11, [sp, #20]
    add r1, r1, r0
    str r8, [sp]
    str r1, [sp, #8]
    bfi r4, r6, #8, #8
    bfi r4, r5, #16, #8
    bfi r4, r7, #24, #8
    str r4, [r11], #4
    str r11, [sp, #20]
    subs lr, lr, #1
    bne.w 1b
    add sp, sp, #28
    pop {r4-r11, pc}
#if EDGEGEN_DENSE_GENERAL && EDGEGEN_DENSE_NONNEGATIVE
5:
    requantize_all_1 0
    b 4b
#endif
    .size edgegen_packed_dense_\name, . - edgegen_packed_dense_\name
    .endm

#if EDGEGEN_DENSE_COLUMN
    packed_dense column, 0
#endif
#if EDGEGEN_DENSE_DIRECT
    packed_dense direct, 1
#endif
