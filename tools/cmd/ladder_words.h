/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_words: the command line of a rung.
 */
#ifndef KTPUT_CTL_LADDER_WORDS_H
#define KTPUT_CTL_LADDER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "ladder_options.h"

/* Words of a command line, at most. */
#define LADDER_WORDS_MAX	64

/**
 * struct ladder_words - a command line
 * @count: words
 * @word: words, ended by NULL
 */
struct ladder_words {
	size_t count;
	const char *word[LADDER_WORDS_MAX + 1];
};

/**
 * struct ladder_settings - what all rungs have in common
 * @options: what the user says
 * @transmit_to: sink of the rungs that transmit
 * @receive_from: source of the rungs that receive
 * @packets_per_s: rate of all UDP rungs; 0 where it is not known yet
 * @time: of a run
 * @datagram: payload of a datagram
 * @frame: bytes of a frame that carries one
 * @rate: @packets_per_s
 */
struct ladder_settings {
	const struct ladder_options *options;
	const char *transmit_to;
	const char *receive_from;
	double packets_per_s;
	char time[32];
	char datagram[32];
	char frame[32];
	char rate[32];
};

void ladder_settings_make(struct ladder_settings *settings,
			  const struct ladder_options *options);
void ladder_settings_rate(struct ladder_settings *settings,
			  double packets_per_s);
void ladder_words_add(struct ladder_words *words, const char *word);
void ladder_words_ends(const struct ladder_settings *settings,
		       struct ladder_words *words);
void ladder_words_make(const struct ladder_settings *settings, size_t rung,
		       bool limited, struct ladder_words *words);

#endif
