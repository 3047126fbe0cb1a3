/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run: one end of a measurement, all sources or all sinks.
 */
#ifndef KTPUT_RUN_H
#define KTPUT_RUN_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/ktput.h>

#include "cachelines.h"
#include "config.h"
#include "counters.h"

struct ktput_histogram;
struct ktput_ingress;
struct ktput_listener;
struct ktput_netns;
struct ktput_ops;
struct ktput_peers;
struct ktput_quota;
struct ktput_stream;
struct ktput_worker;
struct mem_cgroup;
struct netlink_ext_ack;
struct socket;

/**
 * struct ktput_preparation - how far the creation of a run's streams has come
 * @done: streams that are complete; of a source of frames, the first queue to go on
 *	from
 * @stale: sockets, those of the first streams, that are to be released
 *	before others are created
 * @attempts: attempts to find ports that are left
 * @port: port of the first stream, 0 until it is known
 * @any: no local address is configured
 * @begun: the members are set up
 */
struct ktput_preparation {
	u32 done;
	u32 stale;
	u32 attempts;
	u16 port;
	bool any;
	bool begun;
};

/**
 * struct ktput_run - one end of a measurement
 * @netns: namespace; it outlives the end of the run, but not always the run
 * @quota: quota of the namespace, with a reference, once the streams are
 *	charged; constant thereafter
 * @memcg: memory cgroup of who asked for the run, with a reference, or NULL;
 *	constant
 * @config: configuration; constant once published
 * @ops: operations of its transport at its layer, in its role; constant
 * @workers: a worker for each CPU in use; constant once published
 * @worker_count: number of @workers
 * @stream_count: streams in the table; @lock
 * @streams: table of &ktput_config.streams; @lock
 * @listener: of a sink; constant once published
 * @ingress: hook of a sink at the ingress layer; constant once published
 * @softirq: counters of sinks that take datagrams or frames in softirq, one per
 *	CPU and written only there; constant pointer
 * @latency: round trips by the CPU on which they end, for a source of ping-pong
 *	streams, else NULL; constant pointers
 * @peers: of each stream of a UDP sink that tells them apart, else NULL; each under
 *	the lock of the stream's arrivals
 * @ref: references: one of the namespace's table, one of the end work, which
 *	passes it to the close work, and those of readers
 * @id: number in the namespace; constant once published
 * @owner: netlink port that started the run
 * @lock: protects @streams, @stream_count, and members elsewhere that are
 *	documented as under the run's lock. Its holders may sleep; never taken
 *	in a turn that moves payload. Held by threads of the kernel, see
 *	ktput_run_call_locked(), and by the task that starts the run
 * @prepare_lock: held by a step that prepares the published run. RTNL and
 *	cpus_read_lock() are taken inside it, so no code waits for a run that is
 *	preparing while it holds one of these
 * @preparation: how far the run is prepared; @prepare_lock once published
 * @next_id: number for the next stream; @lock
 * @idle: streams that have ended, the oldest end first; @lock
 * @reason: enum ktput_reason; the first to write it over NONE wins (cmpxchg)
 * @error: errno, positive, with the reason; written by the winner
 * @draining: sources must stop sending; READ_ONCE by the workers
 * @state: state of the run; written by the begin work under @lock, and after
 *	that by the close work (READ_ONCE). What is "constant once published" is
 *	constant once this is not KTPUT_STATE_PREPARING any more
 *	(ktput_run_is_prepared())
 * @own: CPUs shown to readers that may not see all CPUs: those of its workers
 *	or, without workers, those that it would have; constant once published
 * @polled: CLOCK_MONOTONIC in nanoseconds of the latest snapshot for such a
 *	reader; cmpxchg
 * @begun: CLOCK_MONOTONIC in nanoseconds when it began, 0 before; @lock
 * @ended: CLOCK_MONOTONIC in nanoseconds when the reason came; written by the
 *	winner
 * @timer: ends the run after its time, or a source that does not connect in
 *	time, or a run whose owner does not have it prepared in time
 * @begin_work: starts the streams once all are connected; queued by a turn
 * @end_work: waits for the drain, stops the workers, makes them leave their
 *	CPUs
 * @close_work: closes the sockets and notifies; queued by @end_work alone
 * @end_lock: protects @ending, taken in any context
 * @ending: the end work has begun and must not be queued any more
 * @forget: the run is removed from the namespace's table when it is done; the
 *	namespace's lock
 * @left: completed by the end work once no CPU has a worker or a turn of the
 *	run; CPU hotplug waits for this only
 * @done: completed by the close work, under the namespace's lock, as its last
 *	access to the namespace
 * @unconnected: streams of a source that are not connected yet
 * @sending: streams of a source that have not sent all
 * @open: streams of a source that have not ended
 * @closed: streams of a sink that have ended
 * @accounted: the run holds a reference on accounting; @lock
 * @accepted: connections accepted; the listener's worker writes
 * @refused: connections refused; the listener's worker writes
 * @model: of a source with a connection per request: a socket like those of the
 *	requests, see tcp_socket.c; else NULL. Constant until the close work
 *	releases it.
 *
 * Groups: members that are constant while packets flow, and read on any CPU for
 * each packet; members that are written on reads of the run, or when a stream
 * begins or ends.
 */
struct ktput_run {
	struct ktput_netns *netns ____cacheline_aligned_in_smp;
	struct ktput_quota *quota;
	struct mem_cgroup *memcg;
	struct ktput_config config;
	const struct ktput_ops *ops;
	struct ktput_worker **workers;
	unsigned int worker_count;
	unsigned int stream_count;
	struct ktput_stream **streams;
	struct ktput_listener *listener;
	struct ktput_ingress *ingress;
	struct ktput_counters __percpu *softirq;
	struct ktput_histogram **latency;
	struct ktput_peers *peers;

	struct kref ref ____cacheline_aligned_in_smp;
	u32 id;
	u32 owner;
	struct mutex lock; /* see above */
	struct mutex prepare_lock; /* see above */
	struct ktput_preparation preparation;
	u32 next_id;
	struct list_head idle;
	unsigned int reason;
	int error;
	bool draining;
	enum ktput_state state;
	struct cpumask own;
	atomic64_t polled;
	u64 begun;
	u64 ended;
	struct hrtimer timer;
	struct work_struct begin_work;
	struct delayed_work end_work;
	struct work_struct close_work;
	spinlock_t end_lock; /* see above */
	bool ending;
	bool forget;
	struct completion left;
	struct completion done;
	atomic_t unconnected;
	atomic_t sending;
	atomic_t open;
	atomic64_t closed;
	bool accounted;
	u64 accepted;
	u64 refused;
	struct socket *model;
};

KTPUT_OWN_CACHELINES(struct ktput_run);
KTPUT_SEPARATE_CACHELINES(struct ktput_run, peers, ref);

/**
 * ktput_run_sends_pages() - whether a run's streams send references to pages
 * @run: run
 *
 * Return: true for sources, and for ends that answer over TCP, with method
 * zerocopy.
 */
static inline bool ktput_run_sends_pages(const struct ktput_run *run)
{
	return run->config.method == KTPUT_METHOD_ZEROCOPY &&
	       (run->config.role == KTPUT_ROLE_SOURCE ||
		(run->config.pattern == KTPUT_PATTERN_PING_PONG &&
		 run->config.transport == KTPUT_TRANSPORT_TCP));
}

/**
 * ktput_run_in_softirq() - whether a run's streams take no turns
 * @run: run
 *
 * Return: true for sinks of datagrams or frames that are called in softirq: the
 * counters of a CPU are in @softirq, those of a stream in its arrivals.
 */
static inline bool ktput_run_in_softirq(const struct ktput_run *run)
{
	return run->config.role == KTPUT_ROLE_SINK &&
	       run->config.transport == KTPUT_TRANSPORT_UDP &&
	       run->config.method == KTPUT_METHOD_ZEROCOPY;
}

/**
 * ktput_run_is_prepared() - whether all of a run is created
 * @run: published run
 *
 * Return: true if its streams, workers and configuration may be read. A run that
 * has ended before it was prepared has fewer of them.
 */
static inline bool ktput_run_is_prepared(const struct ktput_run *run)
{
	/* Pairs with the stores of what follows. */
	return smp_load_acquire(&run->state) != KTPUT_STATE_PREPARING;
}

struct ktput_run *ktput_run_start(struct ktput_netns *netns,
				  struct ktput_run *run, u32 owner,
				  struct netlink_ext_ack *extack);
int ktput_run_prepare(struct ktput_run *run, struct netlink_ext_ack *extack);
struct ktput_run *ktput_run_alloc(void);
void ktput_run_put(struct ktput_run *run);

void ktput_run_call(void (*call)(void *data), void *data);
void ktput_run_call_locked(struct ktput_run *run, void (*call)(void *data),
			   void *data);

struct ktput_stream *ktput_run_add_stream(struct ktput_run *run, int node);

void ktput_run_end(struct ktput_run *run, enum ktput_reason reason, int error);
void ktput_run_abort(struct ktput_run *run, enum ktput_reason reason);
void ktput_run_stop(struct ktput_run *run);
void ktput_run_refuse(struct ktput_run *run, int error);
void ktput_run_stream_connected(struct ktput_run *run);
void ktput_run_stream_sent(struct ktput_run *run, enum ktput_reason reason);
void ktput_run_stream_ended(struct ktput_run *run, int error);

int ktput_run_init(void);
void ktput_run_exit(void);

#endif /* KTPUT_RUN_H */
