/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A worker: the part of a run on one CPU.
 */
#ifndef KTPUT_WORKER_H
#define KTPUT_WORKER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "cachelines.h"
#include "counters.h"
#include "payload.h"
#include "thread.h"

struct ktput_run;
struct netlink_ext_ack;

/**
 * struct ktput_worker - the part of a run on one CPU
 * @run: run that it belongs to, which outlives it
 * @thread: takes its turns; NULL once the worker has left
 * @context: context to which the CPU's cycles are accounted during its turns,
 *	KTPUT_A_CONTEXTS_SOURCE or _SINK; constant
 * @cpu: number of the CPU
 * @stopped: no turn except @barrier is taken any more
 * @times: of the thread when @stopped was set
 * @control: turn in which the thread looks at the run, and calls @visit
 * @barrier: turn that the thread reports in @flushed, and does not touch
 *	afterwards
 * @flushed: all turns of the worker that were queued before @barrier have been
 *	taken or dropped
 * @visitor: held by a worker of the kernel for a visitor; protects @visited,
 *	@visit_data and the change of @visit
 * @visit: called by @control, which then writes NULL
 * @visit_data: argument of @visit
 * @visited: completed by @control when it has called @visit
 * @counters: sums over all turns; only the thread writes
 * @payload: payload that its sources send and its sinks receive into; thread
 *	only
 * @streams: its streams, by &ktput_stream.node; changed under the run's lock
 * @drains: @streams have been asked to drain; thread only
 *
 * Groups: members that others read to make a turn ready; members that are
 * rarely used; members that the thread writes.
 */
struct ktput_worker {
	struct ktput_run *run ____cacheline_aligned_in_smp;
	struct ktput_thread *thread;
	unsigned long context;
	unsigned int cpu;
	bool stopped;
	struct ktput_thread_times times;

	struct ktput_turn control ____cacheline_aligned_in_smp;
	struct ktput_turn barrier;
	struct completion flushed;
	struct mutex visitor; /* see above */
	void (*visit)(struct ktput_worker *worker, void *data);
	void *visit_data;
	struct completion visited;

	struct ktput_counters counters ____cacheline_aligned_in_smp;
	struct ktput_payload payload;
	struct list_head streams;
	bool drains;
};

KTPUT_OWN_CACHELINES(struct ktput_worker);
KTPUT_SEPARATE_CACHELINES(struct ktput_worker, times, control);
KTPUT_SEPARATE_CACHELINES(struct ktput_worker, visited, counters);

int ktput_worker_create(struct ktput_worker *worker, struct ktput_run *run,
			unsigned int cpu, struct netlink_ext_ack *extack);
void ktput_worker_look(struct ktput_worker *worker);
bool ktput_worker_visit(struct ktput_worker *worker,
			void (*visit)(struct ktput_worker *worker, void *data),
			void *data);
void ktput_worker_stop(struct ktput_worker *worker);
void ktput_worker_read_times(struct ktput_thread_times *to,
			     const struct ktput_worker *worker);
void ktput_worker_leave(struct ktput_worker *worker);
void ktput_worker_destroy(struct ktput_worker *worker);

#endif /* KTPUT_WORKER_H */
