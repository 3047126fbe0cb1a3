/* SPDX-License-Identifier: GPL-2.0 */
/* run_words: the words that keywords of a run take, and their parsers. */
#ifndef KTPUT_RUN_WORDS_H
#define KTPUT_RUN_WORDS_H

#include <stdint.h>

#include "../base/options.h"

extern const struct options_choice run_words_layers[];
extern const struct options_choice run_words_sink_layers[];
extern const struct options_choice run_words_methods[];
extern const struct options_choice run_words_sink_methods[];
extern const struct options_choice run_words_waits[];
extern const struct options_choice run_words_engines[];
extern const struct options_choice run_words_replies[];
extern const struct options_choice run_words_links[];

/* Parsers of entries. */
int run_words_framesize(const char *word, const struct options_entry *entry,
			void *target, struct units_error *err);
int run_words_mac(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err);
int run_words_tag(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err);
int run_words_host(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err);
int run_words_dscp(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err);
int run_words_sweep(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err);

int dscp_parse(const char *word, uint64_t *tos, struct units_error *err);

#endif
