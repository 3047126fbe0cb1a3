/* SPDX-License-Identifier: GPL-2.0 */
/*
 * commands: the commands of ktput-ctl.
 */
#ifndef KTPUT_CTL_COMMANDS_H
#define KTPUT_CTL_COMMANDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/command.h"
#include "../module/client.h"

extern const struct command command_doctor;
extern const struct command command_far_end;
extern const struct command command_info;
extern const struct command command_monitor;
extern const struct command command_profile;
extern const struct command command_pingpong;
extern const struct command command_reply;
extern const struct command command_show;
extern const struct command command_sink;
extern const struct command command_start;
extern const struct command command_stop;
extern const struct command command_wire;
extern const struct command command_wire_atm;
extern const struct command command_wire_pci;
extern const struct command command_wire_pcie;
extern const struct command command_wire_window;

void doctor_hint(const struct command_context *context);

/*
 * complete: complete a command line.
 *
 * A shell runs "PROGRAM complete WORD...". The last word is partial and may be
 * empty. Each candidate is a line: the word, a tab and its description. If file
 * names may follow, the line is COMPLETE_FILES: the shell completes and quotes them.
 */
#define COMPLETE_FILES	":files"

void complete(const struct command_program *program, int count,
	      char *const *words, FILE *to);

int show_file(const struct command_context *context, const char *file,
	      uint64_t number, struct units_error *err);

/**
 * struct wire_unit - a unit of rates
 * @bps: bits per second
 * @name: its name
 */
struct wire_unit {
	double bps;
	const char *name;
};

const struct wire_unit *wire_unit(uint64_t rate_bps, uint64_t mbit_max_bps);

extern const struct command_other laboratory_commands[];

void laboratory_complete(int count, char *const *words);
bool laboratory_explain(const char *keyword);
int laboratory_run(const struct command_context *context, char *const *words);

/*
 * monitor_metrics: the counters of runs in the text format of Prometheus, as
 * node_exporter's textfile collector reads it.
 */

/**
 * struct metrics - runs that are to be written
 * @netns: their network namespace, as the user named it; NULL for this one
 * @runs: runs, which outlive this
 * @count: number of runs
 */
struct metrics {
	const char *netns;
	struct metrics_run {
		const struct config *config;
		const struct client_snapshot *snapshot;
	} runs[KTPUT_MAX_RUNS];
	size_t count;
};

void metrics_begin(struct metrics *metrics, const char *netns);
void metrics_add(struct metrics *metrics, const struct config *config,
		 const struct client_snapshot *snapshot);
int metrics_replace(const struct metrics *metrics, const char *file,
		    struct units_error *err);

#endif
