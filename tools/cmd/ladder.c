// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl ladder: the same traffic in every place, and the differences. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../module/client.h"
#include "../base/json.h"
#include "commands.h"
#include "../base/interrupt.h"
#include "ladder.h"
#include "ladder_options.h"
#include "ladder_remote.h"
#include "ladder_report.h"

/* A rung that was refused so often is not tried any more. */
#define PATIENCE	2

/*
 * All UDP rungs run at one rate, so that none of them is compared at another
 * load, and that nothing need be lost: this share of what the first of them,
 * from user space to user space, carries without a limit.
 */
#define RATE_SHARE	0.5

/* A ladder, and what it is climbed with. */
struct climb {
	const struct ladder_options *options;
	struct output *out;
	struct ladder ladder;
	struct record_file *record;
	uint64_t begun_ns;
	uint64_t round_ns;
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
	struct json_object *document = NULL;
	struct ladder_words words;
	bool done;

	ladder_words_make(&ladder->settings, index, limited, &words);
	if (climb->options->remote)
		done = ladder_remote_run(climb->options, &words, climb->record,
					 sample, &cell->why);
	else
		done = ladder_run(&words, climb->record, &document, sample,
				  &cell->why);
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

/* Whether somebody sees a line that is written over. */
static bool has_live_line(const struct climb *climb)
{
	return output_is_text(climb->out) && isatty(STDERR_FILENO);
}

/* Elsewhere there is a line for each round. */
static void tell_text(const struct climb *climb, const char *what,
		      const char *text)
{
	const double spent = seconds_since(climb->begun_ns);

	if (!has_live_line(climb))
		return;
	fprintf(stderr, "\r\033[K%.0f s of %.0f at most: %s %s", spent,
		climb->options->limit_ns / 1e9, what, text);
}

static void tell(const struct climb *climb, const char *what, size_t rung)
{
	char text[64];

	snprintf(text, sizeof(text), "%s: %s",
		 ladder_group_text(ladder_rungs[rung].group),
		 ladder_rungs[rung].name);
	tell_text(climb, what, text);
}

static void tell_end(const struct climb *climb)
{
	if (has_live_line(climb))
		fputs("\r\033[K", stderr);
}

/* How far the widest interval of a cost reaches above its mean, NaN if unknown. */
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
		if (cost.too_short)
			return NAN;
		share = statistics_half_width(&cost) / cost.mean;
		most = share > most ? share : most;
	}
	return most;
}

static void tell_round(const struct climb *climb)
{
	const double share = widest(&climb->ladder);
	char text[64] = "";

	tell_end(climb);
	if (!isnan(share))
		snprintf(text, sizeof(text),
			 ", widest interval %.1f%% to %+.1f%%",
			 100 / (1 + share) - 100, share * 100);
	output_progress(climb->out,
			"ladder: round %u of at most %" PRIu64 " done after %.0f s%s",
			climb->ladder.rounds, climb->options->rounds,
			seconds_since(climb->begun_ns), text);
}

static bool wanted(const struct climb *climb, size_t rung)
{
	const unsigned int transport = climb->options->transport;
	const enum ladder_group group = ladder_rungs[rung].group;
	const enum ladder_kind kind = ladder_rungs[rung].kind;

	if ((kind == LADDER_IPERF && !climb->options->iperf) ||
	    (kind == LADDER_URING && !climb->options->uring))
		return false;
	return transport == LADDER_BOTH ||
	       (transport == LADDER_TCP_ONLY) == (group == LADDER_TCP);
}

/* The rate of the UDP rungs, and what stands at their other end. */
static void probe(struct climb *climb)
{
	const size_t user = ladder_rung_find(LADDER_TRANSMIT, "user");
	const size_t driver = ladder_rung_find(LADDER_TRANSMIT, "driver");
	const struct ladder_options *options = climb->options;
	struct ladder *ladder = &climb->ladder;
	struct ladder_sample sample;
	double packets_per_s;

	if (options->transport == LADDER_TCP_ONLY)
		return;
	if (options->rate.per_s) {
		packets_per_s = options->rate.per_s;
		if (!options->rate.packets)
			packets_per_s /= 8.0 * options->datagram_bytes;
	} else {
		tell(climb, "looking for a rate:", user);
		if (!run_rung(climb, user, false, &sample))
			return;
		packets_per_s = sample.packets_per_s * RATE_SHARE;
	}
	ladder_settings_rate(&ladder->settings, packets_per_s);

	/* Loopback, and whatever else has no driver and no hook of its own. */
	ladder->settings.transmit_to = "ingress";
	tell(climb, "looking for the lowest layer:", driver);
	if (!ladder->interrupted && run_rung(climb, driver, true, &sample))
		ladder->settings.receive_from = "driver";
	else
		ladder->settings.transmit_to = "socket";
	ladder->cells[driver].failures = 0;
}

/* Once more, sampled: what is sampled is not what is compared. */
static void sample_rung(struct climb *climb, size_t index, unsigned int round)
{
	const bool packets = ladder_rungs[index].group != LADDER_TCP;
	struct ladder *ladder = &climb->ladder;
	struct ladder_cell *cell = &ladder->cells[index];
	struct json_object *document;
	struct ladder_sample sample;
	struct ladder_words words;
	struct units_error why;

	ladder_words_make(&ladder->settings, index, true, &words);
	ladder_words_add(&words, "profile");
	if (ladder_run(&words, climb->record, &document, &sample, &why))
		cell->sampled[round] = sampled_read(document, packets,
						    &ladder->classes);
	else
		cell->why_not_sampled = why;
	ladder->interrupted |= interrupt_count();
	json_object_put(document);
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
		if (climb->options->profile && !ladder->interrupted &&
		    cell->samples[round].present)
			sample_rung(climb, i, round);
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
	climb->options = options;
	climb->begun_ns = now_ns();
	climb->ladder.wanted = options->ci_percent / 100;
	climb->ladder.profiled = options->profile;
	ladder_settings_make(&climb->ladder.settings, options);
	for (size_t i = 0; i < ladder_rung_count; i++)
		climb->ladder.cells[i].left_out =
			!wanted(climb, i);
}

/* The ladder stands behind the records of its runs. */
static void keep(struct json_object *document, void *data)
{
	record_file_add_json(data, document);
}

/* Both ends of the rungs that have a ping-pong of their kind. */
static void measure_latency(struct climb *climb)
{
	struct ladder *ladder = &climb->ladder;

	for (size_t i = 0; i < LADDER_LATENCIES; i++) {
		if (!ladder_latency_wanted(ladder, i))
			continue;
		if (ladder->interrupted) {
			units_refuse(&ladder->latencies[i].why, "interrupted");
			continue;
		}
		tell_text(climb, "round trips:", ladder_latency_name(i));
		ladder_latency_run(&ladder->settings, i, &ladder->latencies[i]);
		ladder->interrupted |= interrupt_count();
	}
}

static int climb_all(struct climb *climb, struct units_error *err)
{
	struct ladder *ladder = &climb->ladder;
	struct output *out = climb->out;

	probe(climb);
	/* Without a rate there is no UDP. */
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder_rungs[i].group != LADDER_TCP &&
		    !ladder->settings.packets_per_s)
			ladder->cells[i].left_out = true;
	do {
		if (!ladder->interrupted)
			climb_round(climb);
	} while (!enough(climb));
	if (climb->options->latency)
		measure_latency(climb);
	tell_end(climb);
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

static void release(struct ladder *ladder)
{
	json_object_put(ladder->ceilings);
	for (size_t i = 0; i < ladder_rung_count; i++)
		for (unsigned int j = 0; j < ladder->rounds; j++)
			free(ladder->cells[i].sampled[j]);
	sampled_names_free(&ladder->classes);
	free(ladder->cells);
}

/* Most rungs are the module's: without it there is no ladder. */
static int check_module(const struct ladder_options *options,
			struct units_error *err)
{
	struct client client;
	struct units_error why;
	const int ret = client_open(&client, options->netns, &why);

	if (!ret) {
		client_close(&client);
		return 0;
	}
	units_refuse(err, ret == -ENOENT ?
		     "%s; 'ktput-ctl start layer user sink-layer user' takes no module" :
		     "%s", why.text);
	return -1;
}

static int run(const struct command_context *context, const void *data)
{
	struct climb climb = { .out = context->out };
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
	interrupt_catch();
	ret = 0;
	if (climb.options->remote)
		ret = remote_check(climb.options->remote, &err);
	if (!ret)
		ret = check_module(climb.options, &err);
	if (!ret && climb.options->record) {
		ret = record_file_open(&record, climb.options->record,
				       climb.options->replace, &err);
		climb.record = ret ? NULL : &record;
	}
	if (!ret)
		ret = climb_all(&climb, &err);
	if (climb.record) {
		struct units_error why;

		if (record_file_close(&record, ret ? &why : &err))
			ret = -1;
	}
	release(&climb.ladder);
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
	.options = &ladder_options_table,
	.defaults = &ladder_options_defaults,
	.config_size = sizeof(ladder_options_defaults),
	.check = ladder_options_check,
	.run = run,
};
