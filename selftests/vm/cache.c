// SPDX-License-Identifier: GPL-2.0
/*
 * cache: a plugin of QEMU that counts the cache lines that code touches, and the misses
 * of a cache of stated geometry
 *
 * usage: -plugin file=cache.so,out=FILE
 *
 * A process of the guest says by places.h where an epoch begins, which is each time a
 * function of the kernel is entered: a packet, if that function has it once. Until then
 * nothing is counted, and the guest is as fast as with functions.c. It also says which
 * code of the kernel copies; beside that each rep movs of the kernel does. From then on
 * each mark writes FILE.0, the next one FILE.1 and so on, with what was since the last
 * one, in lines of a name and counts:
 *
 *   epochs    calls of that function
 *   device    accesses that went to no memory, and are not among those below
 *   unknown   accesses and instructions whose line is not known
 *   kernel    INSTRUCTIONS COPYING COPIED TOUCHED READ WRITTEN CODE L1D L1I L2 COPY_LINES
 *   user      likewise
 *   ADDRESS   likewise, of an instruction of the kernel
 *   line      PHYSICAL ADDRESS TOUCHED READ WRITTEN CODE BYTES, of a line by the kernel
 *
 * INSTRUCTIONS belong to the block of code that begins at ADDRESS. COPYING is how many of
 * them copy: a rep movs counts once for each move. COPIED bytes are those that these
 * store. A line is TOUCHED by the first instruction in an epoch that reads or writes it,
 * READ by the first that reads it, WRITTEN by the first that writes it, and CODE of the
 * first block that is executed from it. The kernel and user space each have firsts of
 * their own. COPY_LINES are those TOUCHED that what copies has touched. PHYSICAL is where
 * a line is, ADDRESS what the kernel touched of it first in its last epoch, and BYTES are
 * what a line that it touched has at the mark, in hexadecimal digits.
 *
 * L1d and L1i have 32 KiB in 8 ways, and L2, of both, has 1 MiB in 16 ways. Lines are of
 * 64 bytes, the oldest goes, a write allocates, nothing is prefetched, and L2 need not
 * have what is in L1. Addresses are physical ones. Those of code follow from where QEMU
 * has it: memory is in one piece there, and where that begins follows from the kernel's
 * code, whose physical address is known without KASLR. Data of the kernel's image
 * confirm that: what is elsewhere is unknown.
 *
 * It does not see page walks, DMA, and prefetch instructions, of an access to two pages
 * it sees the first, and a block that ends early by a fault counts as whole. There is
 * one CPU.
 */
#include "places.h"
#include "plugin.h"

#define LINE_SHIFT	6
#define LINES		0x4000000ul	/* of 4 GiB */
#define PAGE_MASK	0xffful
#define IMAGE		0xffffffff80000000
#define IMAGE_END	0xffffffffa0000000
#define TEXT		0xffffffff81000000

#define SLOTS		0x100000
#define PROBES		256
#define RANGES		64
#define USER		1

enum field {
	INSTRUCTIONS, COPYING, COPIED, TOUCHED, READ, WRITTEN, CODE, L1D, L1I, L2,
	COPY_LINES, FIELDS
};

/* What is counted at an address: since the begin, and up to the last mark. */
struct site {
	uint64_t address;
	bool copies;
	uint64_t counts[FIELDS], marked[FIELDS];
};

/*
 * What an epoch has seen of a line, by bits of enum field and of who it was; and in how
 * many epochs since the last mark the kernel did what, from TOUCHED to CODE.
 */
struct line {
	uint32_t epoch, seen;
	uint32_t counts[CODE - TOUCHED + 1];
	bool listed;
	uint64_t address;
};

struct block {
	struct site *site;
	/* Who copies: the block as a whole, or its last instruction, a rep movs. */
	struct site *copying;
	uint32_t instructions, copies, lines, epoch;
	uint32_t line[];
};

struct cache {
	uint32_t sets, ways;
	/* The numbers of lines, the last used first; 0 is none. */
	uint32_t *lines;
};

static struct site *sites;
static struct line *lines;
/* The numbers of lines that the kernel had since the last mark. */
static uint32_t *listed;
static size_t list_length, list_room;
static struct cache l1d = { 64, 8, NULL };
static struct cache l1i = { 64, 8, NULL };
static struct cache l2 = { 1024, 16, NULL };

/* It wraps to 1: lines that nothing has touched have 0. */
static uint32_t epoch = 1;
static uint64_t begin, said;
/* Code that copies, and how much of it was said since the last begin. */
static struct range {
	uint64_t begin, end;
} ranges[RANGES];
static unsigned int used_ranges, said_ranges;
static uint64_t epochs, device, unknown;
/* Where QEMU has the guest's physical memory. */
static uint64_t memory;

static struct site *find(uint64_t address)
{
	const uint64_t key = address >> 63 ? address : USER;
	const uint64_t hash = (key * 0x9e3779b97f4a7c15) >> 44;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct site *site = &sites[(hash + i) % SLOTS];

		if (!site->address)
			site->address = key;
		if (site->address == key)
			return site;
	}
	fprintf(stderr, "cache: more instructions than slots\n");
	exit(1);
}

static bool hits(struct cache *cache, uint32_t line)
{
	uint32_t *set = &cache->lines[line % cache->sets * cache->ways];
	uint32_t way, last = cache->ways - 1;

	for (way = 0; way < last && set[way] != line; way++)
		;
	if (set[way] == line) {
		memmove(set + 1, set, way * sizeof(*set));
		set[0] = line;
		return true;
	}
	memmove(set + 1, set, last * sizeof(*set));
	set[0] = line;
	return false;
}

static void miss(struct cache *cache, enum field field, struct site *site,
		 uint32_t line)
{
	if (hits(cache, line))
		return;
	site->counts[field]++;
	if (!hits(&l2, line))
		site->counts[L2]++;
}

/* Count of a line what the kernel is the first to do in this epoch. */
static void note(uint32_t number, uint32_t news, uint64_t address)
{
	struct line *line = &lines[number];
	int field;

	if (list_length == list_room) {
		list_room = list_room ? 2 * list_room : 0x10000;
		listed = realloc(listed, list_room * sizeof(*listed));
		if (!listed)
			exit(1);
	}
	if (!line->listed)
		listed[list_length++] = number;
	line->listed = true;
	if (news >> TOUCHED & 1)
		line->address = address;
	for (field = TOUCHED; field <= CODE; field++)
		line->counts[field - TOUCHED] += news >> field & 1;
}

/* Count for a site that has not been the first in this epoch what is. */
static void see(struct site *site, uint32_t number, uint32_t fields, uint64_t address)
{
	struct line *line = &lines[number];
	uint32_t news;
	int field;

	if (line->epoch != epoch) {
		line->epoch = epoch;
		line->seen = 0;
	}
	news = site->address == USER ? fields << FIELDS : fields;
	news &= ~line->seen;
	if (!news)
		return;
	line->seen |= news;
	news |= news >> FIELDS;
	for (field = TOUCHED; field <= CODE; field++)
		site->counts[field] += news >> field & 1;
	if (site->copies)
		site->counts[COPY_LINES] += news >> TOUCHED & 1;
	if (site->address != USER)
		note(number, news, address);
}

static void used(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	const bool store = qemu_plugin_mem_is_store(info);
	const uint64_t last = (1ul << qemu_plugin_mem_size_shift(info)) - 1;
	struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, address);
	struct site *site = data;
	uint64_t physical, end;
	uint32_t line;

	(void)cpu;
	if (!place || qemu_plugin_hwaddr_is_io(place)) {
		device++;
		return;
	}
	physical = qemu_plugin_hwaddr_phys_addr(place);
	if (physical >> LINE_SHIFT >= LINES ||
	    (address >= IMAGE && address < IMAGE_END && physical != address - IMAGE)) {
		unknown++;
		return;
	}
	if (store && site->copies)
		site->counts[COPIED] += last + 1;
	end = physical + last;
	if ((end ^ physical) & ~PAGE_MASK)
		end = physical | PAGE_MASK;
	for (line = physical >> LINE_SHIFT; line <= end >> LINE_SHIFT; line++) {
		const uint64_t at = (uint64_t)line << LINE_SHIFT;

		see(site, line, 1u << TOUCHED | 1u << (store ? WRITTEN : READ),
		    at > physical ? address + (at - physical) : address);
		miss(&l1d, L1D, site, line);
	}
}

static void entered(unsigned int cpu, void *data)
{
	struct block *block = data;
	uint32_t i;

	(void)cpu;
	block->site->counts[INSTRUCTIONS] += block->instructions;
	if (block->copying)
		block->copying->counts[COPYING] += block->copies;
	for (i = 0; i < block->lines; i++) {
		if (block->epoch != epoch)
			see(block->site, block->line[i], 1u << CODE, 0);
		miss(&l1i, L1I, block->site, block->line[i]);
	}
	block->epoch = epoch;
}

static void advanced(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	epochs++;
	if (!++epoch)
		epoch = 1;
}

static void add(uint64_t *sums, const struct site *site)
{
	int field;

	for (field = 0; field < FIELDS; field++)
		sums[field] += site->counts[field] - site->marked[field];
}

static void show(FILE *file, const char *name, const uint64_t *counts)
{
	int field;

	fputs(name, file);
	for (field = 0; field < FIELDS; field++)
		fprintf(file, " %lu", counts[field]);
	fputc('\n', file);
}

static void show_lines(FILE *file)
{
	size_t i, byte;
	int field;

	for (i = 0; i < list_length; i++) {
		struct line *line = &lines[listed[i]];
		const unsigned char *bytes =
			(void *)(memory + ((uint64_t)listed[i] << LINE_SHIFT));

		fprintf(file, "line %lx %lx", (uint64_t)listed[i] << LINE_SHIFT,
			line->address);
		for (field = TOUCHED; field <= CODE; field++)
			fprintf(file, " %u", line->counts[field - TOUCHED]);
		fputc(' ', file);
		for (byte = 0; byte < 1 << LINE_SHIFT && line->counts[0]; byte++)
			fprintf(file, "%02x", bytes[byte]);
		fputc('\n', file);
		memset(line->counts, 0, sizeof(line->counts));
		line->listed = false;
		line->address = 0;
	}
	list_length = 0;
}

static void marked(unsigned int cpu, void *unused)
{
	uint64_t kernel[FIELDS] = {}, user[FIELDS] = {};
	struct site *site;
	FILE *file;

	(void)cpu;
	(void)unused;
	if (!begin)
		return;
	file = plugin_report();
	if (!file)
		return;
	fprintf(file, "epochs %lu\ndevice %lu\nunknown %lu\n", epochs, device, unknown);
	epochs = 0;
	device = 0;
	unknown = 0;
	for (site = sites; site < sites + SLOTS; site++)
		add(site->address == USER ? user : kernel, site);
	show(file, "kernel", kernel);
	show(file, "user", user);
	for (site = sites; site < sites + SLOTS; site++) {
		uint64_t counts[FIELDS] = {};
		char name[20];

		if (!memcmp(site->counts, site->marked, sizeof(site->counts)))
			continue;
		add(counts, site);
		memcpy(site->marked, site->counts, sizeof(site->counts));
		snprintf(name, sizeof(name), "%lx", site->address);
		if (site->address != USER)
			show(file, name, counts);
	}
	show_lines(file);
	fclose(file);
}

static void digit(unsigned int cpu, void *byte)
{
	(void)cpu;
	said = said << 8 | (uintptr_t)byte;
}

static void copy_begin(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	if (said_ranges == RANGES) {
		fprintf(stderr, "cache: more than %d pieces of code copy\n", RANGES);
		exit(1);
	}
	ranges[said_ranges].begin = said;
}

static void copy_end(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	ranges[said_ranges++].end = said;
}

static bool in_range(uint64_t address)
{
	unsigned int i;

	for (i = 0; i < used_ranges; i++)
		if (address >= ranges[i].begin && address < ranges[i].end)
			return true;
	return false;
}

/* Whether it is a rep movs, of whatever size, behind prefixes of size. */
static bool is_movs(const struct qemu_plugin_insn *instruction)
{
	const unsigned char *byte = qemu_plugin_insn_data(instruction);
	const size_t size = qemu_plugin_insn_size(instruction);
	bool rep = false;
	size_t i;

	for (i = 0; i < size; i++) {
		if (byte[i] == 0xa4 || byte[i] == 0xa5)
			return rep;
		rep |= byte[i] == 0xf3;
		if (byte[i] != 0xf3 && byte[i] != 0x66 && byte[i] >> 4 != 4)
			return false;
	}
	return false;
}

/* The number of the line of code at an address of QEMU's; 0 if not known. */
static uint32_t code_line(const struct qemu_plugin_insn *instruction, size_t offset)
{
	const uint64_t at = (uintptr_t)qemu_plugin_insn_haddr(instruction);
	const uint64_t number = (at - memory + offset) >> LINE_SHIFT;

	return at && memory && number < LINES ? number : 0;
}

static void count(struct qemu_plugin_tb *tb, uint64_t address)
{
	const size_t instructions = qemu_plugin_tb_n_insns(tb);
	struct block *block = calloc(1, sizeof(*block) +
				     2 * instructions * sizeof(block->line[0]));
	struct qemu_plugin_insn *instruction;
	struct site *site = NULL;
	size_t i, side;

	if (!block)
		exit(1);
	block->site = find(address);
	block->instructions = instructions;
	for (i = 0; i < instructions; i++) {
		uint64_t at;

		instruction = qemu_plugin_tb_get_insn(tb, i);
		at = qemu_plugin_insn_vaddr(instruction);
		site = find(at);
		site->copies = at >> 63 && (in_range(at) || is_movs(instruction));
		/* That of its first byte, and of its last. */
		for (side = 0; side < 2; side++) {
			const size_t last = qemu_plugin_insn_size(instruction) - 1;
			const uint32_t line = code_line(instruction, side * last);

			if (!line)
				unknown++;
			else if (!block->lines ||
				 block->line[block->lines - 1] != line)
				block->line[block->lines++] = line;
		}
		qemu_plugin_register_vcpu_mem_cb(instruction, used,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, site);
	}
	/* QEMU ends a block at a rep movs, and begins another for each move. */
	if (in_range(address)) {
		block->copying = block->site;
		block->copies = instructions;
	} else if (site && site->copies) {
		block->copying = site;
		block->copies = 1;
	}
	if (address == begin)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, advanced,
						     QEMU_PLUGIN_CB_NO_REGS, NULL);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, entered, QEMU_PLUGIN_CB_NO_REGS,
					     block);
}

static void changed(unsigned int cpu, void *unused);

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	const uint64_t address = qemu_plugin_tb_vaddr(tb);
	void (*call)(unsigned int cpu, void *data) = NULL;

	if (!memory && address >= TEXT && address < IMAGE_END)
		memory = (uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)) -
			 (address - IMAGE);
	if (address == MARK)
		call = marked;
	else if (address == MARK_EPOCHS)
		call = changed;
	else if (address == MARK_COPY)
		call = copy_begin;
	else if (address == MARK_COPY_END)
		call = copy_end;
	else if (address >= MARK_DIGIT(0) && address < MARK_EPOCHS)
		call = digit;
	if (call)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, call, QEMU_PLUGIN_CB_NO_REGS,
						     call == digit ?
						     (void *)((address - MARK_DIGIT(0)) / 8) :
						     (void *)id);
	else if (begin)
		count(tb, address);
}

static void ready(uint64_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

static void changed(unsigned int cpu, void *id)
{
	(void)cpu;
	begin = said;
	used_ranges = said_ranges;
	said_ranges = 0;
	qemu_plugin_reset((uintptr_t)id, ready);
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	struct cache *caches[] = { &l1d, &l1i, &l2, NULL };
	struct cache **cache;

	(void)info;
	sites = plugin_table(argc, argv, SLOTS, sizeof(*sites));
	lines = calloc(LINES, sizeof(*lines));
	if (!sites || !lines)
		return -1;
	for (cache = caches; *cache; cache++) {
		(*cache)->lines = calloc((*cache)->sets * (*cache)->ways,
					 sizeof((*cache)->lines[0]));
		if (!(*cache)->lines)
			return -1;
	}
	ready(id);
	return 0;
}
