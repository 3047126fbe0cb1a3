// SPDX-License-Identifier: GPL-2.0
/* events: what perf counts on CPUs, and what it does not. */
#include <errno.h>
#include <string.h>

#include "../../tools/module/events.h"
#include "../../tools/analysis/measure.h"
#include "../../tools/result/record.h"
#include "test.h"

#define CYCLES		KTPUT_A_EVENTS_CORE_CYCLES
#define INSTRUCTIONS	KTPUT_A_EVENTS_INSTRUCTIONS
#define SWITCHES	KTPUT_A_EVENTS_CONTEXT_SWITCHES

/* Event i has happened @base + i times. */
static struct events reading(uint64_t base)
{
	struct events events = { 0 };

	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		events.known[i] = true;
		events.count[i] = base + i;
	}
	return events;
}

static void not_counted(struct events *events, int event, int error)
{
	events->known[event] = false;
	events->count[event] = 0;
	events->reason[event] = events_reason(error);
}

static void keys(void)
{
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
		char key[EVENTS_KEY_SIZE];

		events_reason_key(i, key);
		TEST_TRUE("fits", strlen(key) < EVENTS_KEY_SIZE - 1);
		TEST_TRUE("begins with the event's",
			  !strncmp(key, events_key(i), strlen(events_key(i))));
		for (int j = EVENTS_FIRST; j < i; j++) {
			TEST_TRUE("of its own",
				  strcmp(events_key(i), events_key(j)));
			TEST_TRUE("a name of its own",
				  strcmp(events_name(i), events_name(j)));
		}
	}
	TEST_STRING("first", events_key(EVENTS_FIRST), "core_cycles");
	TEST_STRING("last", events_key(EVENTS_LAST), "cpu_migrations");
}

static void differences(void)
{
	struct events earlier = reading(100), later = reading(1000);
	struct events between;

	not_counted(&earlier, CYCLES, ENOENT);
	not_counted(&later, INSTRUCTIONS, EBUSY);
	between = events_difference(&later, &earlier);
	TEST_U64("both", between.count[SWITCHES], 900);
	TEST_TRUE("no reason", !between.reason[SWITCHES]);
	TEST_TRUE("not earlier", !between.known[CYCLES]);
	TEST_STRING("why", between.reason[CYCLES], "no PMU counts it");
	TEST_TRUE("not later", !between.known[INSTRUCTIONS]);
	TEST_U64("nothing of it", between.count[INSTRUCTIONS], 0);
	TEST_STRING("why", between.reason[INSTRUCTIONS],
		    "others have the counters of the PMU");
}

static void sums(void)
{
	struct events sum = reading(10), other = reading(200);

	not_counted(&other, CYCLES, ENODEV);
	events_add(&sum, &other);
	TEST_U64("sum", sum.count[SWITCHES], 210 + 2 * SWITCHES);
	TEST_TRUE("of both only", !sum.known[CYCLES]);
	TEST_U64("nothing of it", sum.count[CYCLES], 0);
	TEST_STRING("why", sum.reason[CYCLES],
		    "the CPU was offline when counting began");
}

static void told(void)
{
	struct events events = { 0 };

	TEST_TRUE("nothing", !events_told(&events));
	events.reason[EVENTS_LAST] = events_reason(ENOENT);
	TEST_TRUE("that it is not counted", events_told(&events));
	events = (struct events) { .known[EVENTS_FIRST] = true };
	TEST_TRUE("a count of 0", events_told(&events));
}

static void of_cpus(void)
{
	struct client_cpu cpus[2] = {
		{ .time_ns = 10, .cycles = 100, .events = reading(7) },
		{ .time_ns = 20, .cycles = 500, .events = reading(12) },
	};
	struct client_snapshot earlier = { .cpus = &cpus[0], .cpu_count = 1 };
	struct client_snapshot later = { .cpus = &cpus[1], .cpu_count = 1 };
	struct measure_cpu cpu;

	TEST_TRUE("CPU 0", measure_cpu(&earlier, &later, 0, &cpu));
	TEST_U64("difference", cpu.events.count[SWITCHES], 5);
}

/* What is printed of CPUs 0 and 3. */
static void print(char *text, size_t size, enum output_form form,
		  const char *key, const struct events *first,
		  const struct events *second)
{
	FILE *to = fmemopen(text, size, "w");
	struct output *out = output_new(to, stderr, form, "test");
	struct event_table table = { .out = out, .key = key };

	event_table_row(&table, 0, first);
	event_table_row(&table, 3, second);
	event_table_end(&table);
	TEST_TRUE("printed", !output_free(out));
	fclose(to);
}

/* From the first to the last, as a record has them. */
static void recorded(void)
{
	struct events events = reading(0);
	char text[256] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");
	struct output *out = output_new(to, stderr, OUTPUT_JSON, "test");

	not_counted(&events, INSTRUCTIONS, EBUSY);
	record_events(out, &events);
	TEST_TRUE("written", !output_free(out));
	fclose(to);
	TEST_STRING("recorded", text,
		    "{\"events\":{\"core_cycles\":1,\"instructions_not_counted\":"
		    "\"others have the counters of the PMU\","
		    "\"context_switches\":3,\"cpu_migrations\":4}}\n");
}

static void table(void)
{
	struct events first = reading(0), second = reading(0), none = { 0 };
	char text[1024] = "";

	first.count[CYCLES] = 1000;
	first.count[INSTRUCTIONS] = 2345;
	not_counted(&second, CYCLES, EBUSY);
	print(text, sizeof(text), OUTPUT_TEXT, "events", &first, &second);
	TEST_STRING("two CPUs", text,
		    "\nEvents that perf counts\n"
		    "CPU  core cycles  instructions   IPC  switches  migrations\n"
		    "  0         1000          2345  2.35         3           4\n"
		    "  3            -             2     -         3           4\n"
		    "Core cycles      not counted: others have the counters of the PMU\n");
	memset(text, 0, sizeof(text));
	print(text, sizeof(text), OUTPUT_TEXT, "events", &none, &none);
	TEST_STRING("nothing to tell", text, "");
}

static void rows(void)
{
	struct events first = reading(0), second = reading(0), none = { 0 };
	char text[1024] = "";

	first.count[CYCLES] = 1000;
	first.count[INSTRUCTIONS] = 2500;
	not_counted(&second, CYCLES, EBUSY);
	print(text, sizeof(text), OUTPUT_JSON, "events", &first, &second);
	TEST_STRING("two CPUs", text,
		    "{\"events\":[{\"cpu\":0,\"core_cycles\":1000,"
		    "\"instructions\":2500,\"instructions_per_cycle\":2.5,"
		    "\"context_switches\":3,\"cpu_migrations\":4},"
		    "{\"cpu\":3,\"core_cycles_not_counted\":"
		    "\"others have the counters of the PMU\","
		    "\"instructions\":2,\"context_switches\":3,"
		    "\"cpu_migrations\":4}]}\n");
	memset(text, 0, sizeof(text));
	print(text, sizeof(text), OUTPUT_JSON, NULL, &first, &second);
	TEST_STRING("of the text alone", text, "");
	print(text, sizeof(text), OUTPUT_JSON, "events", &none, &none);
	TEST_STRING("nothing to tell", text, "");
}

static const struct test_case cases[] = {
	{ "a record has each of them", recorded },
	{ "a key and a name for each event", keys },
	{ "differences", differences },
	{ "sums over CPUs", sums },
	{ "what the kernel tells of", told },
	{ "events of a CPU between snapshots", of_cpus },
	{ "a table of CPUs", table },
	{ "CPUs as JSON", rows },
};

TEST_MAIN(cases)
