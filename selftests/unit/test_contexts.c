// SPDX-License-Identifier: GPL-2.0
/* contexts: differences of what CPUs spend their cycles on. */
#include <string.h>

#include "../../tools/module/client.h"
#include "../../tools/analysis/measure.h"
#include "test.h"

/* Context i has @base + @step x i cycles. */
static struct contexts reading(uint64_t base, uint64_t step)
{
	struct contexts contexts = { 0 };

	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		contexts.known[i] = true;
		contexts.cycles[i] = base + step * i;
	}
	return contexts;
}

static uint64_t contexts_total(const struct contexts *contexts)
{
	uint64_t total = 0;

	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		total += contexts->cycles[i];
	return total;
}

static void keys(void)
{
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		const char *key = contexts_key(i);

		TEST_TRUE("with a unit", strstr(key, "_cycles"));
		for (int j = CONTEXTS_FIRST; j < i; j++)
			TEST_TRUE("of its own", strcmp(key, contexts_key(j)));
	}
	TEST_STRING("first", contexts_key(CONTEXTS_FIRST), "source_cycles");
	TEST_STRING("last", contexts_key(CONTEXTS_LAST), "idle_cycles");
}

static void differences(void)
{
	struct contexts earlier = reading(1000, 10), later = reading(3000, 11);
	struct contexts between = contexts_difference(&later, &earlier);

	TEST_U64("first", between.cycles[KTPUT_A_CONTEXTS_SOURCE], 2001);
	TEST_U64("last", between.cycles[KTPUT_A_CONTEXTS_IDLE], 2010);
	TEST_U64("total", contexts_total(&between), 10 * 2000 + 55);

	/* Cycles that an interrupt moved from one context to another. */
	earlier = (struct contexts) { .known = { [CONTEXTS_FIRST] = true } };
	later = earlier;
	earlier.cycles[CONTEXTS_FIRST] = UINT64_MAX;
	later.cycles[CONTEXTS_FIRST] = 4;
	between = contexts_difference(&later, &earlier);
	TEST_U64("through 0", contexts_total(&between), 5);
	between = contexts_difference(&earlier, &later);
	TEST_U64("not below 0", contexts_total(&between), 0);
}

static void not_known(void)
{
	struct contexts earlier = reading(1000, 10), later = reading(3000, 10);
	struct contexts between;

	later.known[KTPUT_A_CONTEXTS_HARDIRQ] = false;
	later.cycles[KTPUT_A_CONTEXTS_HARDIRQ] = 0;
	earlier.known[KTPUT_A_CONTEXTS_IDLE] = false;
	between = contexts_difference(&later, &earlier);
	TEST_TRUE("later does not",
		  !between.known[KTPUT_A_CONTEXTS_HARDIRQ]);
	TEST_TRUE("earlier does not", !between.known[KTPUT_A_CONTEXTS_IDLE]);
	TEST_TRUE("both do", between.known[KTPUT_A_CONTEXTS_USER]);
	TEST_U64("total", contexts_total(&between), 8 * 2000);

	TEST_TRUE("some", contexts_known(&between));
	between = (struct contexts) { 0 };
	TEST_TRUE("none", !contexts_known(&between));
}

/* Contexts have 1 to 10 cycles, and the idle task 10. */
static void idle_task(void)
{
	static const struct {
		const char *what;
		bool no_hardirq, no_idle;
		uint64_t limit;
		/* What comes of it. */
		uint64_t idle, hardirq, kernel, less;
	} rows[] = {
		{ "more than the CPU", false, false, 4, 4, 13, 8, 0 },
		{ "as long as the CPU", false, false, 10, 10, 7, 8, 0 },
		{ "less than the CPU", false, false, 13, 10, 7, 8, 3 },
		{ "interrupts not told", true, false, 4, 4, 7, 14, 0 },
		{ "idle not told", false, true, 13, 10, 7, 8, 0 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct contexts of = reading(0, 1);
		const uint64_t *cycles = of.cycles;

		of.known[KTPUT_A_CONTEXTS_HARDIRQ] = !rows[i].no_hardirq;
		of.known[KTPUT_A_CONTEXTS_IDLE] = !rows[i].no_idle;
		TEST_U64(rows[i].what, contexts_limit_idle(&of, rows[i].limit),
			 rows[i].less);
		TEST_U64(rows[i].what, cycles[KTPUT_A_CONTEXTS_IDLE],
			 rows[i].idle);
		TEST_U64(rows[i].what, cycles[KTPUT_A_CONTEXTS_HARDIRQ],
			 rows[i].hardirq);
		TEST_U64(rows[i].what, cycles[KTPUT_A_CONTEXTS_KERNEL],
			 rows[i].kernel);
		TEST_U64(rows[i].what, contexts_total(&of), 55);
	}
}

static void of_cpus(void)
{
	struct client_cpu cpus[2][2] = {
		{ { .id = 1, .time_ns = 10, .cycles = 100,
		    .contexts = reading(0, 0) } },
		{ { .id = 0, .time_ns = 20, .cycles = 500,
		    .contexts = reading(7, 9) },
		  { .id = 1, .time_ns = 30, .cycles = 155,
		    .contexts = reading(0, 1) } },
	};
	struct client_snapshot earlier = { .cpus = cpus[0], .cpu_count = 1 };
	struct client_snapshot later = { .cpus = cpus[1], .cpu_count = 2 };
	struct measure_cpu cpu;

	TEST_TRUE("CPU 1", measure_cpu(&earlier, &later, 1, &cpu));
	TEST_U64("adds up", contexts_total(&cpu.contexts), cpu.cycles);
	TEST_TRUE("CPU 0 was offline",
		  !measure_cpu(&earlier, &later, 0, &cpu));
}

static const struct test_case cases[] = {
	{ "a key for each context", keys },
	{ "differences and their sum", differences },
	{ "what the kernel does not tell", not_known },
	{ "how long the idle task is idle", idle_task },
	{ "contexts of a CPU between snapshots", of_cpus },
};

TEST_MAIN(cases)
