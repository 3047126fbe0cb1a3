/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread: it takes turns on a CPU for the workers of all runs there.
 */
#ifndef KTPUT_THREAD_H
#define KTPUT_THREAD_H

#include <linux/llist.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "cachelines.h"
#include "counters.h"

struct ktput_worker;
struct task_struct;

/*
 * Most payload that a turn moves, except for its last call. It is small enough
 * that a control turn waits a fraction of a millisecond, though a round of
 * thousands of streams takes longer, and large enough that the cost of turns is
 * negligible against that of the calls.
 */
#define KTPUT_TURN_BYTES	SZ_256K

/*
 * Most packets for which a turn moves payload, but for its last call, which may
 * be of KTPUT_MAX_SEGMENTS: bytes alone do not bound it, since a packet may have
 * 16 of them, and costs as much as one of 1,500.
 */
#define KTPUT_TURN_PACKETS	256

/**
 * enum ktput_verdict - how a turn ends
 * @KTPUT_TURN_AGAIN: there is more to do, and nothing to wait for
 * @KTPUT_TURN_WAIT: an event will make it ready
 */
enum ktput_verdict {
	KTPUT_TURN_AGAIN,
	KTPUT_TURN_WAIT,
};

/**
 * struct ktput_turn - unit of work that a thread runs when it is ready
 * @node: link in a queue of ready turns, while KTPUT_TURN_QUEUED is set
 * @flags: KTPUT_TURN_QUEUED, changed by atomic operations
 * @worker: worker to which it is accounted, and whose thread runs it; constant
 *	once the turn can become ready
 * @take: runs it; @delta is zeroed, and filled in
 * @tally: sums to which the counters of @take are added; NULL if they are not
 *	needed. In other cache lines, since any CPU writes @flags and @node.
 */
struct ktput_turn {
	struct llist_node node;
	unsigned long flags;
#define KTPUT_TURN_QUEUED	0
	struct ktput_worker *worker;
	enum ktput_verdict (*take)(struct ktput_turn *turn,
				   struct ktput_counters *delta);
	struct ktput_tally *tally;
};

/**
 * struct ktput_thread - thread that takes turns on a CPU
 * @task: the thread, bound to its CPU
 * @users: number of workers that use it; under the lock of all threads
 * @ready: turns that have become ready; any context pushes, the thread takes
 *	all. In a cache line of its own, since other CPUs write it.
 */
struct ktput_thread {
	struct task_struct *task;
	unsigned int users;
	struct llist_head ready ____cacheline_aligned_in_smp;
};

KTPUT_OWN_CACHELINES(struct ktput_thread);
KTPUT_SEPARATE_CACHELINES(struct ktput_thread, users, ready);

/**
 * struct ktput_thread_times - what the scheduler knows of a thread
 * @ran: its CPU time in nanoseconds, as of a tick ago at most
 * @delayed: nanoseconds in which it was ready to run and did not; U64_MAX if
 *	the kernel does not tell
 */
struct ktput_thread_times {
	u64 ran;
	u64 delayed;
};

void ktput_thread_read(struct ktput_thread_times *to,
		       const struct ktput_thread *thread);
struct ktput_thread *ktput_thread_get(unsigned int cpu);
void ktput_thread_put(struct ktput_thread *thread, unsigned int cpu);

void ktput_turn_queue(struct ktput_turn *turn);
void ktput_turn_ready(struct ktput_turn *turn);

#endif /* KTPUT_THREAD_H */
