// SPDX-License-Identifier: GPL-2.0
/* folded: sampled stacks as text, a line for each, as flame graphs are made of. */
#include <inttypes.h>

#include "folded.h"

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
