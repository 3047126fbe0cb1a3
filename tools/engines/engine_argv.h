/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine_argv: the command line of another program.
 */
#ifndef KTPUT_CTL_ENGINE_ARGV_H
#define KTPUT_CTL_ENGINE_ARGV_H

#include <stddef.h>

#include "../module/config.h"
#include "../base/units.h"

#define ENGINE_ARGV_MAX	48

/**
 * struct engine_argv - a command line
 * @count: number of words
 * @word: words, ended by NULL
 * @used: bytes in use in @text
 * @text: storage for numbers and addresses
 */
struct engine_argv {
	size_t count;
	char *word[ENGINE_ARGV_MAX + 1];
	size_t used;
	char text[1024];
};

void engine_argv_add(struct engine_argv *words, const char *word);
void engine_argv_option(struct engine_argv *words, const char *option,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void engine_argv_pass(struct engine_argv *words, const struct config *config,
		      int type, const char *option);
int engine_argv_one_end(const char *engine, const struct config *config,
			struct units_error *err);

/* Command line of each engine, as a client for a source, as a server for a sink. */
int iperf_argv_make(struct engine_argv *words, const struct config *config,
		    struct units_error *err);
int nuttcp_argv_make(struct engine_argv *words, const struct config *config,
		     struct units_error *err);

#endif
