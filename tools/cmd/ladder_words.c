// SPDX-License-Identifier: GPL-2.0
/* ladder_words: the command line of a rung. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ladder_rungs.h"
#include "ladder_words.h"

/* A frame is that much more than a datagram's payload, without FCS: Ethernet,
 * IP without options, and UDP.
 */
#define FRAME_IPV4	(14 + 20 + 8)
#define FRAME_IPV6	(14 + 40 + 8)

/**
 * ladder_settings_make() - what all rungs have in common
 * @settings: filled in
 * @options: what the user says
 */
void ladder_settings_make(struct ladder_settings *settings,
			  const struct ladder_options *options)
{
	const bool ipv6 = options->to && strchr(options->to, ':');

	*settings = (struct ladder_settings){
		.options = options,
		.transmit_to = "socket",
		.receive_from = "socket",
	};
	snprintf(settings->time, sizeof(settings->time), "%" PRIu64 "ns",
		 options->time_ns);
	snprintf(settings->datagram, sizeof(settings->datagram), "%" PRIu64,
		 options->datagram_bytes);
	snprintf(settings->frame, sizeof(settings->frame), "%" PRIu64,
		 options->datagram_bytes + (ipv6 ? FRAME_IPV6 : FRAME_IPV4));
}

/**
 * ladder_settings_rate() - settle the rate of all UDP rungs
 * @settings: settings
 * @packets_per_s: rate; it becomes a whole number, 1 at least
 */
void ladder_settings_rate(struct ladder_settings *settings,
			  double packets_per_s)
{
	settings->packets_per_s = floor(fmax(packets_per_s, 1));
	snprintf(settings->rate, sizeof(settings->rate), "%.0fpps",
		 settings->packets_per_s);
}

/**
 * ladder_words_add() - add a word
 * @words: command line; what is too much for it is left out
 * @word: word, which stays
 */
void ladder_words_add(struct ladder_words *words, const char *word)
{
	if (words->count < LADDER_WORDS_MAX)
		words->word[words->count++] = word;
	words->word[words->count] = NULL;
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

/**
 * ladder_words_ends() - the words that say where ends are, and for how long
 * @settings: what all rungs have in common
 * @words: command line that they are added to
 */
void ladder_words_ends(const struct ladder_settings *settings,
		       struct ladder_words *words)
{
	const struct ladder_options *options = settings->options;

	add_pair(words, "to", options->to);
	add_pair(words, "from", options->from);
	add_pair(words, "netns", options->netns);
	add_pair(words, "sink-netns", options->sink_netns);
	add_pair(words, "dev", options->device);
	add_pair(words, "sink-dev", options->sink_device);
	add_pair(words, "cpus", options->cpus);
	add_pair(words, "sink-cpus", options->sink_cpus);
	add_pair(words, "time", settings->time);
}

/**
 * ladder_words_make() - the words of a run
 * @settings: what all rungs have in common
 * @rung: index into ladder_rungs
 * @limited: at the rate of all UDP rungs, else without a limit
 * @words: filled in; the end that is the same for the group comes from it
 */
void ladder_words_make(const struct ladder_settings *settings, size_t rung,
		       bool limited, struct ladder_words *words)
{
	static const char *const ingress[] = { "sink-layer", "ingress", NULL };
	static const char *const socket[] = {
		"sink-layer", "socket", "in", "zerocopy", NULL
	};
	static const char *const driver[] = { "layer", "driver", NULL };
	static const char *const sendmsg[] = { "layer", "socket", NULL };
	const struct ladder_options *options = settings->options;
	const enum ladder_group group = ladder_rungs[rung].group;
	bool frames = ladder_rungs[rung].kind == LADDER_FRAMES;

	*words = (struct ladder_words){ 0 };
	ladder_words_add(words, "start");
	ladder_words_add(words, group == LADDER_TCP ? "tcp" : "udp");
	ladder_words_ends(settings, words);
	add_all(words, ladder_rungs[rung].words);
	if (group == LADDER_TRANSMIT)
		add_all(words, strcmp(settings->transmit_to, "ingress") ?
			       socket : ingress);
	if (group == LADDER_RECEIVE) {
		frames = !strcmp(settings->receive_from, "driver");
		add_all(words, frames ? driver : sendmsg);
	}
	add_pair(words, "size", group == LADDER_TCP ? options->message :
				frames ? settings->frame : settings->datagram);
	if (limited && group != LADDER_TCP)
		add_pair(words, "rate", settings->rate);
}
