// SPDX-License-Identifier: GPL-2.0
/*
 * Whole runs in user space, over the loopback of a network namespace: whatever their
 * options, what was asked for is counted, alike by streams, CPUs, ends and intervals.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../tools/base/json.h"
#include "test.h"

/* What is typed, and what comes of it. */
struct row {
	const char *typed;
	int streams;
	/* Of each stream, which both ends count; TCP's sinks count no messages. */
	double bytes, messages;
	/* Requests under way at a time, 0 if a rate is kept, and how long all take at least. */
	int outstanding;
	double least_ns;
};

#define TCP	"start layer user sink-layer user "
#define UDP	"start udp layer user sink-layer user "
#define TRIPS	"pingpong layer user "

static const struct row streams_rows[] = {
	{ TCP "bytes 1M", 1, 1 << 20, 8, 0, 0 },
	{ TCP "bytes 1050K streams 3 size 1000 method zerocopy sink-method trunc", 3,
	  350 << 10, 359, 0, 0 },
	{ TCP "bytes 1M method sendfile nodelay sndbuf 64K rcvbuf 64K", 1, 1 << 20, 8, 0, 0 },
	/* The first window is not paced. */
	{ TCP "bytes 4M streams 4 pace 80mbit", 4, 1 << 20, 8, 0, 50e6 },
	{ TCP "bytes 1M streams 2 method io_uring size 4K", 2, 1 << 19, 128, 0, 0 },
	/* As many as the sink's buffer holds, so that none is lost. */
	{ UDP "messages 600 streams 3 size 300 rate 9kpps", 3, 60000, 200, 0, 50e6 },
	{ UDP "messages 600 streams 3 size 300 segments 4 rate 12kpps", 3, 60000, 200, 0,
	  40e6 },
	{ UDP "messages 200 batch 8 size 100 rate 5kpps", 1, 20000, 200, 0, 30e6 },
};

static const struct row trips_rows[] = {
	{ TRIPS "messages 600 streams 3 outstanding 4 request 100 response 200", 3,
	  60000, 200, 4, 0 },
	{ TRIPS "messages 300 wait spin", 1, 38400, 300, 1, 0 },
	{ TRIPS "messages 300 wait block", 1, 38400, 300, 1, 0 },
	{ TRIPS "messages 20 outstanding 2 think 30ms", 1, 2560, 20, 2, 260e6 },
	{ TRIPS "messages 90 streams 3 outstanding 2 rate 900", 3, 3840, 30, 0, 80e6 },
	{ TRIPS "udp messages 600 streams 2 outstanding 3", 2, 38400, 300, 3, 0 },
	{ TRIPS "udp messages 300 wait spin outstanding 5", 1, 38400, 300, 5, 0 },
	{ TRIPS "udp messages 20 outstanding 2 think 30ms request 20 response 30", 1, 1000,
	  20, 2, 260e6 },
};

/* Of a namespace of its own every port is free. */
static bool alone(void)
{
	static int done;

	if (!done)
		done = unshare(CLONE_NEWNET) || system("ip link set lo up") ? -1 : 1;
	if (done < 0)
		test_skip("no network namespace of its own");
	return done > 0;
}

static struct json_object *play(const struct row *row)
{
	static char text[4 << 20];
	const char *tool = getenv("KTPUT_CTL");
	char command[400];
	FILE *from;

	snprintf(command, sizeof(command), "%s -j -s %s 2>&1", tool ? tool : "ktput-ctl",
		 row->typed);
	from = popen(command, "r");
	text[from ? fread(text, 1, sizeof(text) - 1, from) : 0] = '\0';
	/* A kernel, or a build, may have no io_uring. */
	if (from && pclose(from) && !strstr(text, "io_uring"))
		TEST_FAIL("%s: %.200s", row->typed, text);
	return json_tokener_parse(text);
}

#define SUM(array, key)	add_up(array, key, __LINE__)
static double add_up(struct json_object *array, const char *key, int line)
{
	double sum = 0;

	if (!array)
		TEST_FAIL("line %d: nothing to sum up", line);
	for (size_t i = 0; array && i < json_object_array_length(array); i++)
		sum += json_number(json_object_array_get_idx(array, i), key);
	return sum;
}

static void equal(const struct row *row, const char *what, double have, double want)
{
	if (have != want)
		TEST_FAIL("%s: %s: have %.15g, want %.15g", row->typed, what, have, want);
}

/* The row of a CPU. */
static struct json_object *cpu_of(struct json_object *cpus, double id)
{
	for (size_t i = 0; i < json_object_array_length(cpus); i++)
		if (json_number(json_object_array_get_idx(cpus, i), "cpu") == id)
			return json_object_array_get_idx(cpus, i);
	return NULL;
}

/* An end at its end: streams have equal parts, and CPUs the sums of theirs. */
static void check_end(const struct row *row, struct json_object *end, bool messages)
{
	static const char *const keys[] = {
		"bytes", "messages", "calls", "would_blocks",
	};
	struct json_object *streams = json_at(end, "streams"), *cpus = json_at(end, "cpus");
	const double begun = json_number(end, "run.begun_ns");
	const double ended = json_number(end, "run.ended_ns");

	equal(row, "streams", json_number(end, "run.streams"), row->streams);
	TEST_STRING(row->typed, json_text(end, "run.state"), "ended");
	TEST_TRUE(row->typed, begun && begun <= ended);
	TEST_TRUE(row->typed, ended <= json_number(end, "run.now_ns"));
	equal(row, "streams", json_object_array_length(streams), row->streams);
	for (size_t i = 0; i < TEST_COUNT(keys); i++)
		equal(row, keys[i], SUM(cpus, keys[i]), SUM(streams, keys[i]));
	/* CPUs have those of making the streams, too. */
	TEST_TRUE(row->typed, SUM(cpus, "call_cycles") >= SUM(streams, "call_cycles"));
	for (int i = 0; i < row->streams; i++) {
		struct json_object *stream = json_object_array_get_idx(streams, i);
		struct json_object *cpu = cpu_of(cpus, json_number(stream, "cpu"));

		equal(row, "number", json_number(stream, "stream"), i);
		equal(row, "bytes", json_number(stream, "bytes"), row->bytes);
		equal(row, "messages", json_number(stream, "messages"),
		      messages ? row->messages : 0);
		equal(row, "error", json_number(stream, "errno"), 0);
		TEST_STRING(row->typed, json_text(stream, "state"), "ended");
		TEST_TRUE(row->typed, json_number(stream, "first_cycles") <=
				      json_number(stream, "last_cycles"));
		TEST_TRUE(row->typed, json_number(stream, "call_cycles") > 0);
		TEST_TRUE("its CPU has its bytes",
			  cpu && json_number(cpu, "bytes") >= row->bytes);
		if (!strncmp(row->typed, UDP, strlen(UDP)) &&
		    !strcmp(json_text(end, "run.role"), "sink")) {
			equal(row, "received", json_number(stream, "datagrams.received"),
			      row->messages);
			equal(row, "lost", json_number(stream, "datagrams.lost"), 0);
		}
	}
}

static struct json_object *check_run(const struct row *row, struct json_object *record,
				     bool messages)
{
	struct json_object *all = json_at(record, "intervals"), *last;

	TEST_TRUE(row->typed, json_is(record, "result.valid"));
	TEST_TRUE(row->typed, json_number(record, "result.span_ns") >= row->least_ns);
	if (!all || !json_object_array_length(all))
		return NULL;
	last = json_object_array_get_idx(all, json_object_array_length(all) - 1);
	check_end(row, json_at(last, "source"), true);
	check_end(row, json_at(last, "sink"), messages);
	return all;
}

static void of_streams(void)
{
	for (size_t i = 0; alone() && i < TEST_COUNT(streams_rows); i++) {
		const struct row *row = &streams_rows[i];
		const bool udp = strstr(row->typed, "udp");
		struct json_object *record = play(row), *intervals;

		if (json_at(record, "error")) {
			json_object_put(record);
			continue;
		}
		intervals = check_run(row, record, udp);
		equal(row, "bytes", json_number(record, "result.bytes"),
		      row->bytes * row->streams);
		equal(row, "bytes of intervals", SUM(intervals, "bytes"),
		      row->bytes * row->streams);
		equal(row, "messages", json_number(record, udp ? "result.packets" :
						   "result.messages"),
		      row->messages * row->streams);
		json_object_put(record);
	}
}

static void of_trips(void)
{
	for (size_t i = 0; alone() && i < TEST_COUNT(trips_rows); i++) {
		const struct row *row = &trips_rows[i];
		struct json_object *record = play(row), *intervals, *latency;
		const double want = row->messages * row->streams;
		double count, least, most, took, mean;

		intervals = check_run(row, record, true);
		equal(row, "trips", json_number(record, "result.round_trips"), want);
		equal(row, "trips of intervals", SUM(intervals, "round_trips"), want);
		equal(row, "timed", SUM(json_at(record, "result.histogram"), "count"), want);
		equal(row, "given up", json_number(record, "result.timeouts"), 0);
		equal(row, "unanswered", json_number(record, "result.unanswered"), 0);
		latency = json_at(record, "result.latency_ns");
		count = json_number(latency, "count");
		least = json_number(latency, "min");
		most = json_number(latency, "max");
		took = json_number(latency, "sum");
		equal(row, "timed", count, want);
		TEST_TRUE(row->typed, least > 0 && least * count <= took);
		TEST_TRUE(row->typed, took <= most * count);
		mean = json_number(latency, "mean");
		TEST_TRUE(row->typed, fabs(mean / (took / count) - 1) < 1e-9);
		/* No more are under way than are allowed, all the time. */
		TEST_TRUE(row->typed, !row->outstanding ||
			  took <= json_number(record, "result.span_ns") * row->streams *
				  row->outstanding * 1.01 + 1e5);
		json_object_put(record);
	}
}

static const struct test_case cases[] = {
	{ "streams", of_streams },
	{ "round trips", of_trips },
};

TEST_MAIN(cases)
