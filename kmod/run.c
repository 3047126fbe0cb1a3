// SPDX-License-Identifier: GPL-2.0
/*
 * A run: one end of a measurement, all sources or all sinks.
 *
 * Life of a run
 *
 *  start   The task that sends the request creates the sockets and the workers.
 *	    It waits for no peer, since generic netlink is locked. No other
 *	    task can find the run yet, so a refusal frees everything at once.
 *  prepare A run of more streams than a request may create is published without
 *	    workers. Its owner repeats a request that creates some more, each
 *	    under the run's prepare_lock. It may end like any run. A refusal, or
 *	    the timer if the owner does not go on, ends it.
 *  publish The run is added to the namespace's table, unless the namespace ends
 *	    or its quota is used up. The workers are woken.
 *  connect A TCP source connects in turns, and no task waits for it. From here
 *	    on it may end like any run. A refused connection, or the timer, ends
 *	    it with an explanation for its owner.
 *  begin   The run begins at once, or in the begin work, which is queued by the
 *	    turn of the last stream to connect. The work starts the streams
 *	    under the run's lock, unless there is a reason to end.
 *  end     A reason may be given in any context; the first one wins and
 *	    queues the end work. A source drains first, if the reason allows:
 *	    the work is delayed by the drain time, and brought forward by the
 *	    last stream that ends.
 *  left    Only the end work stops the workers. No turn is taken thereafter,
 *	    and after a grace period none becomes ready. So the workers leave
 *	    their threads, the streams leave their sockets, and @left is
 *	    completed.
 *  ended   The close work, queued as the last action of the end work, closes
 *	    the sockets; after another grace period no callback holds a stream.
 *	    It notifies the namespace's listeners and completes @done. It is the
 *	    last to use the namespace.
 *  free    The last reference frees the run.
 *
 * The exits of a namespace and of the module wait for @done of each run, so that
 * no socket, thread or callback of a run outlives them. The hotplug callback of a
 * CPU waits only for @left, since closing sockets and hooks may take
 * cpus_read_lock().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/memcontrol.h>
#include <linux/rtnetlink.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>

#include "accounting.h"
#include "genl.h"
#include "run_type.h"
#include "netns.h"
#include "ops.h"
#include "pingpong.h"
#include "quota.h"
#include "run.h"
#include "stream.h"
#include "worker.h"

/*
 * A workqueue executes a limited number of works at a time. The hotplug
 * callback of a CPU waits for end works, and close works wait for the callback.
 * So end works have a queue of their own, and never wait behind close works.
 * Begin works wait only for a run's lock, and use the end queue. Calls wait for that
 * lock, too, but there may be as many as readers, and the lock may be that of a task
 * that does not run: no end work waits behind them.
 */
static struct workqueue_struct *call_queue;
static struct workqueue_struct *end_queue;
static struct workqueue_struct *close_queue;

/* What becomes of a run, for dynamic debug; nothing of it is per packet. */
#define run_debug(run, format, ...) \
	pr_debug("run %u: " format "\n", (run)->id, ##__VA_ARGS__)

static void set_state(struct ktput_run *run, enum ktput_state state)
{
	/* Pairs with ktput_run_is_prepared() and with read_run() of snapshot.c. */
	smp_store_release(&run->state, state);
}

static enum hrtimer_restart time_is_over(struct hrtimer *timer)
{
	struct ktput_run *run = container_of(timer, struct ktput_run, timer);
	const enum ktput_state state = READ_ONCE(run->state);

	if (state == KTPUT_STATE_CONNECTING)
		ktput_run_refuse(run, ETIMEDOUT);
	else if (state == KTPUT_STATE_PREPARING)
		ktput_run_end(run, KTPUT_REASON_OWNER, ETIMEDOUT);
	else
		ktput_run_end(run, KTPUT_REASON_TIME, 0);
	return HRTIMER_NORESTART;
}

/*
 * Ends all turns of the run. Callbacks may still run; turns that they make
 * ready are dropped, and after the grace period no callback makes any ready.
 * Callbacks of ping-pong also send, in softirq, and may keep a CPU busy. A CPU
 * that goes offline, when no thread takes softirqs over, might then make no
 * progress. So streams leave their sockets, and stop sending.
 */
static void leave_cpus(struct ktput_run *run)
{
	unsigned int i;

	for (i = 0; i < run->worker_count; i++)
		ktput_worker_stop(run->workers[i]);
	synchronize_rcu();
	for (i = 0; i < run->worker_count; i++)
		ktput_worker_leave(run->workers[i]);
	for (i = 0; i < run->stream_count; i++)
		ktput_stream_leave(run->streams[i]);
}

/*
 * Closes all sockets and removes all callbacks of a run that has left its CPUs.
 * The static keys of encapsulation and of hooks take cpus_read_lock(), so the
 * hotplug callback of a CPU must not wait for this.
 */
static void close_all(struct ktput_run *run)
{
	unsigned int i;

	if (run->ops->end)
		run->ops->end(run);
	for (i = 0; i < run->stream_count; i++)
		ktput_stream_close(run->streams[i]);
	/*
	 * No callback uses a stream, or anything that @end has unlinked, after
	 * this.
	 */
	synchronize_rcu();
}

static void leave_accounting(struct ktput_run *run)
{
	if (run->accounted)
		ktput_accounting_put();
	run->accounted = false;
}

/*
 * A device that moves to another namespace is taken down first, in the same
 * RTNL section; once that section has ended, the reason is final. The holder of
 * RTNL may wait for a CPU to go offline, which waits for the run to leave it.
 * That cannot deadlock, since the run has left already.
 */
static void settle_reason(const struct ktput_run *run)
{
	if (READ_ONCE(run->reason) != KTPUT_REASON_DEVICE_DOWN)
		return;
	rtnl_lock();
	rtnl_unlock();
}

static void end(struct work_struct *work)
{
	struct ktput_run *run = container_of(to_delayed_work(work),
					     struct ktput_run, end_work);
	spin_lock_irq(&run->end_lock);
	run->ending = true;
	spin_unlock_irq(&run->end_lock);
	/* The work may have been queued again before that. */
	cancel_delayed_work(&run->end_work);

	/*
	 * The task that prepares or starts the run, or the begin work, is done
	 * with the run once the locks are free: with a reason to end, it is not
	 * prepared and does not begin any more.
	 */
	mutex_lock(&run->prepare_lock);
	mutex_unlock(&run->prepare_lock);
	mutex_lock(&run->lock);
	mutex_unlock(&run->lock);

	hrtimer_cancel(&run->timer);
	leave_cpus(run);
	/*
	 * No turn queues it now, but it may still be notifying that the run has
	 * begun.
	 */
	cancel_work_sync(&run->begin_work);
	complete_all(&run->left);
	run_debug(run, "its workers have left");
	queue_work(close_queue, &run->close_work);
}

static void finish(struct work_struct *work)
{
	struct ktput_run *run = container_of(work, struct ktput_run,
					     close_work);
	const u64 left = ktime_get_ns();

	settle_reason(run);
	close_all(run);
	ktput_pingpong_abandon(run, left);
	/*
	 * An owner still has to read the results of the run; a detached run has
	 * no such reader.
	 */
	if (run->config.detached) {
		mutex_lock(&run->lock);
		leave_accounting(run);
		mutex_unlock(&run->lock);
	}
	set_state(run, KTPUT_STATE_ENDED);
	run_debug(run, "ended, reason %u, error %d", READ_ONCE(run->reason),
		  READ_ONCE(run->error));
	ktput_genl_notify(ktput_netns_net(run->netns), run,
			  KTPUT_CMD_RUN_ENDED);
	ktput_netns_run_done(run->netns, run);
	ktput_run_put(run);
}

/* Starts the streams. */
static void begin(struct ktput_run *run)
{
	lockdep_assert_held(&run->lock);
	WRITE_ONCE(run->begun, ktime_get_ns());
	set_state(run, KTPUT_STATE_RUNNING);
	run_debug(run, "running, %u streams on %u workers", run->stream_count,
		  run->worker_count);
	if (run->config.end_time)
		hrtimer_start(&run->timer, ns_to_ktime(run->config.end_time),
			      HRTIMER_MODE_REL);
	if (run->ops->begin)
		run->ops->begin(run);
}

/*
 * If a reason to end is given before this checks for one, the run does not
 * begin.
 */
static void begin_connected(struct work_struct *work)
{
	struct ktput_run *run = container_of(work, struct ktput_run,
					     begin_work);
	bool begins;

	mutex_lock(&run->lock);
	hrtimer_cancel(&run->timer);
	begins = !READ_ONCE(run->reason);
	if (begins)
		begin(run);
	mutex_unlock(&run->lock);
	/* The end work, and so the end of the namespace, waits for this work. */
	if (begins)
		ktput_genl_notify(ktput_netns_net(run->netns), run,
				  KTPUT_CMD_RUN_BEGUN);
}

/* The workers have left. */
static void destroy_workers(struct ktput_run *run)
{
	unsigned int i;

	for (i = 0; i < run->worker_count; i++) {
		ktput_worker_destroy(run->workers[i]);
		kfree(run->workers[i]);
	}
	kfree(run->workers);
	run->workers = NULL;
	run->worker_count = 0;
}

/* The workers have left, and the sockets are closed. */
static void free_run(struct kref *ref)
{
	struct ktput_run *run = container_of(ref, struct ktput_run, ref);
	unsigned int i;

	run_debug(run, "freed");
	destroy_workers(run);
	for (i = 0; i < run->stream_count; i++) {
		kfree(run->streams[i]->pingpong);
		kfree(run->streams[i]);
	}
	kvfree(run->streams);
	if (run->ops && run->ops->free)
		run->ops->free(run);
	leave_accounting(run);
	free_percpu(run->softirq);
	ktput_histograms_destroy(run->latency);
	if (run->quota)
		ktput_quota_give(run->quota, KTPUT_RESOURCE_STREAMS,
				 run->config.streams);
	ktput_quota_put(run->quota);
	mem_cgroup_put(run->memcg);
	kfree(run);
}

/**
 * ktput_run_put() - drop a reference to a run
 * @run: run; freed with the last reference
 */
void ktput_run_put(struct ktput_run *run)
{
	kref_put(&run->ref, free_run);
}

/**
 * ktput_run_alloc() - allocate a run without a configuration
 *
 * Called by the task that asks for it.
 *
 * Return: the run with one reference, or NULL without memory.
 */
struct ktput_run *ktput_run_alloc(void)
{
	struct ktput_run *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	if (!run)
		return NULL;
	kref_init(&run->ref);
	run->memcg = get_mem_cgroup_from_mm(current->mm);
	mutex_init(&run->lock);
	mutex_init(&run->prepare_lock);
	INIT_LIST_HEAD(&run->idle);
	spin_lock_init(&run->end_lock);
	init_completion(&run->left);
	init_completion(&run->done);
	INIT_WORK(&run->begin_work, begin_connected);
	INIT_DELAYED_WORK(&run->end_work, end);
	INIT_WORK(&run->close_work, finish);
	hrtimer_setup(&run->timer, time_is_over, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	return run;
}

/* A call on behalf of a task. */
struct errand {
	struct work_struct work;
	void (*call)(void *data);
	void *data;
};

static void run_errand(struct work_struct *work)
{
	struct errand *errand = container_of(work, struct errand, work);

	errand->call(errand->data);
}

/**
 * ktput_run_call() - have a worker of the kernel call a function
 * @call: function; has a bound
 * @data: its argument
 *
 * For what holds a lock that others wait for: see ktput_run_call_locked().
 *
 * Sleeps until the function has returned.
 */
void ktput_run_call(void (*call)(void *data), void *data)
{
	struct errand errand = { .call = call, .data = data };

	INIT_WORK_ONSTACK(&errand.work, run_errand);
	queue_work(call_queue, &errand.work);
	flush_work(&errand.work);
	destroy_work_on_stack(&errand.work);
}

struct locked_call {
	struct ktput_run *run;
	void (*call)(void *data);
	void *data;
};

static void call_locked(void *data)
{
	struct locked_call *locked = data;

	mutex_lock(&locked->run->lock);
	locked->call(locked->data);
	mutex_unlock(&locked->run->lock);
}

/**
 * ktput_run_call_locked() - call a function under a run's lock
 * @run: run
 * @call: function; has a bound
 * @data: its argument
 *
 * Turns take the lock too, and a turn that waits for it keeps the CPU's thread
 * from the runs of everybody. Who asks may be a task that is preempted for as
 * long as it likes: by its nice value, by SCHED_IDLE, by the quota of its
 * control group. So a worker of the kernel holds it for a snapshot, to which
 * none of this applies. The task that starts a run still holds it itself, until
 * its streams have begun: a turn of that run may have to wait then.
 *
 * Sleeps until the function has returned.
 */
void ktput_run_call_locked(struct ktput_run *run, void (*call)(void *data),
			   void *data)
{
	struct locked_call locked = { .run = run, .call = call, .data = data };

	ktput_run_call(call_locked, &locked);
}

/**
 * ktput_run_add_stream() - add a stream to a run's table
 * @run: run; the caller holds its lock, or the run is not published or not
 *	prepared yet
 * @node: NUMA node of its memory, or NUMA_NO_NODE
 *
 * The private part of the transport, behind the stream, is zeroed. It lives as
 * long as the stream: until the last reference to the run is dropped.
 *
 * Return: the stream, without socket and worker; NULL without memory or room.
 */
struct ktput_stream *ktput_run_add_stream(struct ktput_run *run, int node)
{
	struct ktput_stream *stream;

	if (run->stream_count == run->config.streams)
		return NULL;
	stream = kzalloc_node(run->ops->stream_size, GFP_KERNEL_ACCOUNT, node);
	if (!stream)
		return NULL;
	stream->run = run;
	if (run->config.pattern == KTPUT_PATTERN_PING_PONG &&
	    ktput_pingpong_create(stream)) {
		kfree(stream);
		return NULL;
	}
	stream->id = run->next_id++;
	stream->slot = run->stream_count;
	stream->turn.take = run->ops->take;
	ktput_pace_init(&stream->pace, &stream->turn);
	run->streams[stream->slot] = stream;
	WRITE_ONCE(run->stream_count, stream->slot + 1);
	return stream;
}

/*
 * CPUs that the requesting task may run on, except isolated ones, which run
 * only work assigned to them explicitly. A task restricted to isolated CPUs
 * gets those.
 */
static void choose_cpus(struct cpumask *cpus)
{
	static const enum hk_type types[] = { HK_TYPE_DOMAIN, HK_TYPE_KTHREAD };
	unsigned int i;

	cpumask_and(cpus, cpu_online_mask, current->cpus_ptr);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (cpumask_intersects(cpus, housekeeping_cpumask(types[i])))
			cpumask_and(cpus, cpus,
				    housekeeping_cpumask(types[i]));
}

static int create_workers(struct ktput_run *run,
			  struct netlink_ext_ack *extack)
{
	struct cpumask *cpus = &run->config.cpus;
	unsigned int cpu;
	int error;

	if (run->ops->workerless) {
		choose_cpus(&run->own);
		return 0;
	}
	if (cpumask_empty(cpus))
		choose_cpus(cpus);
	if (cpumask_empty(cpus) || !cpumask_subset(cpus, cpu_online_mask)) {
		NL_SET_ERR_MSG(extack, "cpus has a CPU that is not online");
		return -ENODEV;
	}
	run->workers = kcalloc(cpumask_weight(cpus), sizeof(*run->workers),
			       GFP_KERNEL_ACCOUNT);
	if (!run->workers)
		return -ENOMEM;
	for_each_cpu(cpu, cpus) {
		struct ktput_worker *worker;

		/* A source needs no more workers than streams. */
		if (run->config.role == KTPUT_ROLE_SOURCE &&
		    run->worker_count == run->config.streams) {
			cpumask_clear_cpu(cpu, cpus);
			continue;
		}
		worker = kzalloc_node(sizeof(*worker), GFP_KERNEL_ACCOUNT,
				      cpu_to_node(cpu));
		if (!worker)
			return -ENOMEM;
		error = ktput_worker_create(worker, run, cpu, extack);
		if (error) {
			kfree(worker);
			return error;
		}
		run->workers[run->worker_count++] = worker;
	}
	cpumask_copy(&run->own, cpus);
	return 0;
}

/* Charges the streams, including those that a sink may create later. */
static int take_streams(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	struct ktput_quota *quota = ktput_netns_quota(run->netns);
	int error = ktput_quota_take(quota, KTPUT_RESOURCE_STREAMS,
				     run->config.streams, extack);

	if (!error)
		run->quota = ktput_quota_get(quota);
	return error;
}

/* With a connection for each request, each request connects for itself. */
static bool connects(const struct ktput_run *run)
{
	return run->ops->connect && !run->config.pingpong.reconnect;
}

static void connect(struct ktput_run *run)
{
	lockdep_assert_held(&run->lock);
	run_debug(run, "connecting %u streams", run->stream_count);
	atomic_set(&run->unconnected, run->stream_count);
	hrtimer_start(&run->timer, ns_to_ktime(run->config.connect_time),
		      HRTIMER_MODE_REL);
	run->ops->connect(run);
}

/* From here on the run is visible, also to readers without the lock. */
static int go(struct ktput_run *run, bool published,
	      struct netlink_ext_ack *extack)
{
	int error;

	lockdep_assert_held(&run->lock);
	hrtimer_cancel(&run->timer);
	if (published && READ_ONCE(run->reason))
		return -ECANCELED;
	if (connects(run))
		set_state(run, KTPUT_STATE_CONNECTING);
	error = published ? 0 : ktput_netns_add(run->netns, run, extack);
	if (error)
		return error;
	if (connects(run))
		connect(run);
	else
		begin(run);
	return 0;
}

/*
 * Creates the workers, and lets a run begin or connect whose streams are created.
 * It is in its namespace's table already, and may have a reason to end, or is
 * added to it. On failure no worker is left.
 *
 * A CPU that goes offline later finds the run in the table. A task that ends the
 * run as soon as it is in the table waits for the run's lock.
 */
static int set_off(struct ktput_run *run, bool published,
		   struct netlink_ext_ack *extack)
{
	int error;

	cpus_read_lock();
	error = create_workers(run, extack);
	if (!error) {
		mutex_lock(&run->lock);
		error = go(run, published, extack);
		mutex_unlock(&run->lock);
	}
	/* A CPU that goes offline finds no worker of a run that does not begin. */
	if (error) {
		leave_cpus(run);
		destroy_workers(run);
	}
	cpus_read_unlock();
	return error;
}

/* The owner has to go on within this time. */
static void await_owner(struct ktput_run *run)
{
	hrtimer_start(&run->timer, ns_to_ktime(KTPUT_MAX_PREPARE_TIME),
		      HRTIMER_MODE_REL);
}

/* Publishes a run that is to be prepared by further requests. */
static int set_aside(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	int error;

	mutex_lock(&run->prepare_lock);
	run->state = KTPUT_STATE_PREPARING;
	error = ktput_netns_add(run->netns, run, extack);
	if (!error) {
		run_debug(run, "preparing");
		await_owner(run);
	}
	mutex_unlock(&run->prepare_lock);
	return error;
}

/**
 * ktput_run_prepare() - create the next streams of a run, and start it with the last
 * @run: published run; nothing happens if it is prepared, or has a reason to end
 * @extack: gets the reason of a refusal
 *
 * Return: 0, or the errno of the refusal, after which the caller deletes the run.
 */
int ktput_run_prepare(struct ktput_run *run, struct netlink_ext_ack *extack)
{
	int error = 0;

	mutex_lock(&run->prepare_lock);
	if (!ktput_run_is_prepared(run) && !READ_ONCE(run->reason)) {
		error = run->ops->prepare(run, extack);
		if (!error)
			error = set_off(run, true, extack);
		else if (error > 0)
			await_owner(run);
	}
	mutex_unlock(&run->prepare_lock);
	/* The reader of its state is told that it ends, and why. */
	return READ_ONCE(run->reason) ? 0 : min(error, 0);
}

/**
 * ktput_run_start() - start a run; on failure nothing is left of it
 * @netns: namespace to run in
 * @run: from ktput_run_alloc(), with its configuration; the reference is
 *	consumed, also on failure
 * @owner: netlink port of the sender of the request
 * @extack: gets the reason of a refusal
 *
 * Waits for no peer: a TCP source connects afterwards. Creates no more than a step
 * of the streams: a run of more is preparing then.
 *
 * Return: the run with a reference for the caller, or an ERR_PTR().
 */
struct ktput_run *ktput_run_start(struct ktput_netns *netns,
				  struct ktput_run *run, u32 owner,
				  struct netlink_ext_ack *extack)
{
	int error;

	run->netns = netns;
	run->owner = owner;
	error = take_streams(run, extack);
	if (error)
		goto put;
	ktput_accounting_get(run->config.may_count);
	run->accounted = true;
	run->streams = kvzalloc(ktput_cachelines_size(run->config.streams *
						      sizeof(*run->streams)),
				GFP_KERNEL_ACCOUNT);
	run->softirq = alloc_percpu_gfp(struct ktput_counters,
					GFP_KERNEL_ACCOUNT);
	if (ktput_pingpong_measures(&run->config))
		run->latency = ktput_histograms_create();
	if (!run->streams || !run->softirq ||
	    (ktput_pingpong_measures(&run->config) && !run->latency)) {
		error = -ENOMEM;
		goto put;
	}
	run->ops = ktput_run_type_find(run->config.role, run->config.transport,
				       run->config.layer,
				       run->config.pattern)->ops;
	error = run->ops->prepare(run, extack);
	if (!error)
		error = set_off(run, false, extack);
	else if (error > 0)
		error = set_aside(run, extack);
	if (!error)
		return run;
	close_all(run);
put:
	ktput_run_put(run);
	return ERR_PTR(error);
}

/* Brings the end forward, or delays it unless it is due. */
static void queue_end(struct ktput_run *run, unsigned long delay, bool sooner)
{
	unsigned long flags;

	spin_lock_irqsave(&run->end_lock, flags);
	if (!run->ending) {
		if (sooner)
			mod_delayed_work(end_queue, &run->end_work, 0);
		else
			queue_delayed_work(end_queue, &run->end_work, delay);
	}
	spin_unlock_irqrestore(&run->end_lock, flags);
}

static bool give_reason(struct ktput_run *run, enum ktput_reason reason,
			int error)
{
	if (cmpxchg(&run->reason, KTPUT_REASON_NONE, reason) !=
	    KTPUT_REASON_NONE)
		return false;
	WRITE_ONCE(run->error, error);
	/*
	 * Pairs with a snapshot: a reader that sees the time sees the reason
	 * and the error.
	 */
	smp_store_release(&run->ended, ktime_get_ns());
	run_debug(run, "to end, reason %u, error %d", reason, error);
	return true;
}

/**
 * ktput_run_end() - end a run in order
 * @run: published run; nothing happens if it has a reason to end already
 * @reason: why
 * @error: errno, positive, that goes with it, or 0
 *
 * Any context. Sources stop sending, and get their drain time.
 */
void ktput_run_end(struct ktput_run *run, enum ktput_reason reason, int error)
{
	unsigned long delay = 0;
	unsigned int i;

	/* The end work waits for a grace period before the workers leave. */
	rcu_read_lock();
	if (!give_reason(run, reason, error))
		goto unlock;
	if (run->config.role == KTPUT_ROLE_SOURCE &&
	    READ_ONCE(run->state) != KTPUT_STATE_CONNECTING &&
	    ktput_run_is_prepared(run) &&
	    reason != KTPUT_REASON_RESET && reason != KTPUT_REASON_ERROR) {
		delay = nsecs_to_jiffies(run->config.drain_time);
		WRITE_ONCE(run->draining, true);
		for (i = 0; i < run->worker_count; i++)
			ktput_worker_look(run->workers[i]);
	}
	/* The last stream may have brought the work forward already. */
	queue_end(run, delay, false);
unlock:
	rcu_read_unlock();
}

/**
 * ktput_run_abort() - end a run at once
 * @run: published run, with a reason to end or without, ended or not
 * @reason: why, if there is no reason yet
 *
 * Any context. Unacknowledged data is lost.
 */
void ktput_run_abort(struct ktput_run *run, enum ktput_reason reason)
{
	if (!give_reason(run, reason, 0) &&
	    reason == KTPUT_REASON_DEVICE_REMOVED)
		cmpxchg(&run->reason, KTPUT_REASON_DEVICE_DOWN, reason);
	queue_end(run, 0, true);
}

/**
 * ktput_run_stop() - end a run because a user asks for it
 * @run: published run, with a reason to end or without, ended or not
 *
 * A source that has sent all, and waits until it has drained, waits no longer.
 * The reason is the earlier one.
 */
void ktput_run_stop(struct ktput_run *run)
{
	if (READ_ONCE(run->draining))
		ktput_run_abort(run, KTPUT_REASON_STOPPED);
	else
		ktput_run_end(run, KTPUT_REASON_STOPPED, 0);
}

/**
 * ktput_run_refuse() - end a source that cannot connect
 * @run: published run; nothing happens if it has a reason to end already
 * @error: errno, positive, which ktput_tcp_refusal() explains
 *
 * Any context.
 */
void ktput_run_refuse(struct ktput_run *run, int error)
{
	if (give_reason(run, KTPUT_REASON_UNCONNECTED, error))
		queue_end(run, 0, true);
}

/**
 * ktput_run_stream_connected() - report that a stream of a source is connected
 * @run: its run; called once for each stream, by its worker
 *
 * The last one begins the run. That takes time proportional to the number of
 * streams, so it is not done in the turn of a stream.
 */
void ktput_run_stream_connected(struct ktput_run *run)
{
	if (atomic_dec_and_test(&run->unconnected))
		queue_work(end_queue, &run->begin_work);
}

/**
 * ktput_run_stream_sent() - report that a stream of a source has sent its share
 * @run: its run
 * @reason: unit of the share, bytes or messages
 */
void ktput_run_stream_sent(struct ktput_run *run, enum ktput_reason reason)
{
	if (atomic_dec_and_test(&run->sending))
		ktput_run_end(run, reason, 0);
}

/**
 * ktput_run_stream_ended() - report that a stream has ended
 * @run: its run
 * @error: errno, positive, that ended it, or 0
 *
 * A source that loses a stream ends as a whole, since it no longer measures
 * what was requested. A sink continues to serve other streams.
 */
void ktput_run_stream_ended(struct ktput_run *run, int error)
{
	if (run->config.role == KTPUT_ROLE_SINK) {
		if (atomic64_inc_return(&run->closed) == run->config.streams &&
		    run->config.once)
			ktput_run_end(run, KTPUT_REASON_PEERS, 0);
		return;
	}
	if (error)
		ktput_run_end(run, error == ECONNRESET || error == EPIPE ||
			      error == ETIMEDOUT ? KTPUT_REASON_RESET :
						   KTPUT_REASON_ERROR, error);
	if (atomic_dec_and_test(&run->open))
		queue_end(run, 0, true);
}

/**
 * ktput_run_init() - prepare for runs
 *
 * Return: 0 or -ENOMEM.
 */
int __init ktput_run_init(void)
{
	close_queue = alloc_workqueue("ktput_close", WQ_UNBOUND, 0);
	if (!close_queue)
		return -ENOMEM;
	end_queue = alloc_workqueue("ktput_end", WQ_UNBOUND, 0);
	if (!end_queue)
		goto no_end_queue;
	call_queue = alloc_workqueue("ktput_call", WQ_UNBOUND, 0);
	if (call_queue)
		return 0;
	destroy_workqueue(end_queue);
no_end_queue:
	destroy_workqueue(close_queue);
	return -ENOMEM;
}

/**
 * ktput_run_exit() - undo ktput_run_init()
 *
 * All runs have ended.
 */
void ktput_run_exit(void)
{
	destroy_workqueue(call_queue);
	/* In this order, since end works queue close works. */
	destroy_workqueue(end_queue);
	destroy_workqueue(close_queue);
}
