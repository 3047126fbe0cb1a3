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

/* The slowest must be so many. */
#define STAGES_SLOWEST_MIN	10

/* Tasks that are named. */
#define STAGES_TASKS		4

/**
 * enum stages_tail - the slowest messages, by their whole time
 * @STAGES_PERCENT: one in a hundred
 * @STAGES_PERMILLE: one in a thousand
 * @STAGES_TAILS: number of tails
 */
enum stages_tail {
	STAGES_PERCENT,
	STAGES_PERMILLE,
	STAGES_TAILS
};

/**
 * struct stages_message - a message, and when it was where
 * @sent_ns: when it was handed over
 * @number: in its stream
 * @ports: of its stream
 * @copied: there are copies of it
 * @seen: places where it was seen, one bit each
 * @packet: the packet that it was in
 * @at_ns: when
 * @cpu: on which CPU
 * @instead: task that had the CPU before the reader of the message, and of its response
 */
struct stages_message {
	uint64_t sent_ns;
	uint32_t number;
	uint32_t ports;
	bool copied;
	uint32_t seen;
	uint64_t packet[STAGES_PLACES];
	uint64_t at_ns[STAGES_PLACES];
	uint16_t cpu[STAGES_PLACES];
	char instead[2][STAGES_TASK];
};

/**
 * struct stages_followed - a message that counts
 * @message: the message
 * @whole_ns: what its stages add up to
 */
struct stages_followed {
	const struct stages_message *message;
	uint64_t whole_ns;
};

/**
 * struct stages - stamps of a run, by message
 * @first: the first place of each message
 * @last: the last one
 * @away: the sink of round trips is elsewhere: what passes there does not count
 * @every: messages are kept whose number is a multiple, a power of 2
 * @from_ns: those that began earlier are not followed; 0 for none
 * @to_ns: nor are those that began then or later; 0 for none
 * @count: number of messages
 * @table: their places in @message plus 1, by a hash; 0 where there is none
 * @message: the messages
 * @followed: those that count, by their whole time; from stages_compute() on
 * @followed_count: number of them
 */
struct stages {
	enum stages_place first;
	enum stages_place last;
	bool away;
	uint64_t every;
	uint64_t from_ns;
	uint64_t to_ns;
	size_t count;
	uint32_t *table;
	struct stages_message *message;
	struct stages_followed *followed;
	size_t followed_count;
};

/**
 * struct stages_row - the time of all messages in a stage
 * @seen: its end was seen; if not, its time is in the next stage that was
 * @sum_ns: sum over the messages
 * @p50_ns: median
 * @p99_ns: 99th percentile
 * @slowest_ns: mean over the slowest messages of each tail
 * @excess_ns: by how much that exceeds the mean over the messages around the median
 */
struct stages_row {
	bool seen;
	uint64_t sum_ns;
	uint64_t p50_ns;
	uint64_t p99_ns;
	double slowest_ns[STAGES_TAILS];
	double excess_ns[STAGES_TAILS];
};

/**
 * struct stages_task - a task that had the CPU before readers of the slowest 1%
 * @name: its name
 * @messages: times that a reader then waited for the CPU
 * @wait_ns: how long, all together
 */
struct stages_task {
	char name[STAGES_TASK];
	uint64_t messages;
	uint64_t wait_ns;
};

/**
 * struct stages_result - where the time of the messages passed
 * @every: each so many-th message of a stream was watched
 * @messages: messages that were followed from the first place to the last
 * @duplicated: others, of which the network made copies
 * @unfinished: others, which were not seen at the last place: lost, or under way
 * @partial: others, which were not seen at a place where most are
 * @disordered: others, whose clock was set meanwhile
 * @slowest: messages in each tail, 0 if they are too few
 * @tasks: number of tasks in @task
 * @task: what had the CPU before readers of the slowest 1%, by the time waited
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
	uint64_t slowest[STAGES_TAILS];
	size_t tasks;
	struct stages_task task[STAGES_TASKS];
	struct stages_row row[STAGES_PLACES];
	struct stages_row whole;
};

int stages_begin(struct stages *stages, enum stages_place first,
		 enum stages_place last);
void stages_add(struct stages *stages, const struct stages_stamp *stamp);
void stages_add_reader(struct stages *stages, const struct stages_stamp *stamp,
		       const struct stages_reader *reader);
uint64_t stages_longest(const struct stages *stages);
int stages_compute(struct stages *stages, uint64_t every, uint64_t from_ns,
		   struct stages_result *result);
uint64_t stages_at(const struct stages_message *message,
		   enum stages_place place);
uint64_t stages_needed(enum stages_tail tail);
enum stages_place stages_worst(const struct stages_result *result,
			       enum stages_tail tail, double *share);
void stages_free(struct stages *stages);
const char *stages_key(enum stages_place place);
const char *stages_help(enum stages_place place);

#endif
