/* Input and output of the harness: one implementation a target, in support/<target>/io.c.
 *
 * Bare metal reads the file vectors.bin and writes results.bin by semihosting; a program under an operating
 * system reads standard input and writes standard output. */
#ifndef HARNESS_IO_H
#define HARNESS_IO_H

#include <stdint.h>

/* Exit status of an image. */
enum {
    HARNESS_EXIT_OK = 0,
    HARNESS_EXIT_OPEN = 10,    /* vectors or results could not be opened */
    HARNESS_EXIT_READ = 11,    /* vectors could not be read */
    HARNESS_EXIT_PARTIAL = 12, /* the last vector is cut off */
    HARNESS_EXIT_INVOKE = 13,  /* the model returned an error */
    HARNESS_EXIT_WRITE = 14,   /* results could not be written */
    HARNESS_EXIT_FAULT = 112   /* the processor took a fault exception; a message says which */
};

int harness_open(void);                             /* 0, or -1 */
int32_t harness_read(void *data, int32_t bytes);    /* bytes read, fewer only at the end of the file; or -1 */
int harness_write(const void *data, int32_t bytes); /* 0, or -1 */
void harness_message(const char *text);             /* for people, not part of the results */
__attribute__((noreturn)) void harness_exit(int code);

#endif
