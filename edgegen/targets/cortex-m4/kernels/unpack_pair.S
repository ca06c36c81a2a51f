/* Bytes of two positions to columns; see unpack_pair.h. */
    .syntax unified
    .thumb
    .text

    .balign 4
    .global edgegen_unpack_pair
    .type edgegen_unpack_pair, %function
    .thumb_func
edgegen_unpack_pair:
    push {r4-r7}
1:
    ldr r6, [r0], #4
    ldr r7, [r1], #4
    subs r2, r2, #1
    sxtb16 r4, r6
    sxtb16 r5, r7
    sxtb16 r6, r6, ror #8
    sxtb16 r7, r7, ror #8
    stm r3!, {r4-r7}
    bne 1b
    mov r0, r3
    pop {r4-r7}
    bx lr
    .size edgegen_unpack_pair, . - edgegen_unpack_pair
