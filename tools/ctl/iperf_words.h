/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iperf_words: the command line of iperf3 for a configuration.
 */
#ifndef KTPUT_CTL_IPERF_WORDS_H
#define KTPUT_CTL_IPERF_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/config.h"
#include "../lib/units.h"

#define IPERF_WORDS_MAX	48

/**
 * struct iperf_words - a command line
 * @count: words
 * @word: words, ended by NULL
 * @used: bytes of @text that are in use
 * @text: numbers and addresses, one behind the other
 */
struct iperf_words {
	size_t count;
	char *word[IPERF_WORDS_MAX + 1];
	size_t used;
	char text[1024];
};

int iperf_words_make(struct iperf_words *words, const struct config *config,
		     struct units_error *err);

#endif
