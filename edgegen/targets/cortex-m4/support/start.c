/* Reset, vector table and fault handlers of a Cortex-M4F. */
#include <stdint.h>

#include "harness_io.h"

extern uint32_t __stack_bottom[], __stack_top[];
extern uint32_t __data_start[], __data_end[], __data_load[];
extern uint32_t __bss_start[], __bss_end[];

int main(void);
void harness_reset(void);
void harness_start(void);
void harness_fault(void);
void harness_report_fault(const uint32_t *frame, uint32_t exception);

#define SCB_SHCSR (*(volatile uint32_t *)0xE000ED24u)
#define SCB_CFSR (*(volatile uint32_t *)0xE000ED28u)
#define SCB_HFSR (*(volatile uint32_t *)0xE000ED2Cu)
#define SCB_MMFAR (*(volatile uint32_t *)0xE000ED34u)
#define SCB_BFAR (*(volatile uint32_t *)0xE000ED38u)
#define CFSR_STACKED_TO_BAD_MEMORY 0x1010u /* STKERR, MSTKERR: the exception frame was not written */

#define MPU_TYPE (*(volatile uint32_t *)0xE000ED90u)
#define MPU_CTRL (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RNR (*(volatile uint32_t *)0xE000ED98u)
#define MPU_RBAR (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RASR (*(volatile uint32_t *)0xE000EDA0u)
#define MPU_ON_WITH_DEFAULT_MAP 5u
#define REGION_WITHOUT_ACCESS 0x10000001u /* enabled, no access, no execution */
#define LARGEST_GUARD 0x10000000u

/* In assembly, since a compiler may use floating-point registers anywhere and they must work first:
 * full access to coprocessors 10 and 11 in CPACR. */
__attribute__((naked, noreturn)) void harness_reset(void)
{
    __asm volatile("ldr r0, =0xE000ED88\n"
                   "ldr r1, [r0]\n"
                   "orr r1, r1, #0x00F00000\n"
                   "str r1, [r0]\n"
                   "dsb\n"
                   "isb\n"
                   "b harness_start\n");
}

/* Below the stack is often nothing at all, but some chips, and QEMU, ignore writes there. A region without
 * access, as large as its alignment allows, turns an overflow into a fault where there is a protection unit.
 */
static void guard_stack(void)
{
    const uint32_t bottom = (uint32_t)(uintptr_t)__stack_bottom;
    const uint32_t alignment = bottom & (0u - bottom);
    const uint32_t size = alignment < LARGEST_GUARD ? alignment : LARGEST_GUARD;
    uint32_t log2 = 0;
    while ((2u << log2) <= size) {
        log2++;
    }
    if (MPU_TYPE == 0 || log2 < 5) { /* a region has at least 32 bytes */
        return;
    }
    MPU_RNR = 0;
    MPU_RBAR = bottom - size;
    MPU_RASR = REGION_WITHOUT_ACCESS | (log2 - 1) << 1;
    MPU_CTRL = MPU_ON_WITH_DEFAULT_MAP;
    __asm volatile("dsb\n isb" ::: "memory");
}

__attribute__((used, noreturn)) void harness_start(void)
{
    const uint32_t *load = __data_load;
    for (uint32_t *word = __data_start; word < __data_end; word++) {
        *word = *load++;
    }
    for (uint32_t *word = __bss_start; word < __bss_end; word++) {
        *word = 0;
    }
    SCB_SHCSR |= 7u << 16; /* MemManage, BusFault and UsageFault get handlers of their own */
    guard_stack();
    harness_exit(main());
}

/* The stack pointer may be what is broken: remember it, and go on with a whole stack. */
__attribute__((naked, noreturn)) void harness_fault(void)
{
    __asm volatile("mov r0, sp\n"
                   "mrs r1, ipsr\n"
                   "ldr r2, =__stack_top\n"
                   "mov sp, r2\n"
                   "b harness_report_fault\n");
}

static void message_hex(const char *label, uint32_t value)
{
    char text[9];
    for (int i = 0; i < 8; i++) {
        text[i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 15u];
    }
    text[8] = 0;
    harness_message(label);
    harness_message(text);
}

__attribute__((used, noreturn)) void harness_report_fault(const uint32_t *frame, uint32_t exception)
{
    static const char *const names[] = {"HardFault", "MemManage", "BusFault", "UsageFault"};
    const uint32_t status = SCB_CFSR;
    harness_message("fault: ");
    harness_message(exception >= 3 && exception <= 6 ? names[exception - 3] : "unexpected exception");
    if ((status & CFSR_STACKED_TO_BAD_MEMORY) == 0) {
        message_hex(" pc=0x", frame[6]);
    } else {
        message_hex(" stack overflow, sp=0x", (uint32_t)(uintptr_t)frame);
    }
    message_hex(" cfsr=0x", status);
    message_hex(" hfsr=0x", SCB_HFSR);
    if ((status & 0x80u) != 0) {
        message_hex(" address=0x", SCB_MMFAR);
    }
    if ((status & 0x8000u) != 0) {
        message_hex(" address=0x", SCB_BFAR);
    }
    harness_message("\n");
    harness_exit(HARNESS_EXIT_FAULT);
}

typedef void (*handler)(void);

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler handlers[15];
} vectors = {__stack_top,
             {harness_reset, harness_fault, harness_fault, harness_fault, harness_fault, harness_fault,
              harness_fault, harness_fault, harness_fault, harness_fault, harness_fault, harness_fault,
              harness_fault, harness_fault, harness_fault}};
