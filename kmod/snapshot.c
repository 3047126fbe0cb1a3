// SPDX-License-Identifier: GPL-2.0
/*
 * A snapshot: a run's counters on all CPUs at one instant.
 *
 * Each CPU is interrupted and reads its clocks, its worker's counters and those
 * of its worker's streams, of the first KTPUT_SNAPSHOT_PORTION of the run. No
 * turn on that CPU comes in between, so the streams of a CPU add up to the CPU.
 * Streams whose datagrams softirq takes are read later, and include what has
 * arrived until then.
 *
 * What a reader asks for must not cost others more than a bound. So further
 * streams are read only when the reader gets to them, in portions: each worker
 * copies its part of a portion between two turns of streams, and all that the
 * CPU serves goes on before the next portion. They have then counted on, unless
 * the run has ended. A reader that wants no streams does not ask for them.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stringify.h>
#include <linux/tick.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <net/genetlink.h>

#include "address.h"
#include "contexts.h"
#include "datagram_snapshot.h"
#include "events.h"
#include "genl-gen.h"
#include "histogram.h"
#include "ops.h"
#include "pingpong.h"
#include "quota.h"
#include "run.h"
#include "snapshot.h"
#include "stream.h"
#include "tcp.h"
#include "worker.h"

/**
 * struct cpu_reading - a CPU in a snapshot
 * @worker: worker on it, or NULL
 * @read: the CPU has been read
 * @time: CLOCK_MONOTONIC in nanoseconds
 * @cycles: cycle counter
 * @idle_ns: nanoseconds idle, U64_MAX if not measured
 * @times: of the worker's thread
 * @counters: of the worker
 * @contexts: cycles of the CPU by context
 * @events: perf events of the CPU
 */
struct cpu_reading {
	const struct ktput_worker *worker;
	bool read;
	u64 time;
	u64 cycles;
	u64 idle_ns;
	struct ktput_thread_times times;
	struct ktput_counters counters;
	struct ktput_contexts contexts;
	struct ktput_events events;
};

/**
 * struct ktput_snapshot - a run's counters on all CPUs at one instant
 * @run: the run, with a reference
 * @size: bytes charged to the namespace's quota
 * @parts: what the reader wants, of enum ktput_part
 * @accounted: the CPUs are accounted
 * @permitted: the reader may see all CPUs, and events
 * @state: of the run, before the first CPU was read: what is read of a run that has
 *	ended is final
 * @now: CLOCK_MONOTONIC in nanoseconds, before the first CPU was read
 * @cpus: a reading for each possible CPU
 * @streams: a reading for each stream of a portion, NULL if none is wanted
 * @stream_count: streams of the run when its CPUs were read, 0 if none is
 *	wanted
 * @first: slot of the first stream of the portion
 * @read: streams of the portion that a worker has read
 * @latency: a reading of each possible CPU's histogram, NULL if the run has
 *	none, or none is wanted
 */
struct ktput_snapshot {
	struct ktput_run *run;
	long size;
	u32 parts;
	bool accounted;
	bool permitted;
	enum ktput_state state;
	u64 now;
	struct cpu_reading *cpus;
	struct ktput_stream_reading *streams;
	unsigned int stream_count;
	unsigned int first;
	DECLARE_BITMAP(read, KTPUT_SNAPSHOT_PORTION);
	struct ktput_histogram *latency;
};

/* Number of streams in the portion. */
static unsigned int portion(const struct ktput_snapshot *snapshot)
{
	return min_t(unsigned int, snapshot->stream_count - snapshot->first,
		     KTPUT_SNAPSHOT_PORTION);
}

static struct ktput_stream *stream_at(const struct ktput_snapshot *snapshot,
				      unsigned int i)
{
	return snapshot->run->streams[snapshot->first + i];
}

/* Called where no turn of the stream is accounted meanwhile. */
static void read_tally(struct ktput_stream_reading *to,
		       const struct ktput_stream *stream)
{
	to->first_cycles = READ_ONCE(stream->tally.first_cycles);
	to->last_cycles = READ_ONCE(stream->tally.last_cycles);
	ktput_counters_read(&to->counters, &stream->tally.counters);
	ktput_counters_subtract(&to->counters, &stream->earlier);
}

/* Runs on the worker's CPU, or anywhere once the worker is stopped. */
static void read_worker(struct ktput_snapshot *snapshot,
			struct cpu_reading *reading)
{
	const struct ktput_worker *worker = reading->worker;
	unsigned int i;

	ktput_counters_read(&reading->counters, &worker->counters);
	for (i = 0; i < portion(snapshot); i++)
		if (stream_at(snapshot, i)->turn.worker == worker)
			read_tally(&snapshot->streams[i],
				   stream_at(snapshot, i));
}

static u64 read_idle(const struct ktput_snapshot *snapshot,
		     const struct cpu_reading *reading, unsigned int cpu)
{
	u64 idle = U64_MAX;

	if (!KTPUT_IDLE_EXACT && snapshot->accounted)
		idle = ktput_contexts_idle_ns(&reading->contexts);
	if (idle != U64_MAX)
		return idle;
	idle = get_cpu_idle_time_us(cpu, NULL);
	if (idle == U64_MAX)
		return idle;
	/* Time waiting for a disk is idle time. */
	return (idle + get_cpu_iowait_time_us(cpu, NULL)) * NSEC_PER_USEC;
}

static void read_cpu(void *data)
{
	struct ktput_snapshot *snapshot = data;
	unsigned int cpu = smp_processor_id();
	struct cpu_reading *reading = &snapshot->cpus[cpu];

	reading->time = ktime_get_ns();
	reading->cycles = get_cycles();
	if (snapshot->accounted)
		ktput_contexts_read(&reading->contexts, reading->cycles);
	if (snapshot->accounted && snapshot->parts & KTPUT_PART_CONTEXTS)
		ktput_events_read(&reading->events, snapshot->permitted);
	reading->idle_ns = read_idle(snapshot, reading, cpu);
	if (reading->worker) {
		read_worker(snapshot, reading);
		ktput_worker_read_times(&reading->times, reading->worker);
	}
	ktput_counters_add(&reading->counters,
			   this_cpu_ptr(snapshot->run->softirq));
	if (snapshot->latency)
		ktput_histogram_read(&snapshot->latency[cpu],
				     snapshot->run->latency[cpu]);
	reading->read = true;
}

static void read_stream(struct ktput_stream_reading *to,
			struct ktput_stream *stream)
{
	to->id = stream->id;
	to->cpu = stream->turn.worker ? stream->turn.worker->cpu : 0;
	to->state = READ_ONCE(stream->state);
	to->error = READ_ONCE(stream->error);
	to->local = stream->local;
	to->remote = stream->remote;
	if (stream->pingpong)
		ktput_pingpong_read(&to->counters, stream->pingpong);
	if (stream->run->ops->read)
		stream->run->ops->read(to, stream);
}

/*
 * Reads counters of CPUs that are offline, where every worker is stopped, and
 * of CPUs without a worker of the run.
 */
static void read_others(struct ktput_snapshot *snapshot)
{
	const struct ktput_run *run = snapshot->run;
	struct ktput_counters softirq;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_reading *reading = &snapshot->cpus[cpu];

		if (reading->read)
			continue;
		if (reading->worker)
			read_worker(snapshot, reading);
		/* That CPU may be writing them. */
		ktput_counters_read(&softirq, per_cpu_ptr(run->softirq, cpu));
		ktput_counters_add(&reading->counters, &softirq);
		if (snapshot->latency)
			ktput_histogram_read(&snapshot->latency[cpu],
					     run->latency[cpu]);
	}
}

/* Under the run's lock. */
static void read_run(void *data)
{
	struct ktput_snapshot *snapshot = data;
	struct ktput_run *run = snapshot->run;
	unsigned int i;

	lockdep_assert_held(&run->lock);
	for (i = 0; i < run->worker_count; i++)
		snapshot->cpus[run->workers[i]->cpu].worker = run->workers[i];
	/* Streams are added only under the lock, and stay. */
	if (snapshot->streams)
		snapshot->stream_count = run->stream_count;

	/* Pairs with set_state() of run.c. */
	snapshot->state = smp_load_acquire(&run->state);
	snapshot->accounted = run->accounted;
	snapshot->now = ktime_get_ns();
	on_each_cpu_mask(snapshot->permitted &&
			 snapshot->parts & KTPUT_PART_CONTEXTS ?
			 cpu_online_mask : &run->own, read_cpu, snapshot, 1);
	read_others(snapshot);
	for (i = 0; i < portion(snapshot); i++)
		read_stream(&snapshot->streams[i], stream_at(snapshot, i));
}

static void look(struct ktput_stream *stream)
{
	if (stream->run->ops->look)
		stream->run->ops->look(stream);
}

/*
 * Reads the socket state of a worker's streams, in its thread. The task that
 * takes a snapshot does not do this itself: turns hold the socket's lock, and
 * the next turn would take it again before the task wakes up.
 */
static void look_first(struct ktput_worker *worker, void *data)
{
	struct ktput_run *run = worker->run;
	unsigned int i, count;

	mutex_lock(&run->lock);
	count = min_t(unsigned int, run->stream_count, KTPUT_SNAPSHOT_PORTION);
	for (i = 0; i < count; i++)
		if (run->streams[i]->turn.worker == worker)
			look(run->streams[i]);
	mutex_unlock(&run->lock);
}

/* Reads a worker's streams of a portion, in its thread, between turns. */
static void read_own(struct ktput_worker *worker, void *data)
{
	struct ktput_snapshot *snapshot = data;
	unsigned int i;

	mutex_lock(&worker->run->lock);
	for (i = 0; i < portion(snapshot); i++) {
		struct ktput_stream *stream = stream_at(snapshot, i);

		if (stream->turn.worker != worker)
			continue;
		look(stream);
		read_tally(&snapshot->streams[i], stream);
		read_stream(&snapshot->streams[i], stream);
		__set_bit(i, snapshot->read);
	}
	mutex_unlock(&worker->run->lock);
}

/*
 * Reads streams of a portion whose worker has stopped, or that have none. Under the
 * run's lock. A last turn may just be accounted: the run has not ended then.
 */
static void read_left(void *data)
{
	struct ktput_snapshot *snapshot = data;
	unsigned int i;

	for (i = 0; i < portion(snapshot); i++) {
		if (test_bit(i, snapshot->read))
			continue;
		look(stream_at(snapshot, i));
		read_tally(&snapshot->streams[i], stream_at(snapshot, i));
		read_stream(&snapshot->streams[i], stream_at(snapshot, i));
	}
}

static bool serves(const struct ktput_worker *worker,
		   const struct ktput_snapshot *snapshot)
{
	unsigned int i;

	for (i = 0; i < portion(snapshot); i++)
		if (READ_ONCE(stream_at(snapshot, i)->turn.worker) == worker)
			return true;
	return false;
}

/* Reads the portion of a stream. */
static void read_portion(struct ktput_snapshot *snapshot, unsigned int slot)
{
	const struct ktput_run *run = snapshot->run;
	unsigned int i;

	snapshot->first = rounddown(slot, KTPUT_SNAPSHOT_PORTION);
	bitmap_zero(snapshot->read, KTPUT_SNAPSHOT_PORTION);
	memset(snapshot->streams, 0,
	       KTPUT_SNAPSHOT_PORTION * sizeof(*snapshot->streams));
	for (i = 0; i < run->worker_count; i++)
		if (serves(run->workers[i], snapshot))
			ktput_worker_visit(run->workers[i], read_own, snapshot);
	if (bitmap_weight(snapshot->read, KTPUT_SNAPSHOT_PORTION) !=
	    portion(snapshot))
		ktput_run_call_locked(snapshot->run, read_left, snapshot);
}

/*
 * Allocates all memory of a snapshot, charged to the namespace's quota: a dump
 * that has begun keeps its memory even if it is not read.
 */
static int allocate(struct ktput_snapshot *snapshot,
		    struct netlink_ext_ack *extack)
{
	struct ktput_run *run = snapshot->run;
	const bool streams = snapshot->parts & KTPUT_PART_STREAMS;
	const bool latency = run->latency &&
			     snapshot->parts & KTPUT_PART_LATENCY;
	long size = nr_cpu_ids * sizeof(*snapshot->cpus) +
		    streams * KTPUT_SNAPSHOT_PORTION *
		    sizeof(*snapshot->streams) +
		    latency * nr_cpu_ids * sizeof(*snapshot->latency);
	int error;

	error = ktput_quota_take(run->quota, KTPUT_RESOURCE_SNAPSHOTS, size,
				 extack);
	if (error)
		return error;
	snapshot->size = size;
	snapshot->cpus = kvcalloc(nr_cpu_ids, sizeof(*snapshot->cpus),
				  GFP_KERNEL_ACCOUNT);
	if (streams)
		snapshot->streams = kvcalloc(KTPUT_SNAPSHOT_PORTION,
					     sizeof(*snapshot->streams),
					     GFP_KERNEL_ACCOUNT);
	if (latency)
		snapshot->latency = kvcalloc(nr_cpu_ids,
					     sizeof(*snapshot->latency),
					     GFP_KERNEL_ACCOUNT);
	return snapshot->cpus && (snapshot->streams || !streams) &&
	       (snapshot->latency || !latency) ? 0 : -ENOMEM;
}

/*
 * Each snapshot interrupts the run's CPUs, also at the expense of others, and
 * waits for turns there. So snapshots that would disturb the whole host are
 * rate-limited.
 */
static bool too_soon(struct ktput_run *run)
{
	s64 polled = atomic64_read(&run->polled);
	const s64 now = ktime_get_ns();

	return (polled && now - polled < KTPUT_MIN_POLL) ||
	       !atomic64_try_cmpxchg(&run->polled, &polled, now);
}

/**
 * ktput_snapshot_take() - take a snapshot
 * @run: run; the caller's reference is consumed
 * @parts: what is wanted, of enum ktput_part
 * @permitted: from ktput_events_permitted(), of the sender of the request
 * @extack: gets the reason of a refusal
 *
 * Return: the snapshot, or an ERR_PTR(): -EAGAIN if the last one was too
 * recent; -EBUSY if too many are being read; -ENOMEM.
 */
struct ktput_snapshot *ktput_snapshot_take(struct ktput_run *run, u32 parts,
					   bool permitted,
					   struct netlink_ext_ack *extack)
{
	struct ktput_snapshot *snapshot;
	unsigned int i;
	int error;

	if (!permitted && too_soon(run)) {
		NL_SET_ERR_MSG(extack, "counters are told once in "
			       __stringify(KTPUT_MIN_POLL)
			       " ns to who lacks CAP_PERFMON in the initial user namespace");
		ktput_run_put(run);
		return ERR_PTR(-EAGAIN);
	}
	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT);
	if (!snapshot) {
		ktput_run_put(run);
		return ERR_PTR(-ENOMEM);
	}
	snapshot->run = run;
	snapshot->parts = parts;
	snapshot->permitted = permitted;
	/* Before taking the lock, for which turns wait as well. */
	error = allocate(snapshot, extack);
	if (error) {
		ktput_snapshot_free(snapshot);
		return ERR_PTR(error);
	}
	if (snapshot->streams)
		for (i = 0; i < run->worker_count; i++)
			ktput_worker_visit(run->workers[i], look_first, NULL);
	ktput_run_call_locked(run, read_run, snapshot);
	return snapshot;
}

/**
 * ktput_snapshot_free() - free a snapshot
 * @snapshot: snapshot
 */
void ktput_snapshot_free(struct ktput_snapshot *snapshot)
{
	kvfree(snapshot->latency);
	kvfree(snapshot->streams);
	kvfree(snapshot->cpus);
	ktput_quota_give(snapshot->run->quota, KTPUT_RESOURCE_SNAPSHOTS,
			 snapshot->size);
	ktput_run_put(snapshot->run);
	kfree(snapshot);
}

static int put_run(struct sk_buff *skb, struct ktput_run *run,
		   enum ktput_state state, u64 now)
{
	/* Read before the reason and the error, see give_reason(). */
	const u64 ended = smp_load_acquire(&run->ended);
	const u64 begun = READ_ONCE(run->begun);
	const int pad = KTPUT_A_RUN_PAD;
	enum ktput_reason reason = KTPUT_REASON_NONE;
	const bool prepared = ktput_run_is_prepared(run);
	int error = 0;
	struct nlattr *nest;

	if (ended) {
		reason = READ_ONCE(run->reason);
		error = READ_ONCE(run->error);
		if (state != KTPUT_STATE_ENDED)
			state = KTPUT_STATE_DRAINING;
	}
	nest = nla_nest_start(skb, KTPUT_A_MESSAGE_RUN);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_RUN_ID, run->id) ||
	    nla_put_u32(skb, KTPUT_A_RUN_ROLE, run->config.role) ||
	    nla_put_u32(skb, KTPUT_A_RUN_STATE, state) ||
	    nla_put_u32(skb, KTPUT_A_RUN_REASON, reason) ||
	    nla_put_s32(skb, KTPUT_A_RUN_ERROR, error) ||
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_NOW, now, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_BEGUN, begun, pad) ||
	    /* A run may begin while a reason to end it is given. */
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_ENDED,
			      ended ? max(ended, begun) : 0, pad) ||
	    nla_put_u32(skb, KTPUT_A_RUN_STREAMS,
			READ_ONCE(run->stream_count)) ||
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_ACCEPTED,
			      READ_ONCE(run->accepted), pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_REFUSED,
			      READ_ONCE(run->refused), pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_RUN_CLOSED,
			      atomic64_read(&run->closed), pad) ||
	    nla_put_u16(skb, KTPUT_A_RUN_LOCAL_PORT,
			prepared ? ktput_address_port(&run->config.local) : 0) ||
	    (reason == KTPUT_REASON_UNCONNECTED &&
	     nla_put_string(skb, KTPUT_A_RUN_REFUSAL,
			    ktput_tcp_refusal(error)))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * ktput_snapshot_put_run() - write the present state of a run
 * @skb: message; the attribute KTPUT_A_MESSAGE_RUN is added
 * @run: published run
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_snapshot_put_run(struct sk_buff *skb, struct ktput_run *run)
{
	return put_run(skb, run, READ_ONCE(run->state), ktime_get_ns());
}

static int put_counters(struct sk_buff *skb, int type,
			const struct ktput_counters *counters)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < KTPUT_COUNTERS; i++)
		if (nla_put_u64_64bit(skb, KTPUT_A_COUNTERS_BYTES + i,
				      counters->each[i], KTPUT_A_COUNTERS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_times(struct sk_buff *skb, const struct cpu_reading *reading)
{
	const int pad = KTPUT_A_CPU_PAD;

	if (!reading->worker)
		return 0;
	if (nla_put_u64_64bit(skb, KTPUT_A_CPU_THREAD_TIME, reading->times.ran,
			      pad))
		return -EMSGSIZE;
	if (reading->times.delayed == U64_MAX)
		return 0;
	return nla_put_u64_64bit(skb, KTPUT_A_CPU_THREAD_DELAY,
				 reading->times.delayed, pad);
}

static int put_clocks(struct sk_buff *skb, const struct cpu_reading *reading,
		      const struct ktput_snapshot *snapshot)
{
	const int pad = KTPUT_A_CPU_PAD;

	if (nla_put_u64_64bit(skb, KTPUT_A_CPU_TIME, reading->time, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_CPU_CYCLES, reading->cycles, pad) ||
	    (reading->idle_ns != U64_MAX &&
	     nla_put_u64_64bit(skb, KTPUT_A_CPU_IDLE, reading->idle_ns, pad)) ||
	    put_times(skb, reading))
		return -EMSGSIZE;
	if (!snapshot->accounted || !(snapshot->parts & KTPUT_PART_CONTEXTS))
		return 0;
	return ktput_contexts_put_message(skb, &reading->contexts,
					  snapshot->permitted) ||
	       ktput_events_put_message(skb, &reading->events) ? -EMSGSIZE : 0;
}

static int put_reading(struct sk_buff *skb, unsigned int cpu,
		       const struct ktput_snapshot *snapshot)
{
	const struct cpu_reading *reading = &snapshot->cpus[cpu];
	struct nlattr *nest = nla_nest_start(skb, KTPUT_A_MESSAGE_CPU);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_CPU_ID, cpu) ||
	    put_counters(skb, KTPUT_A_CPU_COUNTERS, &reading->counters) ||
	    (reading->read && put_clocks(skb, reading, snapshot))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_stream(struct sk_buff *skb,
		      const struct ktput_stream_reading *stream,
		      const struct ktput_ops *ops)
{
	const int pad = KTPUT_A_STREAM_PAD;
	struct nlattr *nest = nla_nest_start(skb, KTPUT_A_MESSAGE_STREAM);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_STREAM_ID, stream->id) ||
	    nla_put_u32(skb, KTPUT_A_STREAM_CPU, stream->cpu) ||
	    nla_put_u32(skb, KTPUT_A_STREAM_STATE, stream->state) ||
	    nla_put_s32(skb, KTPUT_A_STREAM_ERROR, stream->error) ||
	    ktput_address_put(skb, &stream->local, KTPUT_A_STREAM_LOCAL_IPV4,
			      KTPUT_A_STREAM_LOCAL_IPV6,
			      KTPUT_A_STREAM_LOCAL_PORT) ||
	    ktput_address_put(skb, &stream->remote, KTPUT_A_STREAM_REMOTE_IPV4,
			      KTPUT_A_STREAM_REMOTE_IPV6,
			      KTPUT_A_STREAM_REMOTE_PORT) ||
	    nla_put_u64_64bit(skb, KTPUT_A_STREAM_FIRST_CYCLES,
			      stream->first_cycles, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_STREAM_LAST_CYCLES,
			      stream->last_cycles, pad) ||
	    put_counters(skb, KTPUT_A_STREAM_COUNTERS, &stream->counters) ||
	    ops->put(skb, stream)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_latency(struct sk_buff *skb,
		       const struct ktput_snapshot *snapshot,
		       unsigned int index)
{
	const unsigned int parts = 1 + KTPUT_HISTOGRAM_PARTS;
	const unsigned int cpu = index / parts;

	if (!snapshot->latency || cpu >= nr_cpu_ids)
		return -ENOENT;
	if (!cpu_possible(cpu))
		return -ENODATA;
	return ktput_histogram_put(skb, cpu, &snapshot->latency[cpu],
				   index % parts);
}

static int put_one_cpu(struct sk_buff *skb, const struct ktput_snapshot *snapshot,
		       unsigned int cpu)
{
	const struct cpu_reading *reading = &snapshot->cpus[cpu];

	if (!reading->read && !memchr_inv(&reading->counters, 0,
					  sizeof(reading->counters)))
		return -ENODATA;
	return put_reading(skb, cpu, snapshot);
}

static int put_next_stream(struct sk_buff *skb,
			   struct ktput_snapshot *snapshot, unsigned int slot)
{
	if (slot - snapshot->first >= KTPUT_SNAPSHOT_PORTION)
		read_portion(snapshot, slot);
	return put_stream(skb, &snapshot->streams[slot - snapshot->first],
			  snapshot->run->ops);
}

/* Sets @more to the parts that need not be looked at, if there are others. */
static int put_part(struct sk_buff *skb, struct ktput_snapshot *snapshot,
		    unsigned long index, unsigned int *more)
{
	const struct ktput_run *run = snapshot->run;

	if (!index)
		return put_run(skb, snapshot->run, snapshot->state, snapshot->now);
	index--;
	if (index < nr_cpu_ids)
		return put_one_cpu(skb, snapshot, index);
	index -= nr_cpu_ids;
	if (index < snapshot->stream_count)
		return put_next_stream(skb, snapshot, index);
	index -= snapshot->stream_count;
	if (run->peers)
		return snapshot->parts & KTPUT_PART_PEERS ?
		       ktput_datagram_put_peer(skb, run, index, more) : -ENOENT;
	return put_latency(skb, snapshot, index);
}

/**
 * ktput_snapshot_put() - write a part of a snapshot
 * @skb: message
 * @snapshot: snapshot
 * @at: part: 0 is the run, then all possible CPUs, then the streams, then
 *	the peers of each stream, or the parts of each CPU's histogram. Set to
 *	the next one to write
 *
 * May sleep, to read streams.
 *
 * Return: 0; -EMSGSIZE if @skb has no room, and @at is unchanged; -ENODATA for a
 * CPU that was not online and has counted nothing, and for a part that is empty;
 * -ENOENT if neither this part nor any later one exists.
 */
int ktput_snapshot_put(struct sk_buff *skb, struct ktput_snapshot *snapshot,
		       unsigned long *at)
{
	unsigned int more = 1;
	int error;

	error = put_part(skb, snapshot, *at, &more);
	if (!error || error == -ENODATA)
		*at += more;
	return error;
}
