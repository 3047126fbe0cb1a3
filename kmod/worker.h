/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: the thread that runs a run's streams on one CPU.
 */
#ifndef KTPUT_WORKER_H
#define KTPUT_WORKER_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "counters.h"
#include "payload.h"

struct ktput_run;
struct ktput_turn;
struct task_struct;

/**
 * struct ktput_worker - the thread that runs a run's streams on one CPU
 * @run: run that it belongs to, and that outlives it
 * @task: the thread, bound to @cpu
 * @cpu: number of the CPU
 * @payload: what its sources send and its sinks receive into
 * @streams: its streams, by &ktput_stream.node; changed under the run's lock
 * @drains: @streams have been told to drain; its thread alone uses it
 * @ready: turns that have become ready; any context pushes, the thread takes
 *	all. In a cache line of its own, since other CPUs write it.
 * @counters: what all turns came to; the thread alone writes
 */
struct ktput_worker {
	struct ktput_run *run;
	struct task_struct *task;
	unsigned int cpu;
	struct ktput_payload payload;
	struct list_head streams;
	bool drains;
	struct llist_head ready ____cacheline_aligned_in_smp;
	struct ktput_counters counters ____cacheline_aligned_in_smp;
};

/**
 * enum ktput_verdict - how a turn ends
 * @KTPUT_TURN_AGAIN: there is more to do, and nothing to wait for
 * @KTPUT_TURN_WAIT: it is to be made ready by somebody
 */
enum ktput_verdict {
	KTPUT_TURN_AGAIN,
	KTPUT_TURN_WAIT,
};

/**
 * struct ktput_turn - what a worker runs when it is ready
 * @node: link in a queue of ready turns, while KTPUT_TURN_QUEUED is set
 * @flags: KTPUT_TURN_QUEUED, by atomic operations
 * @worker: worker that runs it; constant once the turn can become ready
 * @take: runs it; @came_to is zeroed, and filled in
 * @counters: sums of what @take came to; the worker alone writes
 * @first_cycles: cycle counter before the first turn that moved payload, 0
 *	before; the worker alone writes
 * @last_cycles: cycle counter after the latest of them, 0 before; as above
 */
struct ktput_turn {
	struct llist_node node;
	unsigned long flags;
#define KTPUT_TURN_QUEUED	0
	struct ktput_worker *worker;
	enum ktput_verdict (*take)(struct ktput_turn *turn,
				   struct ktput_counters *came_to);
	struct ktput_counters counters;
	u64 first_cycles;
	u64 last_cycles;
};

int ktput_worker_create(struct ktput_worker *worker, struct ktput_run *run,
			unsigned int cpu);
void ktput_worker_wake(struct ktput_worker *worker);
void ktput_worker_stop(struct ktput_worker *worker);
void ktput_worker_destroy(struct ktput_worker *worker);

void ktput_turn_ready(struct ktput_turn *turn);

#endif /* KTPUT_WORKER_H */
