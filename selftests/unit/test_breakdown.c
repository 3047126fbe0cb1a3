// SPDX-License-Identifier: GPL-2.0
/* Breakdown: which frame decides, sums, and confidence intervals. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/analysis/breakdown.h"
#include "test.h"

#define TABLE	"class user User\nclass copy Copy\nclass tcp TCP\n"	\
		"class irq Interrupts\n"				\
		"copy memcpy\ntcp tcp_*\nirq leaf:dispatch\n"		\
	"caller thunk\n"

#define KALLSYMS	"1000 T memcpy\n2000 T tcp_ack\n3000 T helper\n"	\
			"4000 T dispatch\n5000 t work\t[card]\n6000 T thunk\n"

static FILE *text(const char *text)
{
	return fmemopen((char *)text, strlen(text), "r");
}

/* Innermost first; a return address is behind the call, even at the end. */
static const struct profiler_stack stacks[] = {
	{ { .cpu = 0 }, 10 },
	{ { .cpu = 0, .address = { 0x1004, 0x2008 } }, 20 },
	{ { .cpu = 0, .address = { 0x3000, 0x2008 } }, 30 },
	{ { .cpu = 0, .address = { 0x3000, 0x3000 } }, 4 },
	{ { .cpu = 2, .address = { 0x3000, 0x4008 } }, 1 },
	{ { .cpu = 2, .address = { 0x4000, 0x2008 } }, 40 },
	{ { .cpu = 2, .address = { 0x5000, 0x4010 } }, 2 },
	{ { .cpu = 2, .address = { 0x5004, 0x4008 } }, 3 },
	{ { .cpu = 2, .address = { 0x10 } }, 5 },
	{ { .cpu = 7, .address = { 0x2000 } }, 6 },
	{ { .cpu = 2, .address = { 0x6000, 0x4008, 0x2008 } }, 7 },
	{ { .cpu = 2, .address = { 0x6000, 0x3008, 0x4008 } }, 8 },
};

/* Samples by class: user, copy, tcp, irq, none. */
static void check_cpu(const char *what, const struct breakdown_cpu *cpu,
		      const uint64_t *want)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 5; i++) {
		TEST_U64(what, cpu->class[i], want[i]);
		sum += want[i];
	}
	TEST_U64(what, cpu->samples, sum);
}

/* Outermost first; of a return address the call counts. */
static void folded(void)
{
	static const char want[] =
		"CPU 0;user space 10\n"
		"CPU 0;tcp_ack;memcpy 20\n"
		"CPU 0;tcp_ack;helper 30\n"
		"CPU 0;tcp_ack;helper 4\n"
		"CPU 2;dispatch;helper 1\n";
	FILE *kallsyms = text(KALLSYMS), *to;
	struct symbols symbols;
	struct units_error err;
	char *have;
	size_t size;

	TEST_U64("symbols", symbols_read(&symbols, kallsyms, &err), 0);
	fclose(kallsyms);
	to = open_memstream(&have, &size);
	folded_write(stacks, 5, &symbols, to);
	folded_write(&stacks[8], 1, &symbols, to);
	folded_write(&stacks[10], 1, &symbols, to);
	fclose(to);
	TEST_U64("prefix", strncmp(have, want, strlen(want)), 0);
	TEST_STRING("the rest", have + strlen(want),
		    "CPU 2;[unknown] 5\nCPU 2;tcp_ack;dispatch;thunk 7\n");
	free(have);
	symbols_free(&symbols);
}

static void computed(void)
{
	/* CPU 2 had a third of its samples in time, each of the rest for two. */
	struct profiler_cpu cpus[] = {
		{ .id = 0, .samples = 64, .squares = 64 },
		{ .id = 2, .samples = 66, .squares = 110 },
	};
	const struct profiler profiler = { .cpu = cpus, .cpus = 2 };
	FILE *table = text(TABLE), *kallsyms = text(KALLSYMS);
	struct breakdown breakdown;
	struct classes classes;
	struct symbols symbols;
	struct units_error err;

	TEST_U64("table", classes_read(&classes, table, "table", &err), 0);
	TEST_U64("symbols", symbols_read(&symbols, kallsyms, &err), 0);
	fclose(table);
	fclose(kallsyms);
	TEST_U64("computed", breakdown_compute(stacks, TEST_COUNT(stacks),
					       &profiler, &symbols, &classes,
					       &breakdown, &err), 0);
	/* 0x3000 as a return address is the end of tcp_ack. */
	check_cpu("CPU 0", &breakdown.cpu[0],
		  (uint64_t []){ 10, 20, 34, 0, 0 });
	check_cpu("CPU 2", &breakdown.cpu[1],
		  (uint64_t []){ 0, 0, 0, 47, 19 });
	check_cpu("all", &breakdown.total, (uint64_t []){ 10, 20, 40, 47, 19 });
	TEST_TRUE("each stands for itself", breakdown.cpu[0].effective == 64);
	TEST_TRUE("late ones are worth less",
		  fabs(breakdown.cpu[1].effective - 66 * 66 / 110.) < 1e-9);
	TEST_TRUE("all", breakdown.total.effective ==
		  breakdown.cpu[0].effective + breakdown.cpu[1].effective);
	TEST_U64("by caller", breakdown.by_caller[2], 34);
	TEST_U64("by caller", breakdown.by_caller[1], 0);
	/* A thunk is as if its caller ran, and that has only itself. */
	TEST_U64("by caller", breakdown.by_caller[3], 0);
	TEST_U64("functions", breakdown.symbols, 10);
	TEST_STRING("user", breakdown.symbol[0].name, "user space");
	/* Of TCP: helper with 30 and 4, tcp_ack with 6. */
	TEST_STRING("most first", breakdown.symbol[2].name, "helper");
	TEST_U64("merged", breakdown.symbol[2].samples, 34);
	TEST_STRING("then", breakdown.symbol[3].name, "tcp_ack");
	TEST_STRING("none", breakdown.symbol[6].name, "thunk");
	TEST_STRING("none", breakdown.symbol[7].name, "");
	TEST_STRING("none", breakdown.symbol[8].module, "card");
	TEST_U64("none", breakdown.symbol[8].samples, 5);
	TEST_STRING("none", breakdown.symbol[9].name, "helper");
	breakdown_free(&breakdown);
	symbols_free(&symbols);
	classes_free(&classes);
}

/* Against the tables of Wilson's interval. */
static void shares(void)
{
	static const struct {
		uint64_t part, all;
		double effective;
		double share, low, high;
	} rows[] = {
		{ 0, 0, 0, 0, 0, 1 },
		{ 0, 10, 10, 0, 0, 0.2775 },
		{ 10, 10, 10, 1, 0.7225, 1 },
		{ 5, 10, 10, 0.5, 0.2366, 0.7634 },
		{ 100, 1000, 1000, 0.1, 0.0829, 0.1201 },
		{ 500, 1000, 10, 0.5, 0.2366, 0.7634 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct breakdown_cpu cpu = {
			.samples = rows[i].all,
			.effective = rows[i].effective,
			.class[1] = rows[i].part,
		};
		struct breakdown_interval have = breakdown_share(&cpu, 1);

		TEST_TRUE("share", have.share == rows[i].share);
		TEST_TRUE("low", fabs(have.low - rows[i].low) < 0.0001);
		TEST_TRUE("high", fabs(have.high - rows[i].high) < 0.0001);
	}
}

static const struct test_case cases[] = {
	{ "samples by class", computed },
	{ "folded stacks", folded },
	{ "confidence intervals", shares },
};

TEST_MAIN(cases)
