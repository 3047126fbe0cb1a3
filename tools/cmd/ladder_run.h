/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_run: one run of a rung, by this program as a process of its own.
 */
#ifndef KTPUT_CTL_LADDER_RUN_H
#define KTPUT_CTL_LADDER_RUN_H

#include <json-c/json.h>
#include <stdbool.h>

#include "../base/record_file.h"
#include "../base/units.h"
#include "../engines/child.h"
#include "../engines/child_output.h"
#include "ladder_words.h"
#include "../run/remote.h"

/**
 * struct ladder_sample - what came of a run
 * @present: it has a valid result
 * @goodput_bps: payload that arrived
 * @packets_per_s: datagrams that arrived; NaN of TCP
 * @cycles_per_byte: busy cycles of all CPUs
 * @cycles_per_packet: likewise; NaN of TCP
 * @loss_share: of datagrams; NaN of TCP
 */
struct ladder_sample {
	bool present;
	double goodput_bps;
	double packets_per_s;
	double cycles_per_byte;
	double cycles_per_packet;
	double loss_share;
};

/**
 * struct ladder_child - a command line that runs
 * @child: the process
 * @host: where it runs, as ssh takes it, or NULL for here
 * @line: its words
 * @files: what it prints to
 * @input: where its standard input is written to, -1 where that has ended
 */
struct ladder_child {
	struct child child;
	const char *host;
	struct remote_line line;
	int files[CHILD_FILES];
	int input;
};

int ladder_child_start(struct ladder_child *child, const char *host,
		       const struct ladder_words *words,
		       struct units_error *why);
double ladder_child_port(const struct ladder_child *child);
void ladder_child_release(struct ladder_child *child);
bool ladder_child_end(struct ladder_child *child, unsigned int index,
		      struct record_file *record,
		      struct json_object **document, struct units_error *why);
bool ladder_run_document(const struct ladder_words *words,
			 struct record_file *record,
			 struct json_object **document,
			 struct units_error *why);
bool ladder_run(const struct ladder_words *words, struct record_file *record,
		struct json_object **document, struct ladder_sample *sample,
		struct units_error *why);

#endif
