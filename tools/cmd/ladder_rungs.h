/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_rungs: the places where the same traffic is sent and taken, and what
 * lies between two of them.
 */
#ifndef KTPUT_CTL_LADDER_RUNGS_H
#define KTPUT_CTL_LADDER_RUNGS_H

#include <stdbool.h>
#include <stddef.h>

/* Words of a rung, at most. */
#define LADDER_WORDS	12

/* Classes of samples of a step, and the end of them. */
#define LADDER_CLASSES	10

/**
 * enum ladder_group - rungs that differ in one thing
 * @LADDER_TCP: both ends of a TCP stream
 * @LADDER_TRANSMIT: where datagrams are sent, taken in one place
 * @LADDER_RECEIVE: where datagrams are taken, sent from one place
 * @LADDER_GROUPS: number of groups
 */
enum ladder_group {
	LADDER_TCP,
	LADDER_TRANSMIT,
	LADDER_RECEIVE,
	LADDER_GROUPS,
};

/**
 * enum ladder_kind - what a rung sends with
 * @LADDER_SOCKETS: sockets, where sizes are those of payload
 * @LADDER_FRAMES: places below the socket, where sizes are those of frames
 * @LADDER_IPERF: iperf3, which is run only where that is asked for
 * @LADDER_URING: sockets by io_uring, likewise
 */
enum ladder_kind {
	LADDER_SOCKETS,
	LADDER_FRAMES,
	LADDER_IPERF,
	LADDER_URING,
};

/**
 * struct ladder_rung - one place
 * @group: group
 * @name: what it is called
 * @words: keywords of "start" for this rung, ended by NULL
 * @kind: what it sends with
 */
struct ladder_rung {
	enum ladder_group group;
	const char *name;
	const char *words[LADDER_WORDS];
	enum ladder_kind kind;
};

/**
 * struct ladder_step - what is between two rungs of a group
 * @group: group of both
 * @above: name of the dearer rung
 * @below: name of the cheaper one, which does without; NULL where the step is
 *	all of @above
 * @cost: what the difference is
 * @classes: of samples (classes.txt) that are this work, ended by NULL
 */
struct ladder_step {
	enum ladder_group group;
	const char *above;
	const char *below;
	const char *cost;
	const char *classes[LADDER_CLASSES];
};

extern const struct ladder_rung ladder_rungs[];
extern const size_t ladder_rung_count;
extern const struct ladder_step ladder_steps[];
extern const size_t ladder_step_count;

const char *ladder_group_name(enum ladder_group group);
const char *ladder_group_text(enum ladder_group group);
const char *ladder_group_short(enum ladder_group group);
size_t ladder_rung_find(enum ladder_group group, const char *name);

#endif
