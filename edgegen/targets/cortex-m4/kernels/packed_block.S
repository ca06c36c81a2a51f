/* Blocks of four output channels by packed weights, with their requantisation; see packed_block.h and
 * packed_mac.S for the arithmetic of the packed halves. */
#include "features.h"

    .syntax unified
    .thumb
    .text

/* r12 records of the block, lr odd. Sums \a and \b of channel \i become bytes: twice the sum plus twice the bias,
 * times the multiplier and rounded, one less if negative, plus the zero point, halved once in ssat after the other
 * halvings. Where the zero point is the least byte a negative sum ends there anyway, so that \nonnegative
 * leaves out its correction. */
    .macro requantize2 a, b, twice, i, nonnegative
    ldrd r0, r1, [r12, #8 * \i]
    ldrsb r2, [r12, #32 + \i]
    add \a, r0, \a, \twice
    add \b, r0, \b, \twice
    lsl r3, lr, r2
    .if \nonnegative
    smmlar \a, \a, r1, r3
    smmlar \b, \b, r1, r3
    .else
    add r0, r3, \a, asr #31
    add r3, r3, \b, asr #31
    smmlar \a, \a, r1, r0
    smmlar \b, \b, r1, r3
    .endif
    asr \a, \a, r2
    asr \b, \b, r2
    ssat \a, #8, \a, asr #1
    ssat \b, #8, \b, asr #1
    .endm

    .macro requantize_all_2 nonnegative
    requantize2 r4, r5, "asr #7", 0, \nonnegative
    requantize2 r8, r9, "lsl #1", 1, \nonnegative
    requantize2 r6, r7, "asr #7", 2, \nonnegative
    requantize2 r10, r11, "lsl #1", 3, \nonnegative
    .endm

    .macro first_step_4x2
    ldrd r0, r1, [r12], #8
    ldrd r2, r3, [lr], #8
    smuad r4, r0, r2
    smuad r5, r1, r2
    smuad r6, r0, r3
    smuad r7, r1, r3
    sxtb16 r2, r2
    sxtb16 r3, r3
    smuad r8, r0, r2
    smuad r9, r1, r2
    smuad r10, r0, r3
    smuad r11, r1, r3
    .endm

    .macro step_4x2
    ldrd r0, r1, [r12], #8
    ldrd r2, r3, [lr], #8
    smlad r4, r0, r2, r4
    smlad r5, r1, r2, r5
    smlad r6, r0, r3, r6
    smlad r7, r1, r3, r7
    sxtb16 r2, r2
    sxtb16 r3, r3
    smlad r8, r0, r2, r8
    smlad r9, r1, r2, r9
    smlad r10, r0, r3, r10
    smlad r11, r1, r3, r11
    .endm

/* Frame: 0 end of the columns, 4 columns, 8 records, 12 odd, 16 end of first, 20 first, 24 second, 28 weights,
 * 32 not 0 if the groups are even in number: after the first one, the unrolled loop then begins with half a pass.
 * Registers of the inner loop: r0, r1 activations of two positions; r2, r3 weights; r12 columns; lr weights;
 * r4, r5 H of channels (0, 1); r6, r7 H of (2, 3); r8, r9 B of (0, 1); r10, r11 B of (2, 3). */
    .balign 4
    .global edgegen_packed_block_4x2
    .type edgegen_packed_block_4x2, %function
    .thumb_func
edgegen_packed_block_4x2:
    push {r4-r11, lr}
    sub sp, sp, #36
    strd r2, r3, [sp, #20]
    ldrd lr, r4, [r0]
    ldrd r5, r6, [r0, #8]
    ldr r7, [r0, #16]
    add r6, r1, r6, lsl #1
    strd r6, r1, [sp]
    strd r4, r5, [sp, #8]
    add r7, r2, r7, lsl #2
    str r7, [sp, #16]
    sub r6, r6, r1
    mvn r6, r6
    and r6, r6, #32
    str r6, [sp, #32]
1:
    ldr r12, [sp, #4]
    first_step_4x2
    step_4x2
    step_4x2
    step_4x2
    ldr r0, [sp]
    cmp r12, r0
    beq.w 4f
    ldr r0, [sp, #32]
    cmp r0, #0
    bne.w 3f
2:
    step_4x2
    step_4x2
    step_4x2
    step_4x2
3:
    step_4x2
    step_4x2
    step_4x2
    step_4x2
    ldr r0, [sp]
    cmp r12, r0
    bne.w 2b
4:
    str lr, [sp, #28]
    ldrd r12, lr, [sp, #8]
    sub r4, r4, r8
    sub r5, r5, r9
    sub r6, r6, r10
    sub r7, r7, r11
#if EDGEGEN_BLOCK_GENERAL && EDGEGEN_BLOCK_NONNEGATIVE
    cmn lr, #255
    bne.w 6f
#endif
#if EDGEGEN_BLOCK_NONNEGATIVE
    requantize_all_2 1
5:
#else
    requantize_all_2 0
#endif
    add r12, r12, #36
    str r12, [sp, #8]
    ldrd r0, r1, [sp, #20]
    bfi r4, r8, #8, #8
    bfi r4, r6, #16, #8
    bfi r4, r10, #24, #8
    str r4, [r0], #4
    bfi r5, r9, #8, #8
    bfi r5, r7, #16, #8
    bfi r5, r11, #24, #8
    str r5, [r1], #4
    strd r0, r1, [sp, #20]
    ldr r2, [sp, #16]
    ldr lr, [sp, #28]
    cmp r0, r2
    bne.w 1b
    add sp, sp, #36
    pop {r4-r11, pc}
#if EDGEGEN_BLOCK_GENERAL && EDGEGEN_BLOCK_NONNEGATIVE
6:
    requantize_all_2 0
    b 5b
#endif
    .size edgegen_packed_block_4x2, . - edgegen_packed_block_4x2
