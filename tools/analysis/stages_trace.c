// SPDX-License-Identifier: GPL-2.0
/*
 * stages_trace: messages and their stages, as a trace that viewers of Perfetto and Chrome open.
 *
 * The format is JSON, of trace events. A track has one message at a time, since slices of
 * a track must lie within each other or apart: a message takes the first that is free. Times
 * are microseconds from the earliest message on, with nanoseconds as decimals: as
 * microseconds since 1970, a viewer's numbers have no room for them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "stages_trace.h"

/* Viewers want a process. */
#define PROCESS	1

/* What is written. */
struct trace {
	const struct stages_result *result;
	enum stages_place first;
	enum stages_place last;
	const char *what;
	uint64_t origin_ns;
	uint64_t *free_ns;
	size_t tracks;
	FILE *to;
};

static uint64_t begin_of(const struct trace *trace,
			 const struct stages_followed *followed)
{
	return stages_at(followed->message, trace->last) - followed->whole_ns;
}

/* The first track that is free, or a new one. */
static size_t track_for(struct trace *trace,
			const struct stages_followed *followed)
{
	const uint64_t begin = begin_of(trace, followed);
	size_t i = 0;

	while (i < trace->tracks && trace->free_ns[i] > begin)
		i++;
	if (i == trace->tracks)
		trace->tracks++;
	trace->free_ns[i] = begin + followed->whole_ns;
	return i + 1;
}

static void write_us(FILE *to, const char *key, uint64_t ns)
{
	fprintf(to, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void begin_slice(const struct trace *trace, size_t track,
			const char *category, uint64_t begin_ns, uint64_t end_ns)
{
	fprintf(trace->to,
		",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%zu,\"cat\":\"%s\"",
		PROCESS, track, category);
	write_us(trace->to, "ts", begin_ns - trace->origin_ns);
	write_us(trace->to, "dur", end_ns - begin_ns);
}

/* A name has no characters that cannot be printed. */
static void write_name(FILE *to, const char *name)
{
	for (; *name; name++)
		fprintf(to, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

static void write_stages(const struct trace *trace, size_t track,
			 const struct stages_followed *followed)
{
	const struct stages_message *message = followed->message;
	uint64_t begin = begin_of(trace, followed);

	for (enum stages_place i = trace->first + 1; i <= trace->last; i++) {
		const int back = i > STAGES_BACK;
		const uint64_t end = stages_at(message, i);

		if (!trace->result->row[i].seen)
			continue;
		begin_slice(trace, track, "stage", begin, end);
		fprintf(trace->to, ",\"name\":\"%s\",\"args\":{\"number\":%" PRIu32
			",\"time_ns\":%" PRIu64 ",\"end_cpu\":%u", stages_key(i),
			message->number, end - begin, message->cpu[i]);
		if (i - back * STAGES_BACK == STAGES_RUNNING && end > begin) {
			fprintf(trace->to, ",\"cpu_had\":\"");
			write_name(trace->to, message->instead[back]);
			fputc('"', trace->to);
		}
		fprintf(trace->to, "}}");
		begin = end;
	}
}

static void write_message(struct trace *trace,
			  const struct stages_followed *followed)
{
	const struct stages_message *message = followed->message;
	const uint64_t begin = begin_of(trace, followed);
	const size_t track = track_for(trace, followed);

	begin_slice(trace, track, "whole", begin, begin + followed->whole_ns);
	fprintf(trace->to, ",\"name\":\"%s %" PRIu32 "\",\"args\":{\"number\":%" PRIu32
		",\"time_ns\":%" PRIu64 ",\"source_port\":%" PRIu32 ",\"port\":%"
		PRIu32 "}}", trace->what, message->number, message->number,
		followed->whole_ns, message->ports >> 16,
		message->ports & UINT16_MAX);
	write_stages(trace, track, followed);
}

static void write_tracks(const struct trace *trace)
{
	for (size_t i = 1; i <= trace->tracks; i++)
		fprintf(trace->to, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,"
			"\"name\":\"thread_name\",\"args\":{\"name\":\"%ss\"}}",
			PROCESS, i, trace->what);
}

static int by_begin(const void *one, const void *other, void *trace)
{
	const uint64_t first = begin_of(trace, one);
	const uint64_t second = begin_of(trace, other);

	return (first > second) - (first < second);
}

/**
 * stages_trace_write() - write the messages that count, and their stages
 * @stages: stages that have been computed, or zeroed
 * @result: what was computed
 * @what: what a message is called
 * @to: stream; check it for errors
 *
 * Return: 0, or -ENOMEM.
 */
int stages_trace_write(const struct stages *stages,
		       const struct stages_result *result, const char *what,
		       FILE *to)
{
	const size_t count = stages->followed_count;
	struct stages_followed *sorted = calloc(count + 1, sizeof(*sorted));
	struct trace trace = {
		.result = result, .first = stages->first, .last = stages->last,
		.what = what, .to = to,
		.free_ns = calloc(count + 1, sizeof(*trace.free_ns)),
	};
	const int ret = sorted && trace.free_ns ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < count; i++)
		sorted[i] = stages->followed[i];
	if (!ret)
		qsort_r(sorted, count, sizeof(*sorted), by_begin, &trace);
	if (!ret && count)
		trace.origin_ns = begin_of(&trace, sorted);
	fprintf(to, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"origin_ns\":\"%" PRIu64
		"\",\"every\":%" PRIu64 "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":%d,"
		"\"name\":\"process_name\",\"args\":{\"name\":\"ktput\"}}",
		trace.origin_ns, result->every, PROCESS);
	for (size_t i = 0; !ret && i < count; i++)
		write_message(&trace, &sorted[i]);
	write_tracks(&trace);
	fprintf(to, "\n]}\n");
	free(sorted);
	free(trace.free_ns);
	return ret;
}
