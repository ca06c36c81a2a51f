/* Collects what a model's trace hook reports, on the machine that edgegen runs on: the same records as those
 * of a trace image, (layer, bytes, both int32; data), one after the other in a buffer.
 *
 * COLLECT_HOOK is the name of the hook, as kws_trace. */
#include <stdint.h>

void harness_collect(void *buffer, int64_t bytes);
int64_t harness_collected(void);
void COLLECT_HOOK(int32_t layer, const void *data, int32_t bytes);

static uint8_t *harness_buffer;
static int64_t harness_room;
static int64_t harness_used;

/* Starts anew. Records beyond the room are counted but not kept. */
void harness_collect(void *buffer, int64_t bytes)
{
    harness_buffer = (uint8_t *)buffer;
    harness_room = bytes;
    harness_used = 0;
}

/* Bytes of all records since the start. */
int64_t harness_collected(void)
{
    return harness_used;
}

static void append(const void *data, int32_t bytes)
{
    const uint8_t *from = (const uint8_t *)data;
    for (int32_t i = 0; i < bytes; i++, harness_used++) {
        if (harness_used < harness_room) {
            harness_buffer[harness_used] = from[i];
        }
    }
}

void COLLECT_HOOK(int32_t layer, const void *data, int32_t bytes)
{
    append(&layer, (int32_t)sizeof layer);
    append(&bytes, (int32_t)sizeof bytes);
    append(data, bytes);
}
