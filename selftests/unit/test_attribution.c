// SPDX-License-Identifier: GPL-2.0
/* attribution: whose cycles those of a CPU were; every part, and their sum. */
#include <math.h>
#include <string.h>

#include "../../tools/analysis/attribution.h"
#include "../../tools/host/tasks.h"
#include "test.h"

#define SECOND	1000000000ULL
#define MS	1000000ULL

/* Of 2000 M cycles in a second, in M cycles; of /proc in ms. */
struct row {
	const char *what;
	/* Contexts: source, sink, worker, three softirqs, hardirq, kernel, user, idle. */
	uint64_t contexts[CONTEXTS_LAST + 1];
	struct { uint64_t task, irq, steal, idle; } ms;
	uint64_t source_ms, sink_ms;
	bool calls;
	uint32_t packets;
	uint64_t early;
	double others_per_s, own_max;
	uint64_t parts[ATTRIBUTION_PARTS], uncertain;
};

#define C(source, sink, worker, rx, tx, other, irq, kernel, user, idle) \
	{ 0, source, sink, worker, rx, tx, other, irq, kernel, user, idle }

static const struct row rows[] = {
	{ "a sink in the kernel beside a busy loop",
	  C(0, 400, 0, 60, 10, 10, 20, 0, 1500, 0), .calls = true, .packets = 1000,
	  .parts = { 0, 400, 0, 100, 0, 1500, 0, 0 } },
	{ "packets of others",
	  C(200, 0, 0, 300, 0, 0, 100, 0, 0, 1400), .calls = true, .packets = 4000,
	  .others_per_s = 1000,
	  .parts = { 200, 0, 0, 300, 100, 0, 0, 1400 }, .uncertain = 100 },
	{ "more of others than there came",
	  C(200, 0, 0, 300, 0, 0, 100, 0, 0, 1400), .calls = true, .packets = 900,
	  .others_per_s = 1000,
	  .parts = { 200, 0, 0, 0, 400, 0, 0, 1400 }, .uncertain = 400 },
	{ "packets of others that began after the run",
	  C(200, 0, 0, 300, 0, 0, 100, 0, 0, 1400), .calls = true, .packets = 4000,
	  .others_per_s = 10, .own_max = 1000,
	  .parts = { 200, 0, 0, 100, 300, 0, 0, 1400 }, .uncertain = 300 },
	{ "fewer packets than the run can have caused",
	  C(200, 0, 0, 300, 0, 0, 100, 0, 0, 1400), .calls = true, .packets = 4000,
	  .others_per_s = 1000, .own_max = 9000,
	  .parts = { 200, 0, 0, 300, 100, 0, 0, 1400 }, .uncertain = 100 },
	{ "no packet, and no call: its softirqs are not the run's",
	  C(0, 0, 0, 0, 0, 20, 20, 0, 0, 1960),
	  .parts = { 0, 0, 0, 0, 40, 0, 0, 1960 }, .uncertain = 40 },
	{ "no packet, but calls: what a device has sent is cleaned up",
	  C(900, 0, 0, 50, 30, 0, 20, 0, 0, 1000), .calls = true,
	  .parts = { 900, 0, 0, 100, 0, 0, 0, 1000 } },
	{ "packets that XDP took before they are counted",
	  C(0, 0, 0, 800, 0, 0, 0, 0, 0, 1200), .calls = true, .packets = 100,
	  .early = 900, .others_per_s = 100,
	  .parts = { 0, 0, 0, 720, 80, 0, 0, 1200 }, .uncertain = 80 },
	{ "a hypervisor, which took part of all but of idle",
	  C(800, 0, 0, 100, 0, 0, 100, 0, 0, 1000), { .steal = 250 },
	  .calls = true, .packets = 1,
	  .parts = { 400, 0, 0, 100, 0, 0, 500, 1000 } },
	{ "a thread in user space, seen by the module",
	  C(0, 0, 0, 100, 0, 0, 0, 200, 1000, 700), .source_ms = 500,
	  .calls = true, .packets = 1,
	  .parts = { 1000, 0, 0, 100, 0, 200, 0, 700 }, .uncertain = 100 },
	{ "user space: two threads and idle",
	  .ms = { 600, 200, 0, 200 }, .source_ms = 300, .sink_ms = 300,
	  .calls = true, .packets = 1,
	  .parts = { 600, 600, 0, 400, 0, 0, 0, 400 } },
	{ "user space: a busy loop",
	  .ms = { 1000, 0, 0, 0 }, .sink_ms = 250, .calls = true,
	  .packets = 1, .parts = { 0, 500, 0, 0, 0, 1500, 0, 0 } },
	{ "user space: ticks are scaled to what was not idle",
	  .ms = { 300, 100, 100, 500 }, .source_ms = 300, .calls = true,
	  .packets = 1, .parts = { 600, 0, 0, 200, 0, 0, 200, 1000 } },
	{ "user space: ticks that were missed",
	  .ms = { 150, 50, 0, 500 }, .source_ms = 375, .calls = true,
	  .packets = 1, .parts = { 750, 0, 0, 250, 0, 0, 0, 1000 } },
	{ "user space: an interrupt is in the time of the thread",
	  .ms = { 600, 400, 0, 0 }, .source_ms = 1000, .calls = true,
	  .packets = 1, .parts = { 1200, 0, 0, 800, 0, 0, 0, 0 } },
	{ "a thread of the module between turns, beside other tasks",
	  C(100, 200, 400, 100, 0, 0, 0, 300, 0, 900), { .steal = 100 },
	  .calls = true, .packets = 1,
	  .parts = { 82, 164, 327, 82, 0, 245, 200, 900 } },
};

static void set_up(const struct row *row, struct measure_cpu *cpu,
		   struct attribution_facts *facts)
{
	*cpu = (struct measure_cpu) {
		.elapsed_ns = SECOND, .cycles = 2000 * MS,
		.busy = 1 - row->ms.idle / 1e3,
		.times = {
			.known = row->ms.task || row->ms.steal,
			.task_ns = row->ms.task * MS,
			.irq_ns = row->ms.irq * MS,
			.steal_ns = row->ms.steal * MS,
			.packets_known = true, .packets = row->packets,
		},
	};
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		cpu->contexts.known[i] = row->contexts[CONTEXTS_LAST];
		cpu->contexts.cycles[i] = row->contexts[i] * MS;
	}
	/* One that has no idle time is known by what it has. */
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		if (row->contexts[i])
			for (int j = CONTEXTS_FIRST; j <= CONTEXTS_LAST; j++)
				cpu->contexts.known[j] = true;
	*facts = (struct attribution_facts) {
		.cpu = cpu, .source_ns = row->source_ms * MS,
		.sink_ns = row->sink_ms * MS, .calls = row->calls,
		.packets = row->early, .others_per_s = row->others_per_s,
		.own_packets_max = row->own_max,
	};
}

static void split(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct attribution_facts facts;
		struct attribution have;
		struct measure_cpu cpu;
		uint64_t sum = 0;

		set_up(&rows[i], &cpu, &facts);
		attribution_compute(&facts, &have);
		TEST_TRUE(rows[i].what, have.known);
		for (int j = 0; j < ATTRIBUTION_PARTS; j++) {
			sum += have.cycles[j];
			TEST_U64(rows[i].what, (have.cycles[j] + MS / 2) / MS,
				 rows[i].parts[j]);
		}
		TEST_U64(rows[i].what, sum, cpu.cycles);
		TEST_U64(rows[i].what, (have.uncertain + MS / 2) / MS,
			 rows[i].uncertain);
		TEST_U64(rows[i].what, attribution_own(&have) +
			 attribution_foreign(&have) +
			 have.cycles[ATTRIBUTION_IDLE], cpu.cycles);
	}
}

static void unknown(void)
{
	struct measure_cpu cpu = { .elapsed_ns = SECOND, .cycles = 5,
				   .busy = 1 };
	struct attribution_facts facts = { .cpu = &cpu };
	struct attribution have;

	attribution_compute(&facts, &have);
	TEST_TRUE("neither contexts nor /proc", !have.known);
	cpu.times.known = true;
	cpu.busy = NAN;
	attribution_compute(&facts, &have);
	TEST_TRUE("idle is not known", !have.known);
}

static void sources(void)
{
	struct cpu_times times[2] = { 0 }, between;

	cpu_times_parse_stat("cpu  9 9 9 9 9 9 9 9 9 9", 10, times, 2);
	TEST_TRUE("all CPUs", !times[0].known && !times[1].known);
	cpu_times_parse_stat("cpu1 1 2 3 4 5 6 7 8 9 10", 10, times, 2);
	TEST_TRUE("one", !times[0].known && times[1].known);
	TEST_U64("tasks", times[1].task_ns, 60);
	TEST_U64("softirqs and interrupts", times[1].irq_ns, 130);
	TEST_U64("steal", times[1].steal_ns, 80);
	cpu_times_parse_stat("cpu2 1 2 3 4 5 6 7 8 9 10", 10, times, 2);
	cpu_times_parse_stat("intr 1 2 3", 10, times, 2);
	cpu_times_parse_softnet("000000ff 0 0 0 0 0 0 0 0 0 0 0 00000001 0 0",
				0, times, 2);
	TEST_U64("by its column", times[1].packets, 255);
	TEST_TRUE("and no other", !times[0].packets_known);
	cpu_times_parse_softnet("00000010 0 0 0 0 0 0 0 0 0", 0, times, 2);
	TEST_U64("by its line", times[0].packets, 16);
	between = cpu_times_difference(&(struct cpu_times) {
		.packets_known = true, .packets = 5, .known = true,
	}, &(struct cpu_times) {
		.packets_known = true, .packets = UINT32_MAX - 4,
		.steal_ns = 10, .known = true,
	});
	TEST_U64("32 bits overflow", between.packets, 10);
	TEST_U64("backwards", between.steal_ns, 0);
}

static void processes(void)
{
	struct task list[] = {
		{ 7, "loop", 100, 1 }, { 8, "new", 40, 1 },
		{ 9, "ktput/1", 900, 1 }, { 10, "self", 900, 1 },
		{ 11, "elsewhere", 900, 0 },
	};
	static const char stat[] =
		"77 (a ) (b) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
		"20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 3 37";
	struct task before[] = { { 7, "loop", 70, 1 } };
	struct tasks first = { before, 1 }, second = { list, 5 };
	struct task task;

	TEST_TRUE("a name with anything in it", tasks_parse(stat, &task));
	TEST_STRING("its name", task.name, "a ) (b");
	TEST_U64("number", task.pid, 77);
	TEST_U64("time", task.ticks, 11 + 12);
	TEST_U64("CPU", task.cpu, 3);
	TEST_TRUE("no line", !tasks_parse("77 a R", &task));
	TEST_TRUE("the longest", tasks_longest(&first, &second, 1, 10, &task));
	TEST_STRING("since the first reading", task.name, "new");
	first.count = 0;
	TEST_TRUE("nothing there", !tasks_longest(&first, &second, 2, 10, &task));
}

static const struct test_case cases[] = {
	{ "parts and their sum", split },
	{ "what is not known", unknown },
	{ "what /proc tells", sources },
	{ "processes that ran longest", processes },
};

TEST_MAIN(cases)
