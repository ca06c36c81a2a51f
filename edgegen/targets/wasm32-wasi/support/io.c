/* A WASI preview 1 command without libc: the imports are declared by hand. */
#include <stdint.h>

#include "harness_io.h"

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

typedef struct {
    const void *data;
    uint32_t bytes;
} io_vector;

WASI(fd_read) uint32_t wasi_fd_read(uint32_t file, const io_vector *vectors, uint32_t count, uint32_t *done);
WASI(fd_write)
uint32_t wasi_fd_write(uint32_t file, const io_vector *vectors, uint32_t count, uint32_t *done);
WASI(proc_exit) __attribute__((noreturn)) void wasi_proc_exit(uint32_t code);

enum { STDIN = 0, STDOUT = 1, STDERR = 2 };

int main(void);
void _start(void);

void _start(void)
{
    harness_exit(main());
}

int harness_open(void)
{
    return 0;
}

int32_t harness_read(void *data, int32_t bytes)
{
    int32_t got = 0;
    while (got < bytes) {
        const io_vector rest = {(uint8_t *)data + got, (uint32_t)(bytes - got)};
        uint32_t more = 0;
        if (wasi_fd_read(STDIN, &rest, 1, &more) != 0) {
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
        const io_vector rest = {(const uint8_t *)data + done, (uint32_t)(bytes - done)};
        uint32_t more = 0;
        if (wasi_fd_write(STDOUT, &rest, 1, &more) != 0 || more == 0) {
            return -1;
        }
        done += (int32_t)more;
    }
    return 0;
}

void harness_message(const char *text)
{
    io_vector line = {text, 0};
    uint32_t done = 0;
    while (text[line.bytes] != 0) {
        line.bytes++;
    }
    wasi_fd_write(STDERR, &line, 1, &done);
}

void harness_exit(int code)
{
    wasi_proc_exit((uint32_t)code);
}
