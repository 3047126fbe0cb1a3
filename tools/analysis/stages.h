/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stages: join the stamps of messages, and say in which stage their time passed.
 *
 * Pure arithmetic. A message is identified by its ports, its number and the time
 * when it was handed over, so that neither a copy nor a number that comes round again
 * is mistaken for it. A stage ends at its place and begins at the place before it that
 * was seen: the stages of a message add up to its whole time.
 */
#ifndef KTPUT_TOOLS_STAGES_H
#define KTPUT_TOOLS_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../bpf/stage_programs.h"

/* Messages that are kept; with more, only every other one is. */
#define STAGES_MESSAGES_MAX	65536

/* One in so many messages is among the slowest, which need to be so many. */
#define STAGES_SLOWEST_PART	100
#define STAGES_SLOWEST_MIN	10

struct stages_message;

/**
 * struct stages - stamps of a run, by message
 * @first: the first place of each message
 * @last: the last one
 * @every: messages are kept whose number is a multiple, a power of 2
 * @count: number of messages
 * @table: their places in @message plus 1, by a hash; 0 where there is none
 * @message: the messages
 */
struct stages {
	enum stages_place first;
	enum stages_place last;
	uint64_t every;
	size_t count;
	uint32_t *table;
	struct stages_message *message;
};

/**
 * struct stages_row - the time of all messages in a stage
 * @seen: its end was seen; if not, its time is in the next stage that was
 * @sum_ns: sum over the messages
 * @p50_ns: median
 * @p99_ns: 99th percentile
 * @slowest_ns: mean over the slowest messages
 * @excess_ns: by how much that exceeds the mean over the messages around the median
 */
struct stages_row {
	bool seen;
	uint64_t sum_ns;
	uint64_t p50_ns;
	uint64_t p99_ns;
	double slowest_ns;
	double excess_ns;
};

/**
 * struct stages_result - where the time of the messages passed
 * @every: each so many-th message of a stream was watched
 * @messages: messages that were followed from the first place to the last
 * @duplicated: others, of which the network made copies
 * @unfinished: others, which were not seen at the last place: lost, or under way
 * @partial: others, which were not seen at a place where most are
 * @disordered: others, whose clock was set meanwhile
 * @slowest: messages among the slowest, 0 if there are too few
 * @row: the stages, by their end; the first has no meaning
 * @whole: the whole time of the messages
 */
struct stages_result {
	uint64_t every;
	uint64_t messages;
	uint64_t duplicated;
	uint64_t unfinished;
	uint64_t partial;
	uint64_t disordered;
	uint64_t slowest;
	struct stages_row row[STAGES_PLACES];
	struct stages_row whole;
};

int stages_begin(struct stages *stages, enum stages_place first,
		 enum stages_place last);
void stages_add(struct stages *stages, const struct stages_stamp *stamp);
int stages_compute(const struct stages *stages, uint64_t every,
		   uint64_t from_ns, struct stages_result *result);
void stages_free(struct stages *stages);
const char *stages_key(enum stages_place place);
const char *stages_help(enum stages_place place);

#endif
