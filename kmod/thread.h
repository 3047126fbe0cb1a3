/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread: what takes turns on a CPU, for the workers of all runs there.
 */
#ifndef KTPUT_THREAD_H
#define KTPUT_THREAD_H

#include <linux/llist.h>
#include <linux/types.h>

#include "counters.h"

struct ktput_worker;
struct task_struct;

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
 * struct ktput_turn - what a thread runs when it is ready
 * @node: link in a queue of ready turns, while KTPUT_TURN_QUEUED is set
 * @flags: KTPUT_TURN_QUEUED, by atomic operations
 * @worker: worker that it is accounted to, and whose thread runs it; constant
 *	once the turn can become ready
 * @take: runs it; @came_to is zeroed, and filled in
 * @counters: sums of what @take came to; the thread alone writes
 * @first_cycles: cycle counter before the first turn that moved payload, 0
 *	before; the thread alone writes
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

/**
 * struct ktput_thread - what takes turns on a CPU
 * @task: the thread, bound to its CPU
 * @users: workers that have it; under the lock of all threads
 * @ready: turns that have become ready; any context pushes, the thread takes
 *	all. In a cache line of its own, since other CPUs write it.
 */
struct ktput_thread {
	struct task_struct *task;
	unsigned int users;
	struct llist_head ready ____cacheline_aligned_in_smp;
};

struct ktput_thread *ktput_thread_get(unsigned int cpu);
void ktput_thread_put(struct ktput_thread *thread, unsigned int cpu);

void ktput_turn_queue(struct ktput_turn *turn);
void ktput_turn_ready(struct ktput_turn *turn);

#endif /* KTPUT_THREAD_H */
