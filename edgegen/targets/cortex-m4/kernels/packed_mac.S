/* Inner products of packed pairs of int8 weights; see packed_mac.h for the layout.
 *
 * A halfword h = 256 * a + b holds the weights of two output channels. SMLAD with h sums H = 256 * A + B, SMLAD
 * with SXTB16(h) sums B, and A = (H - B) / 256. Exact as long as H fits 32 bits, which the packing proves.
 * Only LDRD with its base aligned to words is used, so unaligned data never reaches it.
 */
#include "features.h"

    .syntax unified
    .thumb
    .text

#if EDGEGEN_BLOCK_EXACT
/* r0, r1 activations of position 0 and 1; r2, r3 weights of channels (0, 1) and (2, 3); r12 columns; lr weights;
 * r4, r5 H of (0, 1) at position 0, 1; r6, r7 H of (2, 3); r8, r9 B of (0, 1); r10, r11 B of (2, 3). */
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

    .balign 4
    .global edgegen_packed_mac_4x2
    .type edgegen_packed_mac_4x2, %function
    .thumb_func
edgegen_packed_mac_4x2:
    push {r3-r11, lr}
    mov lr, r0
    mov r12, r1
    add r0, r1, r2, lsl #5 /* the end of the columns: 32 bytes a group */
    push {r0, r1}
    movs r4, #0
    movs r5, #0
    movs r6, #0
    movs r7, #0
    mov r8, r4
    mov r9, r4
    mov r10, r4
    mov r11, r4
1:
    step_4x2
    step_4x2
    step_4x2
    step_4x2
    ldr r0, [sp]
    cmp r12, r0
    bne 1b
    add sp, sp, #8
    pop {r3}
    sub r4, r4, r8
    sub r5, r5, r9
    sub r6, r6, r10
    sub r7, r7, r11
    asr r4, r4, #8
    asr r5, r5, #8
    asr r6, r6, #8
    asr r7, r7, #8
    str r4, [r3]
    str r5, [r3, #4]
    str r8, [r3, #8]
    str r9, [r3, #12]
    str r6, [r3, #16]
    str r7, [r3, #20]
    str r10, [r3, #24]
    str r11, [r3, #28]
    pop {r4-r11, pc}
    .size edgegen_packed_mac_4x2, . - edgegen_packed_mac_4x2
#endif

#if EDGEGEN_DENSE_EXACT
/* r0 activations; r2, r3 weights; r4 H of (0, 1); r5 H of (2, 3); r6 B of (0, 1); r7 B of (2, 3). */
    .macro step_4x1
    ldr r0, [r1], #4
    ldrd r2, r3, [r12], #8
    smlad r4, r0, r2, r4
    smlad r5, r0, r3, r5
    sxtb16 r2, r2
    sxtb16 r3, r3
    smlad r6, r0, r2, r6
    smlad r7, r0, r3, r7
    .endm

    .balign 4
    .global edgegen_packed_mac_4x1
    .type edgegen_packed_mac_4x1, %function
    .thumb_func
edgegen_packed_mac_4x1:
    push {r3-r7, lr}
    mov r12, r0
    mov lr, r2
    movs r4, #0
    movs r5, #0
    movs r6, #0
    movs r7, #0
1:
    step_4x1
    step_4x1
    step_4x1
    step_4x1
    subs lr, lr, #1
    bne 1b
    pop {r3}
    sub r4, r4, r6
    sub r5, r5, r7
    asr r4, r4, #8
    asr r5, r5, #8
    str r4, [r3]
    str r6, [r3, #4]
    str r5, [r3, #8]
    str r7, [r3, #12]
    pop {r4-r7, pc}
    .size edgegen_packed_mac_4x1, . - edgegen_packed_mac_4x1
#endif
