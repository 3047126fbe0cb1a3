// SPDX-License-Identifier: GPL-2.0
/*
 * lines: a plugin of QEMU that counts what two CPUs execute, and how they share
 * cache lines
 *
 * usage: -plugin file=lines.so,out=FILE
 *
 * What perf c2c samples on a machine of its own, this counts in a guest of two
 * CPUs which are emulated in turn, by one thread: the instructions of each CPU,
 * and each use of each line of the kernel's. A process of the guest says from when
 * to when, by writing to LINES_BEGIN and LINES_END, where it has mapped a page. At
 * the end FILE.0, the next time FILE.1 and so on, is written: a line of
 *
 *   INSTRUCTIONS INSTRUCTIONS
 *
 * of the first and the second CPU, then of each line of memory that one CPU has
 * written and the other has used, the most first,
 *
 *   USES ADDRESS INSTRUCTION INSTRUCTION
 *
 * USES is how often it would go from one to the other at most: the lesser of the
 * writes of one and the uses of the other. The instructions are those that wrote
 * it last, or used it, on either CPU, and ADDRESS is where the last of them did.
 *
 * Stacks and what else vmalloc() gives are left out, for a stack is used again by
 * the next process on another CPU. Addresses are those of x86 with page tables of
 * four levels and without KASLR.
 */
#include "plugin.h"

#define LINES_PAGE	0x4b5450550000
#define LINES_BEGIN	(LINES_PAGE + 8)
#define LINES_END	(LINES_PAGE + 16)

#define LINE_SHIFT	6
#define KERNEL		0xffff800000000000
#define VMALLOC		0xffffc90000000000
#define VMALLOC_END	0xffffe90000000000

#define SLOTS		0x400000
#define PROBES		64
#define SHOWN		20

struct line {
	uint64_t number;
	uint64_t address;
	uint32_t writes[2];
	uint32_t uses[2];
	uint64_t instruction[2];
};

static struct line *lines;
static uint64_t executed[2];
static bool counting;
static unsigned int overflows;

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t shared(const struct line *line)
{
	const uint32_t first = least(line->writes[0], line->uses[1]);
	const uint32_t second = least(line->writes[1], line->uses[0]);

	return first > second ? first : second;
}

static int compare(const void *a, const void *b)
{
	const uint32_t first = shared(a), second = shared(b);

	return first < second ? 1 : first > second ? -1 : 0;
}

static void begin(void)
{
	memset(lines, 0, SLOTS * sizeof(*lines));
	memset(executed, 0, sizeof(executed));
	overflows = 0;
	counting = true;
}

static void end(void)
{
	FILE *file = plugin_report();
	unsigned int i;

	counting = false;
	if (!file)
		return;
	qsort(lines, SLOTS, sizeof(*lines), compare);
	if (overflows)
		fprintf(file, "%u uses of lines had no room\n", overflows);
	fprintf(file, "%lu %lu\n", executed[0], executed[1]);
	for (i = 0; i < SHOWN && shared(&lines[i]); i++)
		fprintf(file, "%u %lx %lx %lx\n", shared(&lines[i]),
			lines[i].address,
			lines[i].instruction[0], lines[i].instruction[1]);
	fclose(file);
}

static struct line *find(uint64_t number)
{
	const uint32_t hash = (number * 0x9e3779b97f4a7c15) >> 42;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct line *line = &lines[(hash + i) % SLOTS];

		if (!line->number)
			line->number = number;
		if (line->number == number)
			return line;
	}
	return NULL;
}

static void used(unsigned int cpu, uint32_t info, uint64_t address,
		 void *instruction)
{
	const bool store = qemu_plugin_mem_is_store(info);
	struct line *line;

	if (store && address == LINES_BEGIN)
		begin();
	else if (store && address == LINES_END)
		end();
	if (!counting || cpu > 1 || address < KERNEL ||
	    (address >= VMALLOC && address < VMALLOC_END))
		return;
	line = find(address >> LINE_SHIFT);
	if (!line) {
		overflows++;
		return;
	}
	line->uses[cpu]++;
	line->writes[cpu] += store;
	if (store || !line->writes[cpu]) {
		line->address = address;
		line->instruction[cpu] = (uintptr_t)instruction;
	}
}

static void entered(unsigned int cpu, void *count)
{
	if (counting && cpu <= 1)
		executed[cpu] += (uintptr_t)count;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
	const size_t count = qemu_plugin_tb_n_insns(block);
	size_t i;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(block, entered,
					     QEMU_PLUGIN_CB_NO_REGS,
					     (void *)count);
	for (i = 0; i < count; i++) {
		struct qemu_plugin_insn *instruction =
			qemu_plugin_tb_get_insn(block, i);
		const uintptr_t address = qemu_plugin_insn_vaddr(instruction);

		qemu_plugin_register_vcpu_mem_cb(instruction, used,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW,
						 (void *)address);
	}
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	lines = plugin_table(argc, argv, SLOTS, sizeof(*lines));
	if (!lines)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
