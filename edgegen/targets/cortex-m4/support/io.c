/* Files and messages by Arm semihosting: a debugger or an emulator answers breakpoint 0xAB. */
#include <stdint.h>

#include "harness_io.h"

enum { SYS_OPEN = 0x01, SYS_WRITE0 = 0x04, SYS_WRITE = 0x05, SYS_READ = 0x06, SYS_EXIT_EXTENDED = 0x20 };
enum { MODE_READ_BINARY = 1, MODE_WRITE_BINARY = 5 };
#define STOPPED_APPLICATION_EXIT 0x20026u

static int32_t vectors_file, results_file;

static int32_t semihost(int32_t operation, const void *argument)
{
    register int32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static int32_t open_file(const char *name, uint32_t length, uint32_t mode)
{
    const uint32_t arguments[3] = {(uint32_t)(uintptr_t)name, mode, length};
    return semihost(SYS_OPEN, arguments);
}

int harness_open(void)
{
    vectors_file = open_file("vectors.bin", 11, MODE_READ_BINARY);
    results_file = open_file("results.bin", 11, MODE_WRITE_BINARY);
    return vectors_file < 0 || results_file < 0 ? -1 : 0;
}

int32_t harness_read(void *data, int32_t bytes)
{
    const uint32_t arguments[3] = {(uint32_t)vectors_file, (uint32_t)(uintptr_t)data, (uint32_t)bytes};
    return bytes - semihost(SYS_READ, arguments); /* the answer is the number of bytes not read */
}

int harness_write(const void *data, int32_t bytes)
{
    const uint32_t arguments[3] = {(uint32_t)results_file, (uint32_t)(uintptr_t)data, (uint32_t)bytes};
    return semihost(SYS_WRITE, arguments) == 0 ? 0 : -1;
}

void harness_message(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void harness_exit(int code)
{
    const uint32_t arguments[2] = {STOPPED_APPLICATION_EXIT, (uint32_t)code};
    semihost(SYS_EXIT_EXTENDED, arguments);
    for (;;) {
    }
}
