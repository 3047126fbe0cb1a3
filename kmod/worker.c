// SPDX-License-Identifier: GPL-2.0
/*
 * A worker: the part of a run on one CPU.
 *
 * A worker ends in two steps, since socket callbacks and timers make turns
 * ready until the sockets are closed, long afterwards. A stopped worker takes
 * no turn, and a grace period later none of its turns becomes ready. Then it
 * leaves, and none of its turns is in the queue of its thread.
 */
#include <linux/err.h>
#include <linux/lockdep.h>

#include "quota.h"
#include "run.h"
#include "stream.h"
#include "worker.h"

static enum ktput_verdict control(struct ktput_turn *turn,
				  struct ktput_counters *delta)
{
	struct ktput_worker *worker = turn->worker;
	void (*visit)(struct ktput_worker *worker, void *data);

	if (!worker->drains && READ_ONCE(worker->run->draining)) {
		worker->drains = true;
		ktput_stream_drain_all(worker);
	}
	visit = xchg(&worker->visit, NULL);
	if (visit) {
		visit(worker, worker->visit_data);
		complete(&worker->visited);
	}
	return KTPUT_TURN_WAIT;
}

/*
 * Waits until all turns that are ready now have been taken or dropped. Only the
 * end work calls this, one call at a time.
 */
static void flush(struct ktput_worker *worker)
{
	reinit_completion(&worker->flushed);
	ktput_turn_queue(&worker->barrier);
	wait_for_completion(&worker->flushed);
}

/**
 * ktput_worker_create() - create a worker
 * @worker: zeroed
 * @run: its run
 * @cpu: its CPU, kept online by the caller (cpus_read_lock())
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or a negative errno, after which there is nothing to destroy.
 */
int ktput_worker_create(struct ktput_worker *worker, struct ktput_run *run,
			unsigned int cpu, struct netlink_ext_ack *extack)
{
	int error;

	/* Frames may keep its pages too, so there has to be room for one. */
	if (ktput_run_sends_pages(run)) {
		error = ktput_quota_take(run->quota, KTPUT_RESOURCE_FRAMES,
					 PAGE_SIZE, extack);
		if (error)
			return error;
		ktput_quota_give(run->quota, KTPUT_RESOURCE_FRAMES, PAGE_SIZE);
	}
	worker->run = run;
	worker->cpu = cpu;
	worker->context = run->config.role == KTPUT_ROLE_SOURCE ?
				  KTPUT_A_CONTEXTS_SOURCE :
				  KTPUT_A_CONTEXTS_SINK;
	INIT_LIST_HEAD(&worker->streams);
	mutex_init(&worker->visitor);
	init_completion(&worker->visited);
	init_completion(&worker->flushed);
	worker->control.worker = worker;
	worker->control.take = control;
	worker->barrier.worker = worker;

	worker->payload.quota = run->quota;
	worker->payload.memcg = run->memcg;
	error = ktput_payload_create(&worker->payload, cpu_to_node(cpu),
				     ktput_config_least_payload(&run->config));
	if (error)
		return error;
	worker->thread = ktput_thread_get(cpu);
	if (!IS_ERR(worker->thread))
		return 0;
	ktput_payload_destroy(&worker->payload);
	return PTR_ERR(worker->thread);
}

/**
 * ktput_worker_look() - make a worker look at its run
 * @worker: worker
 *
 * Any context.
 */
void ktput_worker_look(struct ktput_worker *worker)
{
	ktput_turn_ready(&worker->control);
}

/* A visit on behalf of a task. */
struct visit {
	struct ktput_worker *worker;
	void (*call)(struct ktput_worker *worker, void *data);
	void *data;
	bool made;
};

static void make_visit(void *data)
{
	struct visit *visit = data;
	struct ktput_worker *worker = visit->worker;

	mutex_lock(&worker->visitor);
	visit->made = !worker->stopped;
	if (visit->made) {
		reinit_completion(&worker->visited);
		worker->visit_data = visit->data;
		xchg(&worker->visit, visit->call);
		ktput_turn_ready(&worker->control);
		wait_for_completion(&worker->visited);
	}
	mutex_unlock(&worker->visitor);
}

/**
 * ktput_worker_visit() - call a function in a worker's thread, between turns
 * @worker: worker; nothing happens if it is stopped
 * @visit: function; may sleep, and has a bound: all runs on the CPU wait for it
 * @data: its argument
 *
 * Sleeps until the function has returned. The thread may have to wait for the
 * run's lock before that, so the caller must not hold it. The caller may be a
 * task that is preempted for as long as it likes, and the end of the run, and a
 * CPU that goes offline, wait for @visitor. So a worker of the kernel holds that.
 *
 * Return: true if the function was called.
 */
bool ktput_worker_visit(struct ktput_worker *worker,
			void (*visit)(struct ktput_worker *worker, void *data),
			void *data)
{
	struct visit asked = { .worker = worker, .call = visit, .data = data };

	ktput_run_call(make_visit, &asked);
	return asked.made;
}

/**
 * ktput_worker_stop() - stop a worker taking turns
 * @worker: worker
 *
 * Sleeps until a running turn has ended. Turns that are ready, or become so,
 * are dropped.
 */
void ktput_worker_stop(struct ktput_worker *worker)
{
	mutex_lock(&worker->visitor);
	ktput_thread_read(&worker->times, worker->thread);
	/* Pairs with ktput_worker_read_times(). */
	smp_store_release(&worker->stopped, true);
	mutex_unlock(&worker->visitor);
	flush(worker);
}

/**
 * ktput_worker_read_times() - read what the scheduler knows of a worker's thread
 * @to: filled in; a worker that is stopped has the times of then
 * @worker: worker
 *
 * Interrupts are off: a worker leaves its thread a grace period after it was
 * stopped.
 */
void ktput_worker_read_times(struct ktput_thread_times *to,
			     const struct ktput_worker *worker)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with ktput_worker_stop(): @times are there. */
	if (smp_load_acquire(&worker->stopped))
		*to = worker->times;
	else
		ktput_thread_read(to, worker->thread);
}

/**
 * ktput_worker_leave() - release a stopped worker's thread
 * @worker: worker that was stopped a grace period ago
 *
 * Sleeps until none of its turns is in the thread's queue.
 */
void ktput_worker_leave(struct ktput_worker *worker)
{
	flush(worker);
	ktput_thread_put(worker->thread, worker->cpu);
	worker->thread = NULL;
}

/**
 * ktput_worker_destroy() - free a worker that has left
 * @worker: worker
 */
void ktput_worker_destroy(struct ktput_worker *worker)
{
	ktput_payload_destroy(&worker->payload);
}
