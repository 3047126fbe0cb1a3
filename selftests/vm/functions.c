// SPDX-License-Identifier: GPL-2.0
/*
 * functions: a plugin of QEMU that counts where instructions are executed
 *
 * usage: -plugin file=functions.so,out=FILE
 *
 * It counts how often each block of instructions is executed in the guest, from its
 * boot on, and knows nothing of what the guest counts. A process of the guest that
 * executes an instruction at FUNCTIONS_MARK, where it has mapped a page, has what was
 * executed since the last time written to FILE.0, the next time to FILE.1 and so on,
 * a line for each block:
 *
 *   ADDRESS INSTRUCTIONS
 *
 * The address is that of the first instruction of the block, which has no jump in it
 * and so belongs to one function, if that is not inlined. A block that ends early by a
 * fault counts as whole. Without KASLR the addresses are those of System.map.
 */
#include "places.h"
#include "plugin.h"

#define SLOTS		0x100000
#define PROBES		256

struct block {
	uint64_t address;
	/* Instructions: those executed, and those that are written. */
	uint64_t executed, written;
};

static struct block *blocks;
static unsigned int lost;

static struct block *find(uint64_t address)
{
	const uint64_t hash = (address * 0x9e3779b97f4a7c15) >> 44;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct block *block = &blocks[(hash + i) % SLOTS];

		if (!block->executed && !block->address)
			block->address = address;
		if (block->address == address)
			return block;
	}
	return NULL;
}

static void marked(unsigned int cpu, void *unused)
{
	FILE *file = plugin_report();
	unsigned int i;

	(void)cpu;
	(void)unused;
	if (!file)
		return;
	for (i = 0; i < SLOTS; i++) {
		struct block *block = &blocks[i];

		if (block->executed != block->written)
			fprintf(file, "%lx %lu\n", block->address,
				block->executed - block->written);
		block->written = block->executed;
	}
	if (lost)
		fprintf(file, "0 %u\n", lost);
	fclose(file);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	const uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block *block;

	(void)id;
	if (address == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, marked,
						     QEMU_PLUGIN_CB_NO_REGS,
						     NULL);
	/* Processes have addresses of their own each: all are one block. */
	block = find(address >> 63 ? address : 1);
	if (!block) {
		lost++;
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &block->executed,
						 qemu_plugin_tb_n_insns(tb));
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	blocks = plugin_table(argc, argv, SLOTS, sizeof(*blocks));
	if (!blocks)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
