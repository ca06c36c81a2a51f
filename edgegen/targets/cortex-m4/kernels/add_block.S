/* Elementwise sums; see add_block.h. */
    .syntax unified
    .thumb
    .text

/* r0 wide operand, r1 fine operand, r2 output; r3 wide_offset, r4 fine_offset; r5 fine_multiplier, r6 fine_nudge,
 * r7 fine_right; r8 multiplier, r9 nudge, r10 right; r11, r12 twice the terms; lr a nudge, one less if negative. */
    .macro element
    ldrsb r11, [r0], #1
    ldrsb r12, [r1], #1
    add r11, r3, r11, lsl #20
    add r12, r4, r12, lsl #21
    add lr, r6, r12, asr #31
    smmlar r12, r12, r5, lr
    asr r12, r12, r7
    add r11, r11, r12, lsl #1
    add lr, r9, r11, asr #31
    smmlar r11, r11, r8, lr
    asr r11, r11, r10
    ssat r11, #8, r11
    strb r11, [r2], #1
    .endm

/* Frame: 0 fours left, 4 elements after them. */
    .balign 4
    .global edgegen_add_block
    .type edgegen_add_block, %function
    .thumb_func
edgegen_add_block:
    push {r4-r11, lr}
    sub sp, sp, #12
    mov lr, r0
    mov r0, r1
    mov r1, r2
    mov r2, r3
    ldr r12, [lr]
    lsr r11, r12, #2
    and r12, r12, #3
    strd r11, r12, [sp]
    ldrd r3, r4, [lr, #12]
    ldr r5, [lr, #20]
    ldrd r7, r6, [lr, #24]
    ldr r8, [lr, #36]
    ldrd r10, r9, [lr, #40]
    cmp r11, #0
    beq 2f
1:
    element
    element
    element
    element
    ldr r11, [sp]
    subs r11, r11, #1
    str r11, [sp]
    bne.w 1b
2:
    ldr r11, [sp, #4]
    subs r11, r11, #1
    bmi 3f
    str r11, [sp, #4]
    element
    b 2b
3:
    add sp, sp, #12
    pop {r4-r11, pc}
    .size edgegen_add_block, . - edgegen_add_block
