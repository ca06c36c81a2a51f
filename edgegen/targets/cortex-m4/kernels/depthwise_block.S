/* A row of 3x3 depthwise windows over four channels; see depthwise_block.h. */
    .syntax unified
    .thumb
    .text

    .macro multiply_tap
    ldrd r10, r11, [r12], #8
    sxtb16 r9, r8, ror #8
    sxtb16 r8, r8
    smlabb r4, r8, r10, r4
    smlatt r6, r8, r10, r6
    smlabb r5, r9, r11, r5
    smlatt r7, r9, r11, r7
    .endm

    .macro requantize sum
    ldmia r12!, {r8, r9, r10}
    smmulr \sum, \sum, r8
    add \sum, \sum, \sum, asr #31
    add \sum, \sum, r9
    asr \sum, \sum, r10
    ssat \sum, #8, \sum
    .endm

/* r0, r1, r2 rows; r3 bytes to the next tap; r4 to r7 sums of channels 0 to 3; r8, r9 activations of channels
 * (0, 2) and (1, 3); r10, r11 weights of the same; r12 block; lr output. Frame: 0 block, 4 step, 8 output step,
 * 12 end of the outputs. */
    .balign 4
    .global edgegen_depthwise_block_3x3
    .type edgegen_depthwise_block_3x3, %function
    .thumb_func
edgegen_depthwise_block_3x3:
    push {r4-r11, lr}
    sub sp, sp, #20
    mov lr, r1
    str r0, [sp]
    ldrd r1, r2, [r0, #152]
    ldr r3, [r0, #160]
    strd r1, r2, [sp, #4]
    str r3, [sp, #12]
    ldr r3, [r0, #148]
    ldrd r1, r2, [r0, #140]
    ldr r0, [r0, #136]
1:
    ldr r12, [sp]
    ldmia r12!, {r4, r5, r6, r7}
    ldr r8, [r0]
    multiply_tap
    ldr r8, [r0, r3]
    multiply_tap
    ldr r8, [r0, r3, lsl #1]
    multiply_tap
    ldr r8, [r1]
    multiply_tap
    ldr r8, [r1, r3]
    multiply_tap
    ldr r8, [r1, r3, lsl #1]
    multiply_tap
    ldr r8, [r2]
    multiply_tap
    ldr r8, [r2, r3]
    multiply_tap
    ldr r8, [r2, r3, lsl #1]
    multiply_tap
    requantize r4
    requantize r5
    requantize r6
    requantize r7
    bfi r4, r5, #8, #8
    bfi r4, r6, #16, #8
    bfi r4, r7, #24, #8
    str r4, [lr]
    ldrd r8, r9, [sp, #4]
    ldr r10, [sp, #12]
    add r0, r0, r8
    add r1, r1, r8
    add r2, r2, r8
    add lr, lr, r9
    cmp lr, r10
    bne.w 1b
    add sp, sp, #20
    pop {r4-r11, pc}
    .size edgegen_depthwise_block_3x3, . - edgegen_depthwise_block_3x3
