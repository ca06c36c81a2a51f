/* Rows of 3x3 depthwise windows over planes of int16, two outputs at a time; see depthwise_planes.h. */
#include "features.h"

    .syntax unified
    .thumb
    .text

/* A row of the window for two outputs. Windows one column apart share their four values; windows two columns apart
 * need five. r10, r11 values; \first, \second the words of weights. */
    .macro row_of_two row, first, second, step
    ldrd r10, r11, [\row], #4 * \step
    smlad r3, r10, \first, r3
    .if \step == 1
    smlatb r12, r10, \first, r12
    smlabt r3, r11, \second, r3
    smlad r12, r11, \second, r12
    .else
    ldr r10, [\row]
    smlabt r3, r11, \second, r3
    smlad r12, r11, \first, r12
    smlabt r12, r10, \second, r12
    .endif
    .endm

    .macro row_of_one row, first, second
    ldrd r10, r11, [\row]
    smlad r3, r10, \first, r3
    smlabt r3, r11, \second, r3
    .endm

/* r10 multiplier, r11 nudge: the rounded product plus the nudge, one less where it is negative. */
    .macro scale sum, general
    .if \general
    smmulr \sum, \sum, r10
    add \sum, \sum, \sum, asr #31
    add \sum, \sum, r11
    .else
    smmlar \sum, \sum, r10, r11
    .endif
    .endm

/* r0, r1, r2 rows; r4 to r9 weights; r3, r12 sums; r10, r11 values; lr output.
 * Frame: 0 bias, 4 multiplier, 8 nudge, 12 right, 16 output step, 20 end of the pairs, 24 records, 28 their end,
 * 32 skip to the next plane, 36 way back to the row's first output plus 1, 40 single, 44 bytes of the pairs. */
    .macro planes name, step, general
    .balign 4
    .global edgegen_depthwise_planes_\name
    .type edgegen_depthwise_planes_\name, %function
    .thumb_func
edgegen_depthwise_planes_\name:
    push {r4-r11, lr}
    sub sp, sp, #52
    ldrd r1, r2, [r0]
    strd r1, r2, [sp, #24]
    ldr lr, [r0, #20]
    ldrd r3, r4, [r0, #24]
    ldrd r5, r6, [r0, #32]
    str r3, [sp, #16]
    str r6, [sp, #32]
    str r5, [sp, #40]
    mul r4, r4, r3
    lsl r4, r4, #1
    str r4, [sp, #44]
    rsb r5, r4, #1
    str r5, [sp, #36]
    add r4, r4, lr
    str r4, [sp, #20]
    ldrd r1, r2, [r0, #12]
    ldr r0, [r0, #8]
1:
    ldr r3, [sp, #24]
    ldm r3!, {r4-r9}
    ldm r3!, {r10-r12}
    stm sp, {r10-r12}
    ldr r12, [r3], #4
    str r12, [sp, #12]
    str r3, [sp, #24]
    ldr r12, [sp, #20]
    cmp lr, r12
    beq.w 3f
2:
    ldr r3, [sp]
    mov r12, r3
    row_of_two r0, r4, r5, \step
    row_of_two r1, r6, r7, \step
    row_of_two r2, r8, r9, \step
    ldrd r10, r11, [sp, #4]
    scale r3, \general
    scale r12, \general
    ldrd r10, r11, [sp, #12]
    asr r3, r3, r10
    asr r12, r12, r10
    ssat r3, #8, r3
    ssat r12, #8, r12
    strb r3, [lr]
    strb r12, [lr, r11]
    ldr r10, [sp, #20]
    add lr, lr, r11, lsl #1
    cmp lr, r10
    bne.w 2b
3:
    ldr r3, [sp, #40]
    cbz r3, 4f
    ldr r3, [sp]
    row_of_one r0, r4, r5
    row_of_one r1, r6, r7
    row_of_one r2, r8, r9
    ldrd r10, r11, [sp, #4]
    scale r3, \general
    ldr r10, [sp, #12]
    asr r3, r3, r10
    ssat r3, #8, r3
    strb r3, [lr]
4:
    ldrd r10, r11, [sp, #32]
    add r0, r0, r10
    add r1, r1, r10
    add r2, r2, r10
    add lr, lr, r11
    ldr r10, [sp, #20]
    add r10, r10, #1
    str r10, [sp, #20]
    ldrd r10, r11, [sp, #24]
    cmp r10, r11
    bne.w 1b
    add sp, sp, #52
    pop {r4-r11, pc}
    .size edgegen_depthwise_planes_\name, . - edgegen_depthwise_planes_\name
    .endm

#if EDGEGEN_PLANES_NONNEGATIVE_1
    planes nonnegative_1, 1, 0
#endif
#if EDGEGEN_PLANES_NONNEGATIVE_2
    planes nonnegative_2, 2, 0
#endif
#if EDGEGEN_PLANES_GENERAL_1
    planes general_1, 1, 1
#endif
#if EDGEGEN_PLANES_GENERAL_2
    planes general_2, 2, 1
#endif

/* r0 next pixel; r1 bytes from pixel to pixel; r2 pairs left; r3 first plane; r8 pitch; r9 last plane; r10 padding;
 * r11 tail; r4 to r7, r12, lr halves of two pixels. */
    .balign 4
    .global edgegen_planes_load
    .type edgegen_planes_load, %function
    .thumb_func
edgegen_planes_load:
    push {r4-r11, lr}
    ldrd r8, r10, [r0, #12]
    ldr r3, [r0, #20]
    ldrd r4, r11, [r0, #24]
    ldm r0, {r0, r1, r2}
    add r9, r8, r8, lsl #1
    add r9, r9, r3
    cbz r4, 3f
    mov r4, r10
    ldr r5, [r0]
    add r0, r0, r1
    adds r2, r2, #1
    b 2f
1:
    ldr r4, [r0]
    ldr r5, [r0, r1]
    add r0, r0, r1, lsl #1
2:
    sxtb16 r6, r4
    sxtb16 r7, r5
    sxtb16 r4, r4, ror #8
    sxtb16 r5, r5, ror #8
    pkhbt r12, r4, r5, lsl #16
    pkhtb lr, r7, r6, asr #16
    pkhbt r6, r6, r7, lsl #16
    pkhtb r4, r5, r4, asr #16
    str r12, [r3, r8]
    str lr, [r3, r8, lsl #1]
    str r6, [r3], #4
    str r4, [r9], #4
    subs r2, r2, #1
    bne 1b
4:
    cmp r11, #0
    beq 5f
    movs r2, #1
    mov r11, #0
    ldr r4, [r0]
    mov r5, r10
    b 2b
5:
    pop {r4-r11, pc}
3:
    cmp r2, #0
    bne 1b
    b 4b
    .size edgegen_planes_load, . - edgegen_planes_load
