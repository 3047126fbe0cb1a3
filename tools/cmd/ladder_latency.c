// SPDX-License-Identifier: GPL-2.0
/* ladder_latency: round trips of rungs that have a ping-pong of their kind. */
#include <string.h>

#include "../base/json.h"
#include "ladder.h"
#include "ladder_latency.h"
#include "../base/paragraph.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Payload of a request, and of a response. */
#define SIZE_BYTES	64
#define SIZE		"64"

enum kind { TCP_USER, TCP_WORKER, UDP_USER, UDP_WORKER, UDP_CALLBACK, BYPASS };

static const struct {
	const char *name;
	const char *words[6];
} kinds[LADDER_LATENCIES] = {
	[TCP_USER] = { "TCP, user space", { "tcp", "layer", "user" } },
	[TCP_WORKER] = { "TCP, kernel", { "tcp", "reply", "worker" } },
	[UDP_USER] = { "UDP, user space", { "udp", "layer", "user" } },
	[UDP_WORKER] = { "UDP, kernel", { "udp", "reply", "worker" } },
	[UDP_CALLBACK] = { "UDP, callback", { "udp", "reply", "callback" } },
	[BYPASS] = { "bypass", { "udp", "layer", "driver" } },
};

/* Both ends of a ping-pong are of one kind, whatever a rung has at its other. */
static const struct {
	enum ladder_group group;
	const char *rung;
	enum kind kind;
} counterparts[] = {
	{ LADDER_TCP, "user, copy", TCP_USER },
	{ LADDER_TCP, "kernel, no copy", TCP_WORKER },
	{ LADDER_TRANSMIT, "user", UDP_USER },
	{ LADDER_TRANSMIT, "socket", UDP_WORKER },
	{ LADDER_TRANSMIT, "driver", BYPASS },
	{ LADDER_RECEIVE, "user", UDP_USER },
	{ LADDER_RECEIVE, "socket, no copy", UDP_WORKER },
	{ LADDER_RECEIVE, "socket, in softirq", UDP_CALLBACK },
	{ LADDER_RECEIVE, "ingress", BYPASS },
};

/* The kind of a rung, or LADDER_LATENCIES. */
static size_t kind_of(size_t rung)
{
	for (size_t i = 0; i < COUNT(counterparts); i++)
		if (counterparts[i].group == ladder_rungs[rung].group &&
		    !strcmp(counterparts[i].rung, ladder_rungs[rung].name))
			return counterparts[i].kind;
	return LADDER_LATENCIES;
}

/**
 * ladder_latency_name() - what a kind is called
 * @kind: number, below LADDER_LATENCIES
 *
 * Return: a few words.
 */
const char *ladder_latency_name(size_t kind)
{
	return kinds[kind].name;
}

/**
 * ladder_latency_wanted() - whether a rung that is run has a kind
 * @ladder: ladder
 * @kind: number, below LADDER_LATENCIES
 *
 * Return: true where one has.
 */
bool ladder_latency_wanted(const struct ladder *ladder, size_t kind)
{
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (kind_of(i) == kind && ladder_is_part(ladder, i))
			return true;
	return false;
}

/**
 * ladder_latency_run() - measure round trips of a kind
 * @settings: what all rungs have in common
 * @kind: number, below LADDER_LATENCIES
 * @latency: filled in
 */
void ladder_latency_run(const struct ladder_settings *settings, size_t kind,
			struct ladder_latency *latency)
{
	struct json_object *document, *times;
	struct ladder_words words = { 0 };

	ladder_words_add(&words, "pingpong");
	for (const char *const *word = kinds[kind].words; *word; word++)
		ladder_words_add(&words, *word);
	ladder_words_ends(settings, &words);
	ladder_words_add(&words, "size");
	ladder_words_add(&words, SIZE);
	latency->present = ladder_run_document(&words, NULL, &document,
					       &latency->why);
	times = json_at(document, "result.latency_ns");
	latency->median_ns = json_number(times, "p50");
	latency->p99_ns = json_number(times, "p99");
	json_object_put(document);
}

static const struct output_column columns[] = {
	{ .title = "Round trips of " SIZE " bytes", .width = 36, .left = true },
	{ .title = "median", .width = 10 },
	{ .title = "99%", .width = 10 },
};

static void print_row(struct output *out, const struct ladder *ladder,
		      size_t rung)
{
	static const struct ladder_latency none = {
		.why.text = "no ping-pong of its kind",
	};
	const enum ladder_group group = ladder_rungs[rung].group;
	const size_t kind = kind_of(rung);
	const struct ladder_latency *latency = kind == LADDER_LATENCIES ?
		&none : &ladder->latencies[kind];

	output_row_begin(out);
	output_string(out, "name", ladder_rungs[rung].name, "%s: %s",
		      ladder_group_short(group), ladder_rungs[rung].name);
	output_data_string(out, "group", ladder_group_name(group));
	if (latency->present) {
		output_double(out, "median_ns", latency->median_ns, "%s",
			      units_show_time(latency->median_ns).text);
		output_double(out, "p99_ns", latency->p99_ns, "%s",
			      units_show_time(latency->p99_ns).text);
		output_data_string(out, "kind", ladder_latency_name(kind));
	} else {
		output_text(out, "-");
		output_text(out, "-");
		output_data_string(out, "not_measured_because",
				   latency->why.text);
	}
	output_row_end(out);
}

/**
 * ladder_latency_print() - print the round trips of all rungs
 * @out: where it goes
 * @ladder: ladder; nothing is printed of one without them
 */
void ladder_latency_print(struct output *out, const struct ladder *ladder)
{
	if (!ladder->settings.options->latency)
		return;
	output_data_u64(out, "latency_size_bytes", SIZE_BYTES);
	output_table_begin(out, "latency", columns, COUNT(columns), false);
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder_is_part(ladder, i))
			print_row(out, ladder, i);
	output_table_end(out);
	for (size_t i = 0; i < LADDER_LATENCIES; i++)
		if (ladder_latency_wanted(ladder, i) &&
		    !ladder->latencies[i].present)
			paragraph_print(out, kinds[i].name,
					ladder->latencies[i].why.text);
	output_text(out, "Both ends are in the place of the rung. Where there is "
		    "-, no ping-pong is\nlike it, or the reason stands above.\n\n");
}
