/* A QEMU plugin that counts the blocks executed between the two marks of the harness.
 *
 *     -plugin qemu_counter.so,begin=<address>,end=<address>,out=<file>,wide=<0 or 1>
 *
 * For every invocation the file gets lines "address size count taken" and then "end". The prototypes are
 * declared here because distributions ship QEMU without its plugin header (interface version 1, documented in
 * "QEMU TCG Plugins"). */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct qemu_info qemu_info;

PUBLIC int qemu_plugin_version = 1;
PUBLIC int qemu_plugin_install(plugin_id id, const qemu_info *info, int argc, char **argv);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*translated)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*executed)(unsigned, void *),
                                          int flags, void *user);

typedef struct block {
    uint64_t address, size, count, taken;
    struct block *next;
} block;

static block *blocks;
static block *last;
static int counting, wide;
static uint64_t begin_address, end_address;
static FILE *out;

static void report(void)
{
    for (const block *b = blocks; b != NULL; b = b->next) {
        if (b->count != 0) {
            fprintf(out, "%" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", b->address, b->size, b->count,
                    b->taken);
        }
    }
    fprintf(out, "end\n");
    fflush(out);
}

static void start_counting(void)
{
    for (block *b = blocks; b != NULL; b = b->next) {
        b->count = b->taken = 0;
    }
    last = NULL;
    counting = 1;
}

static void executed(unsigned cpu, void *user)
{
    block *b = user;
    (void)cpu;
    if (b->address == begin_address) {
        start_counting();
    }
    if (!counting) {
        return;
    }
    if (last != NULL && last->address + last->size != b->address) {
        last->taken++;
    }
    if (b->address == end_address) {
        counting = 0;
        report();
        return;
    }
    b->count++;
    last = b;
}

/* Not qemu_plugin_insn_size(): it is 2 too large before a 4-byte instruction that straddles a page.
 * Thumb instructions whose first half-word starts with 0b11101, 0b11110 or 0b11111 have four bytes. */
static uint64_t last_size(const struct qemu_plugin_insn *instruction)
{
    uint16_t first_half;
    memcpy(&first_half, qemu_plugin_insn_data(instruction), sizeof first_half);
    return wide || (first_half >> 11) >= 0x1d ? 4 : 2;
}

static block *find(uint64_t address, uint64_t size)
{
    for (block *b = blocks; b != NULL; b = b->next) {
        if (b->address == address && b->size == size) {
            return b;
        }
    }
    block *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        abort();
    }
    fresh->address = address;
    fresh->size = size;
    fresh->next = blocks;
    blocks = fresh;
    return fresh;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    const struct qemu_plugin_insn *end = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
    const uint64_t address = qemu_plugin_tb_vaddr(tb);
    (void)id;
    block *b = find(address, qemu_plugin_insn_vaddr(end) + last_size(end) - address);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, 0, b);
}

static const char *argument(int argc, char **argv, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') {
            return argv[i] + length + 1;
        }
    }
    return "";
}

PUBLIC int qemu_plugin_install(plugin_id id, const qemu_info *info, int argc, char **argv)
{
    (void)info;
    begin_address = strtoull(argument(argc, argv, "begin"), NULL, 16);
    end_address = strtoull(argument(argc, argv, "end"), NULL, 16);
    wide = atoi(argument(argc, argv, "wide"));
    out = fopen(argument(argc, argv, "out"), "w");
    if (out == NULL) {
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
