/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command: one command of ktput-ctl.
 *
 * main.c finds the command, copies its defaults, parses its words by the
 * option table, prints its help and turns refusals into exit statuses. The
 * command itself sees a finished configuration.
 */
#ifndef KTPUT_CTL_COMMAND_H
#define KTPUT_CTL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/options.h"
#include "../lib/output.h"
#include "../lib/units.h"

/* Exit statuses. */
#define COMMAND_DONE	0
#define COMMAND_FAILED	1
#define COMMAND_USAGE	2

/**
 * struct command_context - what a command is called with
 * @out: where results and diagnostics go
 * @statistics: the user asked for more (-s)
 * @options: the command's table
 * @given: the options that were given, for options_given()
 * @words: the words of the command line, from the command on
 * @word_count: how many
 */
struct command_context {
	struct output *out;
	bool statistics;
	const struct options_table *options;
	uint64_t given;
	char *const *words;
	int word_count;
};

/**
 * struct command - an entry of the command table
 * @name: the word, or two with a blank between them
 * @summary: one line for the list of commands
 * @notes: closing lines of the command's help, or NULL
 * @options: its keywords
 * @defaults: the configuration before any keyword, or NULL for all zero
 * @config_size: bytes of the configuration
 * @check: refuse combinations as usage errors, or NULL
 * @run: do it; returns COMMAND_DONE, or COMMAND_FAILED after output_error()
 */
struct command {
	const char *name;
	const char *summary;
	const char *notes;
	const struct options_table *options;
	const void *defaults;
	size_t config_size;
	int (*check)(const struct command_context *context, const void *config,
		     struct units_error *err);
	int (*run)(const struct command_context *context, const void *config);
};

extern const struct command command_info;
extern const struct command command_ladder;
extern const struct command command_monitor;
extern const struct command command_profile;
extern const struct command command_pingpong;
extern const struct command command_show;
extern const struct command command_sink;
extern const struct command command_start;
extern const struct command command_stop;
extern const struct command command_wire;
extern const struct command command_wire_atm;
extern const struct command command_wire_pci;
extern const struct command command_wire_pcie;
extern const struct command command_wire_window;

#endif
