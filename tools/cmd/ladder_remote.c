// SPDX-License-Identifier: GPL-2.0
/* ladder_remote: a run of a rung whose ends are on two hosts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/json.h"
#include "../base/interrupt.h"
#include "ladder_remote.h"
#include "../run/run_options.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Who a keyword of a run that has both ends is for. */
enum whose { NEAR, FAR, SOURCE, SINK };

/* With what it is called there; a sink is another command. */
static const struct {
	const char *keyword;
	enum whose whose;
	const char *there;
} keywords[] = {
	{ "netns", NEAR, "netns" },
	{ "sink-netns", FAR, "netns" },
	{ "dev", NEAR, "dev" },
	{ "sink-dev", FAR, "dev" },
	{ "cpus", NEAR, "cpus" },
	{ "sink-cpus", FAR, "cpus" },
	{ "time", SOURCE, "time" },
	{ "rate", SOURCE, "rate" },
	{ "layer", SOURCE, "layer" },
	{ "out", SOURCE, "out" },
	{ "size", SOURCE, "size" },
	{ "sink-layer", SINK, "layer" },
	{ "in", SINK, "in" },
};

/* What a sink outlives a connection by that is broken without its knowing. */
#define PATIENCE_NS	(60ULL * UNITS_NSEC_PER_SEC)

/* Command lines of both ends; what follows them are words of theirs. */
struct ends {
	const struct ladder_options *options;
	struct ladder_words source;
	struct ladder_words sink;
	bool tcp;
	char port[16];
	char cookie[16];
	char patience[32];
};

static void add_pair(struct ladder_words *words, const char *keyword,
		     const char *value)
{
	ladder_words_add(words, keyword);
	ladder_words_add(words, value);
}

/* The end that a keyword is for: the near one sends, unless it is reversed. */
static struct ladder_words *end_of(struct ends *ends, enum whose whose)
{
	const bool reversed = ends->options->reverse;

	if (whose == SOURCE || (whose == NEAR && !reversed) ||
	    (whose == FAR && reversed))
		return &ends->source;
	return &ends->sink;
}

/* CPUs at the ingress hook and XDP are those where frames arrive. */
static bool has_cpus(const struct ladder_words *words)
{
	for (size_t i = 0; i + 1 < words->count; i++)
		if (!strcmp(words->word[i], "sink-layer") &&
		    (!strcmp(words->word[i + 1], "ingress") ||
		     !strcmp(words->word[i + 1], "xdp")))
			return false;
	return true;
}

static void split(struct ends *ends, const struct ladder_words *words)
{
	const bool sink_has_cpus = has_cpus(words);

	for (size_t i = 2; i + 1 < words->count; i += 2) {
		const char *value = words->word[i + 1];

		for (size_t j = 0; j < COUNT(keywords); j++) {
			struct ladder_words *end;

			if (strcmp(keywords[j].keyword, words->word[i]))
				continue;
			end = end_of(ends, keywords[j].whose);
			if (strcmp(keywords[j].there, "cpus") ||
			    end == &ends->source || sink_has_cpus)
				add_pair(end, keywords[j].there, value);
			if (ends->tcp && !strcmp(words->word[i], "size"))
				add_pair(&ends->sink, "size", value);
		}
	}
}

/* The address of an end, or NULL where only the name of the host is known. */
static const char *address_of(const struct ladder_options *options, bool far)
{
	return far ? options->to : options->from;
}

static const char *host_of(const struct ladder_options *options)
{
	const char *at = strrchr(options->remote, '@');

	return at ? at + 1 : options->remote;
}

static void make_ends(struct ends *ends, const struct ladder_options *options,
		      const struct ladder_words *words)
{
	const bool sink_is_far = !options->reverse;
	const char *sink = address_of(options, sink_is_far);
	const char *transport = words->word[1];

	*ends = (struct ends){
		.options = options, .tcp = !strcmp(transport, "tcp"),
	};
	snprintf(ends->cookie, sizeof(ends->cookie), "%" PRIu32,
		 run_options_cookie());
	snprintf(ends->patience, sizeof(ends->patience), "%lluns",
		 options->time_ns + PATIENCE_NS);
	ladder_words_add(&ends->source, "start");
	ladder_words_add(&ends->source, transport);
	add_pair(&ends->source, "to", sink ? sink : host_of(options));
	ladder_words_add(&ends->source, "alone");
	ladder_words_add(&ends->sink, "sink");
	ladder_words_add(&ends->sink, transport);
	ladder_words_add(&ends->source, "until-eof");
	ladder_words_add(&ends->sink, "until-eof");
	add_pair(&ends->sink, "time", ends->patience);
	if (sink)
		add_pair(&ends->sink, "on", sink);
	split(ends, words);
	add_pair(&ends->sink, "streams", "1");
	if (ends->tcp) {
		ladder_words_add(&ends->sink, "once");
		add_pair(&ends->sink, "port", "0");
		return;
	}
	add_pair(&ends->sink, "cookie", ends->cookie);
	add_pair(&ends->source, "cookie", ends->cookie);
	if (has_cpus(words))
		add_pair(&ends->sink, "port", "0");
}

/* What both ends have counted; cycles of either are of its own host. */
static void combine(struct json_object *source, struct json_object *sink,
		    struct ladder_sample *sample)
{
	const double bytes = json_number(sink, "cpu_bytes");
	const double packets = json_number(sink, "cpu_packets");
	const double sent = json_number(source, "packets");
	const double cycles =
		json_number(source, "busy_cycles_per_byte") *
		json_number(source, "cpu_bytes") +
		json_number(sink, "busy_cycles_per_byte") * bytes;

	*sample = (struct ladder_sample){
		.present = true,
		.goodput_bps = json_number(sink, "goodput_bps"),
		.packets_per_s = json_number(sink, "packets_per_s"),
		.cycles_per_byte = cycles / bytes,
		.cycles_per_packet = cycles / packets,
		.loss_share = fmax(0, 1 - json_number(sink, "packets") / sent),
	};
}

static bool run_source(struct ends *ends, double port,
		       struct record_file *record,
		       struct json_object **document, struct units_error *why)
{
	const char *far = ends->options->reverse ? ends->options->remote : NULL;
	struct ladder_child source;

	snprintf(ends->port, sizeof(ends->port), "%.0f", port);
	add_pair(&ends->source, "port", ends->port);
	if (ladder_child_start(&source, far, &ends->source, why))
		return false;
	return ladder_child_end(&source, 0, record, document, why);
}

/**
 * ladder_remote_run() - run a rung between two hosts
 * @options: where they are
 * @words: "start" and the keywords of a run with both ends
 * @record: file that the records of both ends are added to, or NULL
 * @sample: what came of it
 * @why: why @sample is not present
 *
 * The sink is started first, and says where it listens; it ends when its
 * standard input does.
 *
 * Return: true where @sample is present.
 */
bool ladder_remote_run(const struct ladder_options *options,
		       const struct ladder_words *words,
		       struct record_file *record,
		       struct ladder_sample *sample, struct units_error *why)
{
	struct json_object *from = NULL, *to = NULL;
	struct units_error sink_why = { "" };
	struct ladder_child sink;
	bool received, sent;
	struct ends ends;
	double port;

	*sample = (struct ladder_sample){ 0 };
	make_ends(&ends, options, words);
	if (ladder_child_start(&sink, options->reverse ? NULL : options->remote,
			       &ends.sink, why))
		return false;
	port = ladder_child_port(&sink);
	sent = !isnan(port) && run_source(&ends, port, record, &from, why);
	ladder_child_release(&sink);
	received = ladder_child_end(&sink, 1, record, &to, &sink_why);
	if (sent && received)
		combine(json_at(from, "result"), json_at(to, "result"), sample);
	else if (sent || isnan(port))
		*why = sink_why;
	json_object_put(from);
	json_object_put(to);
	return sample->present;
}
