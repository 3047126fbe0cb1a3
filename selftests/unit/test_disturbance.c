// SPDX-License-Identifier: GPL-2.0
/* Other work on the CPUs of a run: which of them count, and who is named. */
#include <string.h>
#include <unistd.h>

#include "../../tools/result/attribute.h"
#include "test.h"

#define SECOND	1000000000ULL
#define MCYCLES	1000000ULL

/* A second of three CPUs of 1000 M cycles; a sink in the kernel is on the first. */
struct fixture {
	struct client_cpu before[3], after[3];
	struct reference_cpu beside[3];
	struct session session;
};

static void set(struct client_cpu *cpu, uint64_t sink, uint64_t receive,
		uint64_t user, uint32_t packets)
{
	uint64_t *cycles = cpu->contexts.cycles;

	cpu->counters.calls = sink ? 100 : 0;
	cpu->times.packets_known = true;
	cpu->times.packets = packets;
	cycles[KTPUT_A_CONTEXTS_SINK] = sink * MCYCLES;
	cycles[KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE] = receive * MCYCLES;
	cycles[KTPUT_A_CONTEXTS_USER] = user * MCYCLES;
	cycles[KTPUT_A_CONTEXTS_IDLE] = (1000 - sink - receive - user) * MCYCLES;
}

static void set_up(struct fixture *to)
{
	*to = (struct fixture) { 0 };
	for (int i = 0; i < 3; i++) {
		to->before[i] = (struct client_cpu) {
			.id = i, .time_ns = SECOND,
			.times.packets_known = true,
		};
		memset(to->before[i].contexts.known, 1,
		       sizeof(to->before[i].contexts.known));
		to->after[i] = to->before[i];
		to->after[i].time_ns = 2 * SECOND;
		to->after[i].cycles = 1000 * MCYCLES;
		set(&to->after[i], 0, 0, 0, 0);
	}
	set(&to->after[0], 500, 0, 0, 0);
	to->session = (struct session) {
		.disturbed_above = 0.05,
		.sink = {
			.present = true,
			.begin = { .cpus = to->before, .cpu_count = 3 },
			.last = { .cpus = to->after, .cpu_count = 3 },
		},
		.reference = { .count = 3, .cpu = to->beside },
	};
}

static struct attribute_disturbance of(const struct fixture *fixture)
{
	struct attribute_disturbance found;

	attribute_disturbance(&fixture->session, &found);
	return found;
}

static void cpus(void)
{
	struct attribute_disturbance found;
	struct fixture fixture;

	set_up(&fixture);
	set(&fixture.after[1], 0, 0, 900, 0);
	found = of(&fixture);
	TEST_TRUE("known", found.known);
	TEST_TRUE("a CPU without part in the run", !found.disturbed);
	set(&fixture.after[0], 500, 0, 100, 0);
	found = of(&fixture);
	TEST_TRUE("one that makes its calls", found.disturbed);
	TEST_U64("the first", found.cpu.id, 0);

	/* RPS: the third receives the run's packets, beside something else. */
	set_up(&fixture);
	set(&fixture.after[2], 0, 300, 600, 10000);
	found = of(&fixture);
	TEST_TRUE("one that receives its packets", found.disturbed);
	TEST_U64("the third", found.cpu.id, 2);
	TEST_CONTAINS("told", found.text, "other work used 60.0% of CPU 2");

	/* A packet now and then is no part of it. */
	set(&fixture.after[1], 0, 300, 0, 10000);
	set(&fixture.after[2], 0, 10, 900, 30);
	TEST_TRUE("hardly any of them", !of(&fixture).disturbed);
	set(&fixture.after[2], 0, 30, 900, 30);
	TEST_TRUE("a tenth of them", of(&fixture).disturbed);
}

static void names(void)
{
	struct reference_cpu *beside;
	struct fixture fixture;

	set_up(&fixture);
	set(&fixture.after[0], 500, 0, 400, 0);
	beside = &fixture.beside[0];
	beside->longest_known = true;
	beside->longest = (struct task) { .pid = 21, .name = "hog" };
	tasks_set_ns(&beside->longest, 390000000);
	TEST_CONTAINS("who explains it", of(&fixture).text, "mostly hog (21)");
	/* An idle machine's kworker is not to blame. */
	tasks_set_ns(&beside->longest, 30000000);
	TEST_TRUE("nobody who does not", !strstr(of(&fixture).text, "hog"));
	TEST_CONTAINS("only what it was", of(&fixture).text, "mostly other tasks");
	beside->program_ns = 390000000;
	TEST_CONTAINS("this program", of(&fixture).text, "own overhead");
	beside->program_ns = 30000000;
	TEST_TRUE("not for a little", !strstr(of(&fixture).text, "own overhead"));
}

/* The text names the greatest part of what others had, the CPU, and its host. */
static void parts(void)
{
	uint64_t *cycles;
	struct fixture fixture;

	set_up(&fixture);
	cycles = fixture.after[0].contexts.cycles;
	/* 300 M of softirqs, half of whose packets came before the run, too. */
	set(&fixture.after[0], 500, 300, 100, 1000);
	fixture.session.reference.elapsed_ns = SECOND;
	fixture.beside[0].packets_known = true;
	fixture.beside[0].packets = 500;
	TEST_STRING("softirqs", of(&fixture).text,
		    "other work used 25.0% of CPU 0, mostly softirqs of others");
	set(&fixture.after[0], 500, 300, 160, 1000);
	TEST_STRING("tasks", of(&fixture).text,
		    "other work used 31.0% of CPU 0, mostly other tasks");
	/* A quarter of the second of what is left by idle. */
	set(&fixture.after[0], 500, 0, 100, 0);
	cycles[KTPUT_A_CONTEXTS_IDLE] = 400 * MCYCLES;
	fixture.before[0].times.known = true;
	fixture.after[0].times.known = true;
	fixture.after[0].times.steal_ns = SECOND * 3 / 10;
	TEST_STRING("a hypervisor", of(&fixture).text,
		    "other work used 35.0% of CPU 0, mostly the hypervisor");

	set_up(&fixture);
	set(&fixture.after[0], 500, 0, 400, 0);
	fixture.session.far_reference = fixture.session.reference;
	fixture.session.sink.host = "far";
	TEST_CONTAINS("the sink's", of(&fixture).text,
		      "of CPU 0 of the sink's host, most");
	fixture.session.source = fixture.session.sink;
	fixture.session.sink.present = false;
	TEST_CONTAINS("the source's", of(&fixture).text,
		      "of CPU 0 of the source's host, most");
}

/* permille: what share of a CPU of the sink's host was the sink's own. */
static uint64_t permille(const struct fixture *fixture, int cpu)
{
	const struct session *session = &fixture->session;

	return 1000 * attribute_own_share(session, &session->sink, cpu) + 0.5;
}

/* Of several it is the one of which others had most, wherever it is. */
static void most(void)
{
	for (int worst = 0; worst < 3; worst++) {
		struct attribute_disturbance found;
		struct attribute_cpu busiest;
		struct fixture fixture;

		set_up(&fixture);
		for (int i = 0; i < 3; i++)
			set(&fixture.after[i], i == worst ? 600 : 500, 0,
			    i == worst ? 300 : 200, 0);
		found = of(&fixture);
		TEST_U64("the worst", found.cpu.id, worst);
		TEST_TRUE("the busiest", attribute_busiest(&fixture.session, &busiest));
		TEST_U64("the busiest", busiest.id, worst);
		TEST_U64("what is its own", busiest.own * 1000 + 0.5, 600);
		TEST_U64("of one", permille(&fixture, worst), 600);
		TEST_U64("of another", permille(&fixture, (worst + 1) % 3), 500);
	}
}

/* Ticks may be wrong by two of them, which are a part of a second. */
static void ticks(void)
{
	const uint64_t tick_ns = SECOND / sysconf(_SC_CLK_TCK);
	struct fixture fixture;

	for (int more = 0; more < 2; more++) {
		struct client_cpu *cpu;

		set_up(&fixture);
		config_set(&fixture.session.sink.config,
			   KTPUT_A_CONFIG_LAYER, KTPUT_LAYER_USER);
		cpu = &fixture.after[0];
		memset(fixture.before[0].contexts.known, 0,
		       sizeof(fixture.before[0].contexts.known));
		memset(cpu->contexts.known, 0, sizeof(cpu->contexts.known));
		fixture.before[0].times.known = true;
		fixture.before[0].idle_known = true;
		cpu->times.known = true;
		cpu->idle_known = true;
		cpu->idle_ns = SECOND / 2;
		/* Of a half of the second: others, and the rest the run. */
		cpu->times.task_ns = SECOND / 2;
		cpu->thread_ns = SECOND * 45 / 100 - (more ? 3 : 1) * tick_ns;
		TEST_U64("ticks", of(&fixture).disturbed, more);
	}
	/* Contexts are counted in cycles: 6% are above the 5% that are allowed. */
	set_up(&fixture);
	set(&fixture.after[0], 500, 0, 60, 0);
	TEST_TRUE("cycles", of(&fixture).disturbed);
}

static const struct test_case cases[] = {
	{ "what the text says", parts },
	{ "which of several CPUs", most },
	{ "the error of ticks", ticks },
	{ "CPUs that work for the run", cpus },
	{ "who is named", names },
};

TEST_MAIN(cases)
