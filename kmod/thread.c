// SPDX-License-Identifier: GPL-2.0
/*
 * A thread: it takes turns on a CPU for the workers of all runs there.
 *
 * There is one thread for each CPU in use, so that a source and a sink on one
 * CPU take turns without a context switch between them.
 *
 * A turn is queued at most once at a time. KTPUT_TURN_QUEUED is set when it is
 * queued, and the thread clears it just before it takes the turn: an event
 * during the turn queues it again, so no event is lost. Workers look at their
 * runs in control turns. The thread takes all ready control turns before each
 * other turn. So a snapshot, or the end of a run, waits for one turn of a
 * stream, not for those of thousands. Frequent snapshots do not starve streams,
 * since each worker has only one control turn.
 *
 * Turns of sinks go before those of sources until sinks have moved as much as a
 * source sends in its turn. So a sink reads what a source on the same CPU has
 * sent before the next source sends more. Otherwise the data would be under way
 * for a round of all sources. With thousands of sources a round takes longer
 * than TCP's timers, whose probes and retransmissions then overflow the CPU's
 * backlog. Sources keep their half, however much arrives from elsewhere. Within
 * a role, turns are taken in the order in which they became ready.
 */
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "contexts.h"
#include "thread.h"
#include "worker.h"

static DEFINE_PER_CPU(struct ktput_thread *, threads);
static DEFINE_MUTEX(threads_lock);

/*
 * Bytes that sinks move before a source has its turn: the most that a turn
 * moves. A turn that moves little is charged a minimum.
 */
#define SINK_BYTES	((s64)KTPUT_TURN_BYTES)
#define SINK_LEAST	SZ_16K

/*
 * Turns, oldest first: a chain of llist nodes with its end, used only by the
 * thread.
 */
struct queue {
	struct llist_node *first;
	struct llist_node *last;
};

/*
 * Turns that the thread has taken from @ready and not yet served, and the bytes
 * that sinks may still move before the next source.
 */
struct queues {
	struct queue controls;
	struct queue sinks;
	struct queue sources;
	s64 sink_bytes;
};

static void queue_append(struct queue *queue, struct llist_node *node)
{
	node->next = NULL;
	if (queue->first)
		queue->last->next = node;
	else
		queue->first = node;
	queue->last = node;
}

static struct ktput_turn *queue_pop(struct queue *queue)
{
	struct llist_node *node = queue->first;

	if (!node)
		return NULL;
	queue->first = node->next;
	return container_of(node, struct ktput_turn, node);
}

static bool is_source(const struct ktput_worker *worker)
{
	return worker->context == KTPUT_A_CONTEXTS_SOURCE;
}

/* Takes all ready turns. A barrier is queued behind all turns of its worker. */
static void queues_refill(struct queues *queues, struct llist_head *ready)
{
	struct ktput_turn *turn, *next;
	struct llist_node *node;

	node = llist_reverse_order(llist_del_all(ready));
	llist_for_each_entry_safe(turn, next, node, node) {
		if (turn->tally) {
			ktput_counters_wake_up(&turn->tally->counters);
		} else if (turn == &turn->worker->control) {
			queue_append(&queues->controls, &turn->node);
			continue;
		}
		queue_append(is_source(turn->worker) ? &queues->sources :
						       &queues->sinks,
			     &turn->node);
	}
}

/* Returns the queue to serve next; it is empty if both are. */
static struct queue *queues_next(struct queues *queues)
{
	if (!queues->sources.first ||
	    (queues->sinks.first && queues->sink_bytes > 0))
		return &queues->sinks;
	return &queues->sources;
}

static void queues_charge(struct queues *queues, const struct queue *queue,
			  u64 bytes)
{
	if (queue == &queues->sources)
		queues->sink_bytes = SINK_BYTES;
	else
		queues->sink_bytes -= max_t(u64, bytes, SINK_LEAST);
}

/* A source that cannot send is late, and its time goes on. */
static void tally(struct ktput_tally *tally,
		  const struct ktput_counters *delta, bool source, u64 begin,
		  u64 end)
{
	ktput_counters_add(&tally->counters, delta);
	if (!delta->bytes && !(source && delta->calls))
		return;
	if (!tally->first_cycles)
		WRITE_ONCE(tally->first_cycles, begin);
	WRITE_ONCE(tally->last_cycles, end);
}

/*
 * Returns the bytes that the turn moved. Inline, since it runs for each message
 * of ping-pong.
 */
static __always_inline u64 take_turn(struct ktput_turn *turn,
				     struct queue *queue, bool woken)
{
	struct ktput_worker *worker = turn->worker;
	struct ktput_counters delta = {};
	enum ktput_verdict verdict;
	u64 begin, end;

	clear_bit(KTPUT_TURN_QUEUED, &turn->flags);
	/* An event that made it ready is seen by this turn, or queues it again. */
	smp_mb__after_atomic();
	if (turn == &worker->barrier) {
		/* The worker may be freed as soon as this completes. */
		complete(&worker->flushed);
		return 0;
	}
	if (READ_ONCE(worker->stopped))
		return 0;

	ktput_contexts_turn(worker->context);
	begin = ktput_counters_clock();
	verdict = turn->take(turn, &delta);
	end = ktput_counters_clock();
	delta.call_cycles = end - begin;

	/*
	 * A snapshot interrupts this CPU, and must see all of the turn or
	 * nothing.
	 */
	local_irq_disable();
	if (turn->tally)
		tally(turn->tally, &delta, is_source(worker), begin, end);
	delta.wake_ups = woken;
	ktput_counters_add(&worker->counters, &delta);
	local_irq_enable();

	if (verdict == KTPUT_TURN_AGAIN &&
	    !test_and_set_bit(KTPUT_TURN_QUEUED, &turn->flags))
		queue_append(queue, &turn->node);
	return delta.bytes;
}

/* Takes all of them: a barrier is behind everything queued before it. */
static noinline void take_controls(struct queue *controls, bool woken)
{
	struct ktput_turn *turn;

	while ((turn = queue_pop(controls))) {
		take_turn(turn, controls, woken);
		woken = false;
		cond_resched_tasks_rcu_qs();
	}
}

/* Returns whether it slept. */
static bool wait_for_turn(struct ktput_thread *thread)
{
	bool slept = false;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (!llist_empty(&thread->ready) || kthread_should_stop())
			break;
		schedule();
		slept = true;
	}
	__set_current_state(TASK_RUNNING);
	return slept;
}

static int take_turns(void *data)
{
	struct ktput_thread *thread = data;
	struct queues queues = {};
	struct ktput_turn *turn;
	struct queue *queue;
	bool woken = false;

	/*
	 * Per-CPU data is written only on its CPU, even while the scheduler
	 * already moves tasks away from a CPU that goes offline: the runs of
	 * that CPU end a little later.
	 */
	migrate_disable();
	ktput_contexts_turn(KTPUT_A_CONTEXTS_WORKER);
	while (!kthread_should_stop()) {
		if (!llist_empty(&thread->ready))
			queues_refill(&queues, &thread->ready);
		if (queues.controls.first) {
			take_controls(&queues.controls, woken);
			woken = false;
		}
		queue = queues_next(&queues);
		turn = queue_pop(queue);
		if (turn) {
			queues_charge(&queues, queue,
				      take_turn(turn, queue, woken));
			woken = false;
		} else {
			ktput_contexts_turn(KTPUT_A_CONTEXTS_WORKER);
			woken = wait_for_turn(thread);
		}
		/*
		 * The removal of a trampoline waits until all tasks have left
		 * it.
		 */
		cond_resched_tasks_rcu_qs();
	}
	ktput_contexts_turn(0);
	migrate_enable();
	return 0;
}

/**
 * ktput_turn_queue() - make a worker's thread take, or drop, a turn
 * @turn: turn of a worker that has not left its thread; nothing happens if it
 *	is queued already
 *
 * Any context.
 */
void ktput_turn_queue(struct ktput_turn *turn)
{
	struct ktput_thread *thread = turn->worker->thread;

	/*
	 * The turn that clears the bit after it is read here sees what the
	 * caller has written. Pairs with the barrier in take_turn().
	 */
	smp_mb();
	if (test_bit(KTPUT_TURN_QUEUED, &turn->flags) ||
	    test_and_set_bit(KTPUT_TURN_QUEUED, &turn->flags))
		return;
	/*
	 * The thread empties the list before it sleeps. So if the list was not
	 * empty, the thread has been woken already.
	 */
	if (llist_add(&turn->node, &thread->ready))
		wake_up_process(thread->task);
}

/**
 * ktput_turn_ready() - make a worker's thread take a turn
 * @turn: turn; nothing happens if it is ready already, or its worker is stopped
 *
 * Any context. The caller ensures that the turn's worker still exists: socket
 * callbacks do so by finding their stream in the socket. A grace period after
 * the worker was stopped, its thread is not used here any more.
 */
void ktput_turn_ready(struct ktput_turn *turn)
{
	rcu_read_lock();
	if (likely(!READ_ONCE(turn->worker->stopped)))
		ktput_turn_queue(turn);
	rcu_read_unlock();
}

/**
 * ktput_thread_read() - read what the scheduler knows of a thread
 * @to: filled in
 * @thread: thread that a worker uses
 *
 * Any context. The scheduler adds a wait when it is over, see
 * sched_info_arrive(): one that lasts is added here. Where the thread is just put
 * on its CPU, the wait counts twice until the next reading, or not at all.
 */
void ktput_thread_read(struct ktput_thread_times *to,
		       const struct ktput_thread *thread)
{
	const struct task_struct *task = thread->task;
#ifdef CONFIG_SCHED_INFO
	const u64 since = READ_ONCE(task->sched_info.last_queued);
	const u64 now = sched_clock_cpu(task_cpu(task));

	to->delayed = READ_ONCE(task->sched_info.run_delay);
	if (since && now > since)
		to->delayed += now - since;
#else
	to->delayed = U64_MAX;
#endif
	to->ran = READ_ONCE(task->se.sum_exec_runtime);
}

/**
 * ktput_thread_get() - get the thread of a CPU for a worker
 * @cpu: CPU, kept online by the caller (cpus_read_lock())
 *
 * Return: the thread, running, or an ERR_PTR().
 */
struct ktput_thread *ktput_thread_get(unsigned int cpu)
{
	struct ktput_thread *thread;
	struct task_struct *task;

	mutex_lock(&threads_lock);
	thread = per_cpu(threads, cpu);
	if (thread)
		goto got;

	thread = kzalloc_node(sizeof(*thread), GFP_KERNEL, cpu_to_node(cpu));
	if (!thread) {
		thread = ERR_PTR(-ENOMEM);
		goto unlock;
	}
	init_llist_head(&thread->ready);
	task = kthread_create_on_cpu(take_turns, thread, cpu, "ktput/%u");
	if (IS_ERR(task)) {
		kfree(thread);
		thread = ERR_CAST(task);
		goto unlock;
	}
	thread->task = task;
	per_cpu(threads, cpu) = thread;
	wake_up_process(task);
got:
	thread->users++;
unlock:
	mutex_unlock(&threads_lock);
	return thread;
}

/**
 * ktput_thread_put() - release a thread
 * @thread: thread with no turn of the caller's in its queue
 * @cpu: its CPU
 *
 * The last user's call sleeps until the thread has ended.
 */
void ktput_thread_put(struct ktput_thread *thread, unsigned int cpu)
{
	mutex_lock(&threads_lock);
	if (!--thread->users) {
		per_cpu(threads, cpu) = NULL;
		kthread_stop(thread->task);
		kfree(thread);
	}
	mutex_unlock(&threads_lock);
}
