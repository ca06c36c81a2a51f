/* The standard streams of a hosted C program, in binary mode. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

#include "harness_io.h"

int harness_open(void)
{
#if defined(_WIN32)
    if (_setmode(_fileno(stdin), _O_BINARY) < 0 || _setmode(_fileno(stdout), _O_BINARY) < 0) {
        return -1;
    }
#endif
    return 0;
}

int32_t harness_read(void *data, int32_t bytes)
{
    const size_t got = fread(data, 1, (size_t)bytes, stdin);
    return ferror(stdin) ? -1 : (int32_t)got;
}

int harness_write(const void *data, int32_t bytes)
{
    return fwrite(data, 1, (size_t)bytes, stdout) == (size_t)bytes ? 0 : -1;
}

void harness_message(const char *text)
{
    fputs(text, stderr);
}

void harness_exit(int code)
{
    if (fflush(stdout) != 0 && code == HARNESS_EXIT_OK) {
        code = HARNESS_EXIT_WRITE;
    }
    exit(code);
}
