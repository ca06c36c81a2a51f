/* Feeds vectors to a model and writes what comes back, so that an emulator or a board can be compared with a
 * reference. Not part of the model: an application calls the model's own header.
 *
 * The vectors are plain input tensors, one after the other; the results are plain output tensors.
 *
 * "harness_config.h" is generated and says which model this is:
 *   its own #includes           the model's header
 *   HARNESS_INPUT_SIZE          bytes of one input vector
 *   HARNESS_OUTPUT_SIZE         bytes of one output vector
 *   HARNESS_INVOKE(in, out)     runs the model on two int8_t pointers; 0 is success
 *   HARNESS_RESET()             puts the model's state to its start; called before every vector. May be
 * empty. HARNESS_TRACE               only in a trace build: name of the hook void HARNESS_TRACE(int32_t
 * layer, const void *data, int32_t bytes) that the model calls after every layer. The results are then
 * records (layer, bytes, both int32 little endian; data), the output as layer -1. */
#include <stdint.h>

#include "harness_config.h"
#include "harness_io.h"

#if defined(__wasm__) /* an emulator cannot watch addresses there, and calls these instead */
#define EXPORT(name) __attribute__((noinline, export_name(#name)))
#else
#define EXPORT(name) __attribute__((noinline))
#endif

#define OUTPUT_LAYER (-1)

static int8_t harness_input[HARNESS_INPUT_SIZE] __attribute__((aligned(16)));
static int8_t harness_output[HARNESS_OUTPUT_SIZE] __attribute__((aligned(16)));

int harness_invoke(void);
void harness_restart(void);
void harness_mark_begin(void);
void harness_mark_end(void);

/* Emulators count instructions, cycles and stack from the entry of the first to the entry of the second mark.
 * The assembler comments differ so that no compiler folds the two into one. */
__attribute__((noinline)) void harness_mark_begin(void)
{
    __asm volatile("/* begin */" ::: "memory");
}

__attribute__((noinline)) void harness_mark_end(void)
{
    __asm volatile("/* end */" ::: "memory");
}

EXPORT(harness_restart) void harness_restart(void)
{
    HARNESS_RESET();
}

EXPORT(harness_invoke) int harness_invoke(void)
{
    harness_mark_begin();
    const int status = HARNESS_INVOKE(harness_input, harness_output);
    harness_mark_end();
    return status;
}

#if defined(__wasm__)
int8_t *harness_input_address(void);
int32_t harness_input_bytes(void);

EXPORT(harness_input_address) int8_t *harness_input_address(void)
{
    return harness_input;
}

EXPORT(harness_input_bytes) int32_t harness_input_bytes(void)
{
    return HARNESS_INPUT_SIZE;
}
#endif

#if defined(HARNESS_TRACE)
static void put_le32(uint8_t *to, int32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)((uint32_t)value >> (8 * i));
    }
}

void HARNESS_TRACE(int32_t layer, const void *data, int32_t bytes);

void HARNESS_TRACE(int32_t layer, const void *data, int32_t bytes)
{
    uint8_t head[8];
    put_le32(head, layer);
    put_le32(head + 4, bytes);
    if (harness_write(head, 8) != 0 || harness_write(data, bytes) != 0) {
        harness_exit(HARNESS_EXIT_WRITE);
    }
}

static int write_output(void)
{
    HARNESS_TRACE(OUTPUT_LAYER, harness_output, HARNESS_OUTPUT_SIZE);
    return 0;
}
#else
static int write_output(void)
{
    return harness_write(harness_output, HARNESS_OUTPUT_SIZE);
}
#endif

static int run_vectors(void)
{
    for (;;) {
        const int32_t got = harness_read(harness_input, HARNESS_INPUT_SIZE);
        if (got == 0) {
            return HARNESS_EXIT_OK;
        }
        if (got < 0) {
            return HARNESS_EXIT_READ;
        }
        if (got < HARNESS_INPUT_SIZE) {
            return HARNESS_EXIT_PARTIAL;
        }
        harness_restart();
        if (harness_invoke() != 0) {
            return HARNESS_EXIT_INVOKE;
        }
        if (write_output() != 0) {
            return HARNESS_EXIT_WRITE;
        }
    }
}

int main(void)
{
    const int status = harness_open() == 0 ? run_vectors() : HARNESS_EXIT_OPEN;
    harness_exit(status);
}
