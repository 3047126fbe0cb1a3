/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_stages: follow messages of a session through this kernel.
 *
 * If both ends are in this kernel, messages are followed from the source to the
 * reader, else as far as they are here.
 *
 * In a run that is long enough they are followed in windows, and in between the programs
 * are detached, so that what they cost is measured, and is at most a share of the run
 * (stages_overhead.h). A turn is half a window, the time without programs, and half of the
 * next window.
 */
#ifndef KTPUT_CTL_RUN_STAGES_H
#define KTPUT_CTL_RUN_STAGES_H

#include <stdio.h>

#include "../analysis/stages.h"
#include "../analysis/stages_overhead.h"
#include "../host/stage_watch.h"

struct session;
struct session_end;

/*
 * A run that is to be shorter has no turns. One of unknown length has none for that long.
 */
#define RUN_STAGES_WHOLE_NS	(5 * UNITS_NSEC_PER_SEC)

/**
 * enum run_stages_phase - what the programs do
 * @RUN_STAGES_WHOLE: they are attached for the whole run, or turns have not begun
 * @RUN_STAGES_FOLLOW: they follow messages: the second half of a window
 * @RUN_STAGES_LINGER: likewise, those alone that began in it
 * @RUN_STAGES_DETACH: they are detached, one after the other
 * @RUN_STAGES_PAUSE: none is attached
 * @RUN_STAGES_ATTACH: they are attached, one after the other
 * @RUN_STAGES_AGAIN: they follow messages: the first half of a window
 */
enum run_stages_phase {
	RUN_STAGES_WHOLE,
	RUN_STAGES_FOLLOW,
	RUN_STAGES_LINGER,
	RUN_STAGES_DETACH,
	RUN_STAGES_PAUSE,
	RUN_STAGES_ATTACH,
	RUN_STAGES_AGAIN
};

/**
 * struct run_stages - messages that are followed
 * @asked: the user asked for it
 * @share: what of the run that may cost
 * @path: file that their trace is written to, or NULL
 * @trace: that file, or NULL if it is not open
 * @unwritten: why it was not written
 * @watch: their stamps, while the run lasts
 * @stages: the stamps by message
 * @from_ns: CLOCK_REALTIME from which messages count
 * @phase: what the programs do
 * @next_ns: CLOCK_MONOTONIC at which they do something else
 * @overhead: what they cost, by turn
 * @attached: what they cost while they are attached; from the end of the run on
 * @whole: what they cost in the whole of the turns, likewise
 * @known: the result is known
 * @because: why it is not
 * @result: where their time passed
 * @lost: stamps that there was no room for
 * @unread: times that a packet passed whose message could not be read
 * @missing: hooks that this kernel lacks, separated by ", "
 */
struct run_stages {
	bool asked;
	double share;
	const char *path;
	FILE *trace;
	struct units_error unwritten;
	struct stage_watch watch;
	struct stages stages;
	uint64_t from_ns;
	enum run_stages_phase phase;
	uint64_t next_ns;
	struct stages_overhead overhead;
	struct statistics attached;
	struct statistics whole;
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
uint64_t run_stages_look(struct session *session);
void run_stages_finish(struct session *session);
const char *run_stages_message(const struct session *session);
int run_stages_written(const struct run_stages *stages,
		       struct units_error *err);
void run_stages_free(struct run_stages *stages);

#endif
