/* A Linux program without libc: entry point and raw system calls of 64-bit Arm. */
#include <stdint.h>

#include "harness_io.h"

enum { NR_READ = 63, NR_WRITE = 64, NR_EXIT = 93 };
enum { STDIN = 0, STDOUT = 1, STDERR = 2 };

int main(void);
void harness_start(void);

/* The kernel enters with sp on the argument count; the procedure call standard wants it 16-byte aligned. */
__asm(".section .text._start,\"ax\",%progbits\n"
      ".global _start\n"
      ".type _start, %function\n"
      "_start:\n"
      "mov x29, #0\n"
      "mov x30, #0\n"
      "mov x0, sp\n"
      "and sp, x0, #-16\n"
      "b harness_start\n"
      ".size _start, . - _start\n"
      ".text\n");

__attribute__((used, noreturn)) void harness_start(void)
{
    harness_exit(main());
}

static int64_t system_call(int64_t number, int64_t a, int64_t b, int64_t c)
{
    register int64_t x8 __asm("x8") = number;
    register int64_t x0 __asm("x0") = a;
    register int64_t x1 __asm("x1") = b;
    register int64_t x2 __asm("x2") = c;
    __asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}

int harness_open(void)
{
    return 0;
}

int32_t harness_read(void *data, int32_t bytes)
{
    int32_t got = 0;
    while (got < bytes) {
        const int64_t more = system_call(NR_READ, STDIN, (int64_t)((uint8_t *)data + got), bytes - got);
        if (more < 0) {
            return -1;
        }
        if (more == 0) {
            break;
        }
        got += (int32_t)more;
    }
    return got;
}

int harness_write(const void *data, int32_t bytes)
{
    int32_t done = 0;
    while (done < bytes) {
        const int64_t more =
            system_call(NR_WRITE, STDOUT, (int64_t)((const uint8_t *)data + done), bytes - done);
        if (more <= 0) {
            return -1;
        }
        done += (int32_t)more;
    }
    return 0;
}

void harness_message(const char *text)
{
    int64_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    system_call(NR_WRITE, STDERR, (int64_t)text, length);
}

void harness_exit(int code)
{
    for (;;) {
        system_call(NR_EXIT, code, 0, 0);
    }
}
