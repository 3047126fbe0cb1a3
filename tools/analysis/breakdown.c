// SPDX-License-Identifier: GPL-2.0
/* breakdown: samples by class of work. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "breakdown.h"

/* Two-sided quantile of the normal distribution for BREAKDOWN_CONFIDENCE. */
#define QUANTILE	1.959964

#define USER_SPACE	"user space"

/* Classes by symbol: avoids a linear search of the table for each sample. */
struct memory {
	const struct symbols *symbols;
	const struct classes *classes;
	size_t *leaf;
	size_t *caller;
};

/* Not looked up yet; differs from every class and every other result. */
#define UNKNOWN		(CLASSES_CALLER - 1)

static size_t *unknown(size_t count)
{
	size_t *class = malloc((count ? count : 1) * sizeof(*class));

	for (size_t i = 0; class && i < count; i++)
		class[i] = UNKNOWN;
	return class;
}

static size_t class_of(struct memory *memory, size_t symbol, bool leaf)
{
	const struct symbols_entry *entry = &memory->symbols->entry[symbol];
	size_t *class = (leaf ? memory->leaf : memory->caller) + symbol;

	if (*class == UNKNOWN)
		*class = classes_match(memory->classes, entry->name,
				       entry->module, leaf);
	return *class;
}

/* The class of a stack; true if a caller of the leaf determines it. */
static bool decide(struct memory *memory, const struct profile_stack *stack,
		   size_t *class)
{
	bool leaf = true;

	for (size_t i = 0; i < PROFILE_DEPTH && stack->address[i]; i++) {
		/* A return address may be past the end of its function. */
		size_t symbol = symbols_find(memory->symbols,
					     stack->address[i] - (i > 0));

		*class = symbol == SYMBOLS_NONE ? CLASSES_NONE :
			 class_of(memory, symbol, leaf);
		if (*class < memory->classes->count)
			return !leaf;
		leaf &= *class == CLASSES_CALLER;
	}
	*class = memory->classes->count;
	return false;
}

static struct breakdown_cpu *find_cpu(struct breakdown *breakdown,
				      unsigned int id)
{
	for (size_t i = 0; i < breakdown->cpus; i++)
		if (breakdown->cpu[i].id == id)
			return &breakdown->cpu[i];
	return NULL;
}

static void add(struct breakdown_cpu *cpu, size_t class, uint64_t samples)
{
	cpu->samples += samples;
	cpu->class[class] += samples;
}

static void add_stack(struct memory *memory, const struct profiler_stack *stack,
		      struct breakdown *breakdown)
{
	struct breakdown_symbol *symbol = breakdown->symbol +
					  breakdown->symbols++;
	struct breakdown_cpu *cpu = find_cpu(breakdown, stack->stack.cpu);
	size_t class = memory->classes->user, leaf;

	*symbol = (struct breakdown_symbol){
		.name = USER_SPACE, .module = "", .samples = stack->samples,
	};
	if (stack->stack.address[0]) {
		if (decide(memory, &stack->stack, &class))
			breakdown->by_caller[class] += stack->samples;
		leaf = symbols_find(memory->symbols, stack->stack.address[0]);
		symbol->name = leaf == SYMBOLS_NONE ? "" :
			       memory->symbols->entry[leaf].name;
		if (leaf != SYMBOLS_NONE)
			symbol->module = memory->symbols->entry[leaf].module;
	}
	symbol->class = class;
	add(&breakdown->total, class, stack->samples);
	if (cpu)
		add(cpu, class, stack->samples);
}

static int by_name(const void *first, const void *second)
{
	const struct breakdown_symbol *a = first, *b = second;
	int ret;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	ret = strcmp(a->name, b->name);
	return ret ? ret : strcmp(a->module, b->module);
}

static int by_samples(const void *first, const void *second)
{
	const struct breakdown_symbol *a = first, *b = second;

	if (a->class != b->class || a->samples == b->samples)
		return by_name(first, second);
	return a->samples > b->samples ? -1 : 1;
}

/* Each stack has its own entry; merge the entries of one function. */
static void merge(struct breakdown *breakdown)
{
	struct breakdown_symbol *symbol = breakdown->symbol;
	size_t kept = 0;

	qsort(symbol, breakdown->symbols, sizeof(*symbol), by_name);
	for (size_t i = 0; i < breakdown->symbols; i++) {
		if (kept && !by_name(&symbol[kept - 1], &symbol[i]))
			symbol[kept - 1].samples += symbol[i].samples;
		else
			symbol[kept++] = symbol[i];
	}
	breakdown->symbols = kept;
	qsort(symbol, kept, sizeof(*symbol), by_samples);
}

/* Lost samples are assumed to be as late as the others. */
static void weigh(struct breakdown *breakdown, const struct profiler_cpu *from,
		  struct breakdown_cpu *cpu)
{
	cpu->effective = cpu->samples;
	if (from->squares)
		cpu->effective *= (double)from->samples / from->squares;
	breakdown->total.effective += cpu->effective;
}

/**
 * breakdown_compute() - classify samples
 * @stacks: samples by stack
 * @count: number of stacks
 * @profiler: the sampled CPUs
 * @symbols: symbol table; the result refers to its names
 * @classes: classes of functions
 * @breakdown: filled in; free with breakdown_free()
 * @err: reason of a failure
 */
int breakdown_compute(const struct profiler_stack *stacks, size_t count,
		      const struct profiler *profiler,
		      const struct symbols *symbols,
		      const struct classes *classes,
		      struct breakdown *breakdown, struct units_error *err)
{
	struct memory memory = {
		.symbols = symbols,
		.classes = classes,
		.leaf = unknown(symbols->count),
		.caller = unknown(symbols->count),
	};
	int ret = -1;

	memset(breakdown, 0, sizeof(*breakdown));
	breakdown->cpu = calloc(profiler->cpus + 1, sizeof(*breakdown->cpu));
	breakdown->symbol = calloc(count + 1, sizeof(*breakdown->symbol));
	if (!memory.leaf || !memory.caller || !breakdown->cpu ||
	    !breakdown->symbol) {
		units_refuse(err, "out of memory");
		breakdown_free(breakdown);
		goto out;
	}
	breakdown->cpus = profiler->cpus;
	for (size_t i = 0; i < profiler->cpus; i++)
		breakdown->cpu[i].id = profiler->cpu[i].id;
	for (size_t i = 0; i < count; i++)
		add_stack(&memory, &stacks[i], breakdown);
	for (size_t i = 0; i < profiler->cpus; i++)
		weigh(breakdown, &profiler->cpu[i], &breakdown->cpu[i]);
	merge(breakdown);
	ret = 0;
out:
	free(memory.leaf);
	free(memory.caller);
	return ret;
}

/**
 * breakdown_free() - free a breakdown
 * @breakdown: breakdown, or all zero
 */
void breakdown_free(struct breakdown *breakdown)
{
	free(breakdown->cpu);
	free(breakdown->symbol);
	memset(breakdown, 0, sizeof(*breakdown));
}

/**
 * breakdown_share() - the share of a class, with its confidence interval
 * @cpu: samples of a CPU, or of all
 * @class: number of the class
 *
 * Wilson's score interval, which is sound for shares near 0 too. Samples of a
 * CPU are assumed to be independent. Over several CPUs, sampled at the same rate,
 * the interval is rather too wide than too narrow: the share does not vary
 * randomly between them.
 *
 * Return: share and interval; 0 to 1 without samples.
 */
struct breakdown_interval breakdown_share(const struct breakdown_cpu *cpu,
					  size_t class)
{
	const double z2 = QUANTILE * QUANTILE, n = cpu->effective;
	const uint64_t part = cpu->class[class];
	struct breakdown_interval interval = { .high = 1 };
	double p, middle, half;

	if (!cpu->samples)
		return interval;
	p = (double)part / cpu->samples;
	middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	half = QUANTILE / (1 + z2 / n) *
	       sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	interval.share = p;
	interval.low = part ? middle - half : 0;
	interval.high = part < cpu->samples ? middle + half : 1;
	return interval;
}

static void write_frame(const struct symbols *symbols, uint64_t address, FILE *to)
{
	const size_t symbol = symbols_find(symbols, address);

	fprintf(to, ";%s", symbol == SYMBOLS_NONE ? "[unknown]" :
			   symbols->entry[symbol].name);
}

/**
 * folded_write() - write stacks
 * @stacks: the stacks
 * @count: number of stacks
 * @symbols: names of functions
 * @to: the stream; the caller looks at its error
 *
 * A line has the CPU, the functions from the outermost to the innermost, with
 * semicolons between them, and the samples. Lines with the same functions may occur
 * more than once; they add up.
 */
void folded_write(const struct profiler_stack *stacks, size_t count,
		  const struct symbols *symbols, FILE *to)
{
	for (size_t i = 0; i < count; i++) {
		const struct profile_stack *stack = &stacks[i].stack;
		size_t depth = 0;

		while (depth < PROFILE_DEPTH && stack->address[depth])
			depth++;
		fprintf(to, "CPU %u", stack->cpu);
		if (!depth)
			fputs(";user space", to);
		/* A return address may be past the end of its function. */
		for (size_t j = depth; j-- > 0; )
			write_frame(symbols, stack->address[j] - (j > 0), to);
		fprintf(to, " %" PRIu64 "\n", stacks[i].samples);
	}
}
