// SPDX-License-Identifier: GPL-2.0
/*
 * A worker: the thread that runs a run's streams on one CPU.
 *
 * A turn is ready at most once at a time: KTPUT_TURN_QUEUED is set by whoever
 * queues it and cleared by the worker just before the turn is taken, so that
 * what happens while it is being taken queues it again and no event is lost.
 */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "run.h"
#include "stream.h"
#include "worker.h"

/*
 * Turns that the thread has taken from @ready and not yet served, oldest
 * first. A chain of llist nodes with its end, the thread's own.
 */
struct queue {
	struct llist_node *first;
	struct llist_node *last;
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

static void queue_refill(struct queue *queue, struct llist_head *ready)
{
	static const struct ktput_counters woken = { .wake_ups = 1 };
	struct ktput_turn *turn, *next;
	struct llist_node *node;

	node = llist_reverse_order(llist_del_all(ready));
	llist_for_each_entry_safe(turn, next, node, node) {
		ktput_counters_add(&turn->counters, &woken);
		queue_append(queue, &turn->node);
	}
}

static void take_turn(struct ktput_worker *worker, struct ktput_turn *turn,
		      struct queue *queue)
{
	struct ktput_counters came_to = {};
	enum ktput_verdict verdict;
	cycles_t begin, end;

	clear_bit(KTPUT_TURN_QUEUED, &turn->flags);
	/* What made it ready is seen by the turn, or queues it anew. */
	smp_mb__after_atomic();

	begin = get_cycles();
	verdict = turn->take(turn, &came_to);
	end = get_cycles();
	came_to.call_cycles = end - begin;

	ktput_counters_add(&worker->counters, &came_to);
	ktput_counters_add(&turn->counters, &came_to);
	if (came_to.bytes) {
		if (!turn->first_cycles)
			WRITE_ONCE(turn->first_cycles, begin);
		WRITE_ONCE(turn->last_cycles, end);
	}

	if (verdict == KTPUT_TURN_AGAIN &&
	    !test_and_set_bit(KTPUT_TURN_QUEUED, &turn->flags))
		queue_append(queue, &turn->node);
}

/* True unless there is something to do at once. */
static bool may_sleep(struct ktput_worker *worker)
{
	return llist_empty(&worker->ready) && !kthread_should_stop() &&
	       (worker->drains || !READ_ONCE(worker->run->draining));
}

static void wait_for_turn(struct ktput_worker *worker)
{
	static const struct ktput_counters woken = { .wake_ups = 1 };
	bool slept = false;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (!may_sleep(worker))
			break;
		schedule();
		slept = true;
	}
	__set_current_state(TASK_RUNNING);
	if (slept)
		ktput_counters_add(&worker->counters, &woken);
}

static int work(void *data)
{
	struct ktput_worker *worker = data;
	struct queue queue = {};
	struct ktput_turn *turn;

	while (!kthread_should_stop()) {
		if (READ_ONCE(worker->run->draining) && !worker->drains) {
			worker->drains = true;
			ktput_stream_drain_all(worker);
		}
		if (!llist_empty(&worker->ready))
			queue_refill(&queue, &worker->ready);
		turn = queue_pop(&queue);
		if (turn)
			take_turn(worker, turn, &queue);
		else
			wait_for_turn(worker);
		cond_resched();
	}
	return 0;
}

/**
 * ktput_turn_ready() - have a turn taken by its worker
 * @turn: turn; nothing happens if it is ready already
 *
 * Any context. The caller sees to it that the turn's worker is still there:
 * socket callbacks do by finding their stream in the socket.
 */
void ktput_turn_ready(struct ktput_turn *turn)
{
	if (test_bit(KTPUT_TURN_QUEUED, &turn->flags) ||
	    test_and_set_bit(KTPUT_TURN_QUEUED, &turn->flags))
		return;
	/*
	 * The thread empties the list before it sleeps, so that a list that
	 * was not empty means that somebody has woken it.
	 */
	if (llist_add(&turn->node, &turn->worker->ready))
		wake_up_process(turn->worker->task);
}

/**
 * ktput_worker_create() - make a worker that does not run yet
 * @worker: zeroed
 * @run: its run
 * @cpu: its CPU, which the caller keeps online (cpus_read_lock())
 *
 * Return: 0, or -ENOMEM, or what kthread_create_on_cpu() says. On an error
 * there is nothing to destroy.
 */
int ktput_worker_create(struct ktput_worker *worker, struct ktput_run *run,
			unsigned int cpu)
{
	struct task_struct *task;
	int error;

	worker->run = run;
	worker->cpu = cpu;
	INIT_LIST_HEAD(&worker->streams);
	init_llist_head(&worker->ready);

	error = ktput_payload_create(&worker->payload, cpu_to_node(cpu));
	if (error)
		return error;
	task = kthread_create_on_cpu(work, worker, cpu, "ktput/%u");
	if (IS_ERR(task)) {
		ktput_payload_destroy(&worker->payload);
		return PTR_ERR(task);
	}
	worker->task = task;
	return 0;
}

/**
 * ktput_worker_wake() - have a worker look at its run, or begin
 * @worker: worker
 *
 * Any context.
 */
void ktput_worker_wake(struct ktput_worker *worker)
{
	wake_up_process(worker->task);
}

/**
 * ktput_worker_stop() - end a worker's thread
 * @worker: worker
 *
 * Sleeps until the turn that is being taken has ended. Thereafter no turn is
 * taken any more; turns may still become ready, and the task is kept for
 * ktput_turn_ready() until ktput_worker_destroy().
 */
void ktput_worker_stop(struct ktput_worker *worker)
{
	get_task_struct(worker->task);
	kthread_stop(worker->task);
}

/**
 * ktput_worker_destroy() - free what a stopped worker has
 * @worker: worker, stopped, none of whose turns can become ready any more
 */
void ktput_worker_destroy(struct ktput_worker *worker)
{
	put_task_struct(worker->task);
	ktput_payload_destroy(&worker->payload);
}
