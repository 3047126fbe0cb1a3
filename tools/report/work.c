// SPDX-License-Identifier: GPL-2.0
/* work: what a run did, and the cycles that it took. */
#include <math.h>
#include <stdio.h>

#include "../lib/json.h"
#include "work.h"

/* Sum of a member over the elements of an array; NAN where one has none. */
static double sum_of(struct json_object *array, const char *path)
{
	double sum = json_length(array) ? 0 : NAN;

	for (size_t i = 0; i < json_length(array); i++)
		sum += json_number(json_element(array, i), path);
	return sum;
}

/* The snapshot that the result begins with: the last one of the warm-up. */
static struct json_object *begin_of(const struct record *record,
				    const char *end)
{
	struct json_object *intervals = json_array(record->root, "intervals");
	struct json_object *begin;
	char path[32];

	snprintf(path, sizeof(path), "%s.begin", end);
	begin = json_at(record->root, path);
	for (size_t i = 0; i < json_length(intervals); i++) {
		struct json_object *interval = json_element(intervals, i);

		if (!json_is(interval, "warm_up"))
			break;
		begin = json_at(interval, end);
	}
	return begin;
}

static struct json_object *last_of(const struct record *record,
				   const char *end)
{
	struct json_object *intervals = json_array(record->root, "intervals");
	size_t count = json_length(intervals);

	return count ? json_at(json_element(intervals, count - 1), end) : NULL;
}

/* What a counter of all streams or CPUs of an end grew by. */
static double grown(const struct record *record, const char *end,
		    const char *of, const char *path)
{
	struct json_object *before = json_array(begin_of(record, end), of);
	struct json_object *after = json_array(last_of(record, end), of);

	/* Streams may begin after the snapshot that the run begins with. */
	return sum_of(after, path) -
	       (before && !json_length(before) ? 0 : sum_of(before, path));
}

static double calls_of(const struct record *record)
{
	double source = grown(record, "source", "cpus", "calls");
	double sink = grown(record, "sink", "cpus", "calls");

	if (isnan(source))
		return sink;
	return isnan(sink) ? source : source + sink;
}

/**
 * work_get() - what a run did
 * @record: the run
 * @work: filled in
 */
void work_get(const struct record *record, struct work *work)
{
	struct json_object *result = json_at(record->root, "result");
	double loss = json_number(result, "datagrams.loss_share");

	*work = (struct work) {
		.bytes = json_number(result, "cpu_bytes"),
		.packets = json_number(result, "cpu_packets"),
		.calls = calls_of(record),
		.busy_cycles = sum_of(json_array(result, "cpus"),
				      "busy_cycles"),
		.loss_share = isnan(loss) ? 0 : loss,
		.counted = true,
	};
	if (isnan(work->packets))
		work->packets = grown(record, "source", "streams",
				      "tcp.segments_out");
	if (isnan(work->packets)) {
		work->packets = work->bytes /
				json_number(result, "wire.payload_bytes");
		work->counted = false;
	}
}

/**
 * work_missing() - what a run lacks to be a point of the model
 * @work: of the run
 *
 * Return: the end of a sentence, or NULL where it lacks nothing.
 */
const char *work_missing(const struct work *work)
{
	if (!(work->busy_cycles > 0))
		return "it does not tell busy cycles";
	if (!(work->bytes > 0))
		return "it does not tell the bytes of the time in which CPUs were measured";
	if (!(work->packets > 0) || isinf(work->packets))
		return "it does not tell packets, nor the payload of a segment";
	if (!(work->calls > 0))
		return "it does not tell calls";
	return NULL;
}
