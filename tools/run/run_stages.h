/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_stages: follow messages of a session through this kernel.
 *
 * If both ends are in this kernel, messages are followed from the source to the
 * reader, else as far as they are here.
 */
#ifndef KTPUT_CTL_RUN_STAGES_H
#define KTPUT_CTL_RUN_STAGES_H

#include <stdio.h>

#include "../analysis/stages.h"
#include "../host/stage_watch.h"

struct session;
struct session_end;

/**
 * struct run_stages - messages that are followed
 * @asked: the user asked for it
 * @path: file that their trace is written to, or NULL
 * @trace: that file, or NULL if it is not open
 * @unwritten: why it was not written
 * @watch: their stamps, while the run lasts
 * @stages: the stamps by message
 * @from_ns: CLOCK_REALTIME from which messages count
 * @known: the result is known
 * @because: why it is not
 * @result: where their time passed
 * @lost: stamps that there was no room for
 * @unread: times that a packet passed whose message could not be read
 * @missing: hooks that this kernel lacks, separated by ", "
 */
struct run_stages {
	bool asked;
	const char *path;
	FILE *trace;
	struct units_error unwritten;
	struct stage_watch watch;
	struct stages stages;
	uint64_t from_ns;
	bool known;
	struct units_error because;
	struct stages_result result;
	uint64_t lost;
	uint64_t unread;
	char missing[sizeof(((struct stage_watch *)NULL)->missing)];
};

int run_stages_open(struct run_stages *stages, struct units_error *err);
void run_stages_begin(struct session *session, const struct session_end *end,
		      bool detail);
void run_stages_warm(struct run_stages *stages);
void run_stages_look(struct run_stages *stages);
void run_stages_finish(struct session *session);
const char *run_stages_message(const struct session *session);
int run_stages_written(const struct run_stages *stages,
		       struct units_error *err);
void run_stages_free(struct run_stages *stages);

#endif
