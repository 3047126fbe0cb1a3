// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl ladder: the same traffic in every place, and the differences. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../lib/json.h"
#include "commands.h"
#include "interrupt.h"
#include "ladder.h"
#include "ladder_report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* A rung that was refused so often is not tried any more. */
#define PATIENCE	2

/*
 * All UDP rungs run at one rate, so that none of them is compared at another
 * load, and that nothing need be lost: this share of what the first of them,
 * from user space to user space, carries without a limit.
 */
#define RATE_SHARE	0.5

/* A frame is that much more than a datagram's payload, without FCS: Ethernet,
 * IP without options, and UDP.
 */
#define FRAME_IPV4	(14 + 20 + 8)
#define FRAME_IPV6	(14 + 40 + 8)

struct ladder_options {
	unsigned int transport;
	const char *to;
	const char *from;
	const char *device;
	const char *sink_device;
	const char *netns;
	const char *sink_netns;
	const char *cpus;
	const char *sink_cpus;
	const char *message;
	uint64_t datagram_bytes;
	struct units_rate rate;
	uint64_t time_ns;
	uint64_t rounds;
	double ci_percent;
	uint64_t limit_ns;
	const char *record;
};

enum { BOTH, TCP, UDP };

static const struct ladder_options defaults = {
	.message = "128K",
	.datagram_bytes = 1448,
	.time_ns = UNITS_NSEC_PER_SEC,
	.rounds = 10,
	.ci_percent = 5,
	.limit_ns = 240 * UNITS_NSEC_PER_SEC,
};

#define FIELD(name)	.target = offsetof(struct ladder_options, name)

static const struct options_entry entries[] = {
	{
		.keyword = "tcp", .parse = options_set, FIELD(transport),
		.value = TCP, .help = "TCP alone (default: TCP and UDP)",
	}, {
		.keyword = "udp", .parse = options_set, FIELD(transport),
		.value = UDP, .help = "UDP alone",
	}, {
		.keyword = "to", .argument = "ADDRESS", .parse = options_word,
		FIELD(to), .help = "address of the sink, which is on this host "
			"(default 127.0.0.1)",
	}, {
		.keyword = "from", .argument = "ADDRESS",
		.parse = options_word, FIELD(from),
		.help = "address to send from (default: the route's)",
	}, {
		.keyword = "netns", .argument = "NAME", .parse = options_word,
		FIELD(netns), .help = "network namespace of the source",
	}, {
		.keyword = "sink-netns", .argument = "NAME",
		.parse = options_word, FIELD(sink_netns),
		.help = "network namespace of the sink",
	}, {
		.keyword = "dev", .argument = "DEVICE", .parse = options_word,
		FIELD(device), .help = "device of the source",
	}, {
		.keyword = "sink-dev", .argument = "DEVICE",
		.parse = options_word, FIELD(sink_device),
		.help = "device of the sink",
	}, {
		.keyword = "cpus", .argument = "LIST", .parse = options_word,
		FIELD(cpus), .help = "CPUs of the source (default: the lower "
			"half)",
	}, {
		.keyword = "sink-cpus", .argument = "LIST",
		.parse = options_word, FIELD(sink_cpus),
		.help = "CPUs of the sink (default: the others)",
	}, {
		.keyword = "message", .argument = "SIZE",
		.parse = options_word, FIELD(message),
		.help = "bytes of a call with TCP (default 128K)",
	}, {
		.keyword = "datagram", .argument = "SIZE",
		.parse = options_size, FIELD(datagram_bytes), .min = 18,
		.max = 65507,
		.help = "payload of a datagram (default 1448)",
	}, {
		.keyword = "rate", .argument = "RATE", .parse = options_rate,
		FIELD(rate), .help = "packets that all UDP rungs send (1mpps), "
			"or bits (default: half of what user space can)",
	}, {
		.keyword = "time", .argument = "TIME", .parse = options_time,
		FIELD(time_ns), .min = 10000000, .max = UINT64_MAX,
		.help = "of each run (default 1s)",
	}, {
		.keyword = "rounds", .argument = "N", .parse = options_count,
		FIELD(rounds), .min = LADDER_ROUNDS_MIN,
		.max = LADDER_ROUNDS_MAX,
		.help = "rounds at most; 3 at least (default 10)",
	}, {
		.keyword = "until ci", .argument = "PERCENT",
		.parse = options_percent, FIELD(ci_percent),
		.help = "end when the 95% confidence interval of each rung's "
			"cost is within +-PERCENT (default 5%)",
	}, {
		.keyword = "limit", .argument = "TIME", .parse = options_time,
		FIELD(limit_ns), .min = 1, .max = UINT64_MAX,
		.help = "begin no round that would not end by then (default "
			"240s)",
	}, {
		.keyword = "record", .argument = "FILE", .parse = options_word,
		FIELD(record), .help = "keep the record of each run in FILE, "
			"and the ladder behind them",
	},
};

static const struct options_table table = {
	.entry = entries, .count = COUNT(entries),
};

/* A ladder, and what it is climbed with. */
struct climb {
	const struct ladder_options *options;
	struct ladder ladder;
	struct record_file *record;
	uint64_t begun_ns;
	uint64_t round_ns;
	char time[32];
	char datagram[32];
	char frame[32];
	char rate[32];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

static double seconds_since(uint64_t begun_ns)
{
	return (now_ns() - begun_ns) / 1e9;
}

static void add_pair(struct ladder_words *words, const char *keyword,
		     const char *value)
{
	if (!value)
		return;
	ladder_words_add(words, keyword);
	ladder_words_add(words, value);
}

static void add_all(struct ladder_words *words, const char *const *more)
{
	for (; *more; more++)
		ladder_words_add(words, *more);
}

/* The words of a run; the end that is the same for the group comes from it. */
static void make_words(const struct climb *climb, size_t index, bool limited,
		       struct ladder_words *words)
{
	static const char *const ingress[] = { "sink-layer", "ingress", NULL };
	static const char *const socket[] = {
		"sink-layer", "socket", "in", "zerocopy", NULL
	};
	static const char *const driver[] = { "layer", "driver", NULL };
	static const char *const sendmsg[] = { "layer", "socket", NULL };
	const struct ladder_options *options = climb->options;
	const struct ladder_rung *rung = &ladder_rungs[index];
	bool frames = rung->frames;

	*words = (struct ladder_words){ 0 };
	ladder_words_add(words, "start");
	ladder_words_add(words, rung->group == LADDER_TCP ? "tcp" : "udp");
	add_pair(words, "to", options->to);
	add_pair(words, "from", options->from);
	add_pair(words, "netns", options->netns);
	add_pair(words, "sink-netns", options->sink_netns);
	add_pair(words, "dev", options->device);
	add_pair(words, "sink-dev", options->sink_device);
	add_pair(words, "cpus", options->cpus);
	add_pair(words, "sink-cpus", options->sink_cpus);
	add_pair(words, "time", climb->time);
	add_all(words, rung->words);
	if (rung->group == LADDER_TRANSMIT)
		add_all(words, strcmp(climb->ladder.transmit_to, "ingress") ?
			       socket : ingress);
	if (rung->group == LADDER_RECEIVE) {
		frames = !strcmp(climb->ladder.receive_from, "driver");
		add_all(words, frames ? driver : sendmsg);
	}
	add_pair(words, "size", rung->group == LADDER_TCP ? options->message :
				frames ? climb->frame : climb->datagram);
	if (limited && rung->group != LADDER_TCP)
		add_pair(words, "rate", climb->rate);
}

/* Of the TCP rung that carries most. */
static void keep_ceilings(struct ladder *ladder, size_t index,
			  struct json_object *document, double goodput_bps)
{
	struct json_object *ceilings = json_array(document, "result.ceilings");

	if (ladder_rungs[index].group != LADDER_TCP ||
	    goodput_bps <= ladder->ceilings_bps || !ceilings)
		return;
	json_object_put(ladder->ceilings);
	ladder->ceilings = json_object_get(ceilings);
	ladder->ceilings_of = index;
	ladder->ceilings_bps = goodput_bps;
}

static bool run_rung(struct climb *climb, size_t index, bool limited,
		     struct ladder_sample *sample)
{
	struct ladder *ladder = &climb->ladder;
	struct ladder_cell *cell = &ladder->cells[index];
	struct json_object *document;
	struct ladder_words words;
	bool done;

	make_words(climb, index, limited, &words);
	done = ladder_run(&words, climb->record, &document, sample, &cell->why);
	/* What was cut short is not like the others. */
	if (interrupt_count()) {
		ladder->interrupted = true;
		sample->present = false;
	} else if (done) {
		keep_ceilings(ladder, index, document, sample->goodput_bps);
	} else {
		cell->failures++;
	}
	json_object_put(document);
	return sample->present;
}

/* A line that is written over on a terminal; elsewhere there is one a round. */
static void tell(const struct climb *climb, const char *what, size_t rung)
{
	const double spent = seconds_since(climb->begun_ns);

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%.0f s of %.0f at most: %s %s: %s", spent,
		climb->options->limit_ns / 1e9, what,
		ladder_group_text(ladder_rungs[rung].group),
		ladder_rungs[rung].name);
}

static void tell_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* Half of the widest interval of a cost, over its mean; NaN where unknown. */
static double widest(const struct ladder *ladder)
{
	double most = 0;

	for (size_t i = 0; i < ladder_rung_count; i++) {
		struct statistics cost;
		double share;

		if (ladder->cells[i].left_out)
			continue;
		ladder_rung_statistics(ladder, i,
				       ladder_cost(ladder_rungs[i].group),
				       &cost);
		if (cost.count < LADDER_ROUNDS_MIN)
			return NAN;
		share = (cost.ci_high - cost.mean) / cost.mean;
		most = share > most ? share : most;
	}
	return most;
}

static void tell_round(const struct climb *climb)
{
	const double share = widest(&climb->ladder);

	tell_end();
	fprintf(stderr, "ladder: round %u of at most %" PRIu64 " done after %.0f s",
		climb->ladder.rounds, climb->options->rounds,
		seconds_since(climb->begun_ns));
	if (!isnan(share))
		fprintf(stderr, ", widest interval +-%.1f%%", share * 100);
	fputc('\n', stderr);
}

static bool wanted(const struct climb *climb, enum ladder_group group)
{
	return climb->options->transport == BOTH ||
	       (climb->options->transport == TCP) == (group == LADDER_TCP);
}

/* The rate of the UDP rungs, and what stands at their other end. */
static void probe(struct climb *climb)
{
	const size_t user = ladder_rung_find(LADDER_TRANSMIT, "user");
	const size_t driver = ladder_rung_find(LADDER_TRANSMIT, "driver");
	struct ladder *ladder = &climb->ladder;
	struct ladder_sample sample;

	ladder->transmit_to = "socket";
	ladder->receive_from = "socket";
	if (climb->options->transport == TCP)
		return;
	if (climb->options->rate.per_s) {
		ladder->packets_per_s = climb->options->rate.per_s;
		if (!climb->options->rate.packets)
			ladder->packets_per_s /=
				8.0 * climb->options->datagram_bytes;
	} else {
		tell(climb, "looking for a rate:", user);
		if (!run_rung(climb, user, false, &sample))
			return;
		ladder->packets_per_s = sample.packets_per_s * RATE_SHARE;
	}
	if (ladder->packets_per_s < 1)
		ladder->packets_per_s = 1;
	ladder->packets_per_s = floor(ladder->packets_per_s);
	snprintf(climb->rate, sizeof(climb->rate), "%.0fpps",
		 ladder->packets_per_s);

	/* Loopback, and whatever else has no driver and no hook of its own. */
	ladder->transmit_to = "ingress";
	tell(climb, "looking for the lowest layer:", driver);
	if (!ladder->interrupted && run_rung(climb, driver, true, &sample))
		ladder->receive_from = "driver";
	else
		ladder->transmit_to = "socket";
	ladder->cells[driver].failures = 0;
}

static void climb_round(struct climb *climb)
{
	struct ladder *ladder = &climb->ladder;
	const unsigned int round = ladder->rounds++;
	const uint64_t begun = now_ns();
	char what[32];

	snprintf(what, sizeof(what), "round %u:", ladder->rounds);
	for (size_t i = 0; i < ladder_rung_count && !ladder->interrupted; i++) {
		struct ladder_cell *cell = &ladder->cells[i];

		if (cell->left_out)
			continue;
		tell(climb, what, i);
		if (!run_rung(climb, i, true, &cell->samples[round]) &&
		    cell->failures >= PATIENCE)
			cell->left_out = true;
	}
	climb->round_ns = now_ns() - begun;
	tell_round(climb);
}

static bool enough(struct climb *climb)
{
	struct ladder *ladder = &climb->ladder;
	const uint64_t spent = now_ns() - climb->begun_ns;

	ladder->met = widest(ladder) <= ladder->wanted;
	if (ladder->interrupted || ladder->met)
		return true;
	ladder->out_of_time = ladder->rounds &&
			      spent + climb->round_ns > climb->options->limit_ns;
	return ladder->out_of_time || ladder->rounds >= climb->options->rounds;
}

static bool any_result(const struct ladder *ladder)
{
	for (size_t i = 0; i < ladder_rung_count; i++)
		for (unsigned int round = 0; round < ladder->rounds; round++)
			if (ladder->cells[i].samples[round].present)
				return true;
	return false;
}

static const char *first_reason(const struct ladder *ladder)
{
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder->cells[i].failures)
			return ladder->cells[i].why.text;
	return "interrupted";
}

static void prepare(struct climb *climb, const struct ladder_options *options)
{
	const bool ipv6 = options->to && strchr(options->to, ':');

	climb->options = options;
	climb->begun_ns = now_ns();
	climb->ladder.wanted = options->ci_percent / 100;
	snprintf(climb->time, sizeof(climb->time), "%" PRIu64 "ns",
		 options->time_ns);
	snprintf(climb->datagram, sizeof(climb->datagram), "%" PRIu64,
		 options->datagram_bytes);
	snprintf(climb->frame, sizeof(climb->frame), "%" PRIu64,
		 options->datagram_bytes + (ipv6 ? FRAME_IPV6 : FRAME_IPV4));
	for (size_t i = 0; i < ladder_rung_count; i++)
		climb->ladder.cells[i].left_out =
			!wanted(climb, ladder_rungs[i].group);
}

/* The ladder stands behind the records of its runs. */
static void keep(struct json_object *document, void *data)
{
	record_file_add_json(data, document);
}

static int climb_all(struct climb *climb, struct output *out,
		     struct units_error *err)
{
	struct ladder *ladder = &climb->ladder;

	interrupt_catch();
	probe(climb);
	/* Without a rate there is no UDP. */
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder_rungs[i].group != LADDER_TCP &&
		    !ladder->packets_per_s)
			ladder->cells[i].left_out = true;
	do {
		if (!ladder->interrupted)
			climb_round(climb);
	} while (!enough(climb));
	tell_end();
	if (!any_result(ladder)) {
		units_refuse(err, "no rung has a result: %s",
			     first_reason(ladder));
		return -1;
	}
	if (climb->record)
		output_keep(out, keep, climb->record);
	ladder_report_print(out, ladder);
	/* What cannot be printed is noticed when the program ends. */
	(void)output_document_end(out);
	output_keep(out, NULL, NULL);
	return 0;
}

static int run(const struct command_context *context, const void *data)
{
	struct climb climb = { 0 };
	struct record_file record;
	struct units_error err;
	int ret;

	climb.ladder.cells = calloc(ladder_rung_count,
				    sizeof(*climb.ladder.cells));
	if (!climb.ladder.cells) {
		output_error(context->out, "out of memory");
		return COMMAND_FAILED;
	}
	prepare(&climb, data);
	ret = 0;
	if (climb.options->record) {
		ret = record_file_open(&record, climb.options->record, &err);
		climb.record = ret ? NULL : &record;
	}
	if (!ret)
		ret = climb_all(&climb, context->out, &err);
	if (climb.record) {
		struct units_error why;

		if (record_file_close(&record, ret ? &why : &err))
			ret = -1;
	}
	json_object_put(climb.ladder.ceilings);
	free(climb.ladder.cells);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

const struct command command_ladder = {
	.name = "ladder",
	.summary = "the same traffic in every place, and what lies between",
	.notes = "Rungs run one after the other, in rounds, until all intervals are narrow.\n"
		 "Ctrl-C ends it and prints what there is.",
	.options = &table,
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.run = run,
};
