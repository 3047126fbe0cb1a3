// SPDX-License-Identifier: GPL-2.0
/* stages_trace: what viewers read has each message, and stages that add up to it. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/analysis/stages_trace.h"
#include "../../tools/base/json.h"
#include "test.h"

#define SENT_NS		1796007673224677660ULL
#define APART_NS	1000

static struct json_object *written(struct stages *stages,
				   struct stages_result *result)
{
	struct json_object *trace;
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		abort();
	TEST_U64("written", stages_trace_write(stages, result, "datagram", to), 0);
	fclose(to);
	trace = json_tokener_parse(text);
	TEST_TRUE("is JSON", trace);
	free(text);
	stages_free(stages);
	return trace;
}

/* Messages @apart from each other pass two places and a reader. */
static struct json_object *trace_of(int messages, uint64_t apart)
{
	const struct stages_reader reader = {
		.woken_ns = 1, .running_ns = 2, .instead = "a\"b\\",
	};
	struct stages_result result;
	struct stages stages;

	if (stages_begin(&stages, STAGES_HANDED, STAGES_TAKEN))
		abort();
	for (int i = 0; i < messages; i++) {
		struct stages_stamp stamp = {
			.sent_ns = SENT_NS + i * apart, .number = i,
			.ports = 40000U << 16 | 5010, .cpu = 3, .packet = 1,
		};
		struct stages_reader own = reader;

		stamp.place = STAGES_QUEUED;
		stamp.time_ns = stamp.sent_ns + 301;
		stages_add(&stages, &stamp);
		stamp.place = STAGES_DELIVERED;
		stamp.time_ns = stamp.sent_ns + 1005;
		stages_add(&stages, &stamp);
		own.woken_ns = stamp.sent_ns + 1007;
		own.running_ns = stamp.sent_ns + 2007;
		stamp.place = STAGES_TAKEN;
		stamp.time_ns = stamp.sent_ns + 2500;
		stages_add_reader(&stages, &stamp, &own);
		stages_add(&stages, &stamp);
	}
	if (stages_compute(&stages, 1, 0, &result))
		abort();
	return written(&stages, &result);
}

/* Of the slices of a message, by their category, the sum or the greatest track. */
static uint64_t told(struct json_object *trace, const char *category,
		     uint64_t number, const char *path)
{
	struct json_object *events = json_array(trace, "traceEvents");
	uint64_t sum = 0;

	for (size_t i = 0; i < json_length(events); i++) {
		struct json_object *event = json_element(events, i);
		const char *own = json_text(event, "cat");

		if (own && !strcmp(own, category) &&
		    json_u64(event, "args.number") == number)
			sum += json_u64(event, path);
	}
	return sum;
}

static struct json_object *slice(struct json_object *trace, const char *name)
{
	struct json_object *events = json_array(trace, "traceEvents");

	for (size_t i = 0; i < json_length(events); i++) {
		const char *own = json_text(json_element(events, i), "name");

		if (own && !strcmp(own, name))
			return json_element(events, i);
	}
	return NULL;
}

static void slices(void)
{
	struct json_object *trace = trace_of(3, 1000000);
	struct json_object *run = slice(trace, "run");

	for (int i = 0; i < 3; i++) {
		TEST_U64("whole", told(trace, "whole", i, "args.time_ns"), 2500);
		TEST_U64("its stages", told(trace, "stage", i, "args.time_ns"),
			 2500);
		TEST_U64("one after the other, on one track",
			 told(trace, "whole", i, "tid"), 1);
	}
	TEST_STRING("origin", json_text(trace, "otherData.origin_ns"),
		    "1796007673224677660");
	TEST_STRING("what", json_text(slice(trace, "datagram 2"), "ph"), "X");
	TEST_TRUE("begins", json_number(slice(trace, "datagram 2"), "ts") == 2000);
	TEST_TRUE("run begins", json_number(run, "ts") == 1.007);
	TEST_TRUE("and lasts", json_number(run, "dur") == 1.0);
	TEST_U64("CPU", json_u64(run, "args.end_cpu"), 3);
	TEST_STRING("what had it", json_text(run, "args.cpu_had"), "a\"b\\");
	TEST_TRUE("of other stages nothing had it",
		  !json_text(slice(trace, "wake"), "args.cpu_had"));
	json_object_put(trace);
}

/* Slices of a track must not overlap. */
static void tracks(void)
{
	struct json_object *trace = trace_of(5, APART_NS);

	TEST_U64("first", told(trace, "whole", 0, "tid"), 1);
	TEST_U64("meanwhile", told(trace, "whole", 1, "tid"), 2);
	TEST_U64("third", told(trace, "whole", 2, "tid"), 3);
	TEST_U64("the first has ended", told(trace, "whole", 3, "tid"), 1);
	TEST_U64("its stages are there too", told(trace, "stage", 3, "tid"),
		 5 * 1);
	json_object_put(trace);
}

static void none(void)
{
	struct stages_result result = { 0 };
	struct stages stages = { 0 };
	struct json_object *trace = written(&stages, &result);

	TEST_U64("events", json_length(json_array(trace, "traceEvents")), 1);
	json_object_put(trace);
}

static const struct test_case cases[] = {
	{ "a slice for each message and stage", slices },
	{ "no two messages overlap on a track", tracks },
	{ "without a message", none },
};

TEST_MAIN(cases)
