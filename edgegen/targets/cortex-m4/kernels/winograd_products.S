/* Products of transformed weights and windows; see winograd_products.h. */
    .syntax unified
    .thumb
    .text

/* r0, r1 windows of both tiles; r2, r3 weights of two channels at a time; r4 to r11 sums [channel][tile]. */
    .macro first_step
    ldrd r0, r1, [r12], #8
    ldrd r2, r3, [lr], #8
    smuad r4, r0, r2
    smuad r5, r1, r2
    smuad r6, r0, r3
    smuad r7, r1, r3
    ldrd r2, r3, [lr], #8
    smuad r8, r0, r2
    smuad r9, r1, r2
    smuad r10, r0, r3
    smuad r11, r1, r3
    .endm

    .macro next_step
    ldrd r0, r1, [r12], #8
    ldrd r2, r3, [lr], #8
    smlad r4, r0, r2, r4
    smlad r5, r1, r2, r5
    smlad r6, r0, r3, r6
    smlad r7, r1, r3, r7
    ldrd r2, r3, [lr], #8
    smlad r8, r0, r2, r8
    smlad r9, r1, r2, r9
    smlad r10, r0, r3, r10
    smlad r11, r1, r3, r11
    .endm

/* r12 windows; lr weights. Frame: 0 end of a place's windows, 4 sums, 8 bytes of a place's windows, 12 end of the
 * sums. */
    .balign 4
    .global edgegen_winograd_products
    .type edgegen_winograd_products, %function
    .thumb_func
edgegen_winograd_products:
    push {r4-r11, lr}
    sub sp, sp, #20
    mov lr, r0
    mov r12, r1
    lsl r2, r2, #3
    add r1, r1, r2
    add r0, r3, #512
    strd r1, r3, [sp]
    strd r2, r0, [sp, #8]
1:
    first_step
    next_step
    ldr r0, [sp]
    b 3f
2:
    next_step
    next_step
    ldr r0, [sp]
3:
    cmp r12, r0
    bne 2b
    ldrd r1, r2, [sp, #4]
    ldr r3, [sp, #12]
    add r0, r0, r2
    stm r1!, {r4-r11}
    strd r0, r1, [sp]
    cmp r1, r3
    bne.w 1b
    add sp, sp, #20
    pop {r4-r11, pc}
    .size edgegen_winograd_products, . - edgegen_winograd_products
