// SPDX-License-Identifier: GPL-2.0
/*
 * Ping-pong: state of its streams, for all transports.
 *
 * A response in a datagram repeats the header of its request. The sequence
 * number there gives the slot of the request, and how many requests the slot
 * has had. A request without a response times out, and its slot is reused; a
 * response that comes after that is late.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "datagram.h"
#include "pingpong.h"

DEFINE_PER_CPU(unsigned int, ktput_pingpong_depth);

static enum hrtimer_restart time_is_over(struct hrtimer *timer)
{
	struct ktput_pingpong *pingpong =
		container_of(timer, struct ktput_pingpong, timer);

	WRITE_ONCE(pingpong->expired, true);
	ktput_turn_ready(&pingpong->stream->turn);
	return HRTIMER_NORESTART;
}

/**
 * ktput_pingpong_create() - add the state of ping-pong to a stream
 * @stream: new stream of such a run
 *
 * Return: 0 or -ENOMEM.
 */
int ktput_pingpong_create(struct ktput_stream *stream)
{
	struct ktput_pingpong *pingpong;

	pingpong = kzalloc(sizeof(*pingpong), GFP_KERNEL_ACCOUNT);
	if (!pingpong)
		return -ENOMEM;
	spin_lock_init(&pingpong->lock);
	hrtimer_setup(&pingpong->timer, time_is_over, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	pingpong->stream = stream;
	stream->pingpong = pingpong;
	return 0;
}

/**
 * ktput_pingpong_reset() - reset for another connection
 * @stream: stream without a socket whose callback could run
 */
void ktput_pingpong_reset(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_pingpong *pingpong = stream->pingpong;

	pingpong->under_way = 0;
	pingpong->taken = 0;
	pingpong->out_left = 0;
	pingpong->owed = 0;
	pingpong->behind = false;
	pingpong->closing = false;
	pingpong->error = 0;
	memset(&pingpong->counters, 0, sizeof(pingpong->counters));
	pingpong->in_left = config->role == KTPUT_ROLE_SOURCE ?
			    config->pingpong.response_size :
			    config->pingpong.request_size;
}

/**
 * ktput_pingpong_account() - account work done in softirq, or with softirqs disabled
 * @stream: stream, locked
 * @delta: counters of this work
 */
void ktput_pingpong_account(struct ktput_stream *stream,
			    const struct ktput_counters *delta)
{
	ktput_counters_add(&stream->pingpong->counters, delta);
	ktput_counters_add(this_cpu_ptr(stream->run->softirq), delta);
}

/**
 * ktput_pingpong_drop() - count a message that cannot be answered on this stack
 * @stream: stream, possibly locked by a send further up the stack
 *
 * Called with bottom halves disabled. A sender further up the stack accounts
 * its own work when its send is done, and so not concurrently.
 */
void ktput_pingpong_drop(struct ktput_stream *stream)
{
	static const struct ktput_counters delta = { .drops = 1 };

	atomic_long_inc(&stream->pingpong->dropped);
	ktput_counters_add(this_cpu_ptr(stream->run->softirq), &delta);
}

/**
 * ktput_pingpong_read() - add the counters of a stream's callbacks
 * @to: counters of its turns
 * @pingpong: requests and responses of the stream
 */
void ktput_pingpong_read(struct ktput_counters *to,
			 const struct ktput_pingpong *pingpong)
{
	struct ktput_counters counters;

	ktput_counters_read(&counters, &pingpong->counters);
	counters.drops += atomic_long_read(&pingpong->dropped);
	ktput_counters_add(to, &counters);
}

/**
 * ktput_pingpong_wait() - wait until a request is due
 * @stream: stream of a source; called in its turn
 * @due: from ktput_pingpong_due(), or later
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pingpong_wait(struct ktput_stream *stream, u64 due)
{
	if (due == KTPUT_PINGPONG_NEVER)
		return KTPUT_TURN_WAIT;
	return ktput_pace_wait_until(&stream->pace, due);
}

/**
 * ktput_pingpong_sent_all() - report that all requests have been sent and answered
 * @stream: stream of a source that is running; called in its turn
 */
void ktput_pingpong_sent_all(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	ktput_stream_sent(stream);
	ktput_run_stream_sent(run, KTPUT_REASON_MESSAGES);
}

static void arm(struct ktput_pingpong *pingpong, u64 time)
{
	if (pingpong->armed || pingpong->closed)
		return;
	pingpong->armed = true;
	hrtimer_start(&pingpong->timer, ns_to_ktime(time), HRTIMER_MODE_ABS);
}

/**
 * ktput_pingpong_begin_datagram() - record that a request in a datagram is sent now
 * @stream: stream of a source, locked
 * @slot: free slot
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
void ktput_pingpong_begin_datagram(struct ktput_stream *stream, u32 slot,
				   u64 now)
{
	struct ktput_pingpong *pingpong = stream->pingpong;

	lockdep_assert_held(&pingpong->lock);
	pingpong->waiting |= BIT_ULL(slot);
	pingpong->sent[slot] = now;
	ktput_pingpong_begin(stream, slot, now);
	arm(pingpong, now + stream->run->config.pingpong.timeout);
}

/* Ends the request in a slot. */
static void vacate(struct ktput_pingpong *pingpong, u32 slot)
{
	pingpong->waiting &= ~BIT_ULL(slot);
	pingpong->rounds[slot]++;
}

/**
 * ktput_pingpong_take_response() - process a received response
 * @stream: stream of a source, locked
 * @header: header of the datagram
 * @now: CLOCK_MONOTONIC in nanoseconds
 *
 * Return: true if a request waited for it.
 */
bool ktput_pingpong_take_response(struct ktput_stream *stream,
				  const struct ktput_datagram *header, u64 now)
{
	const u32 sequence = be32_to_cpu(header->sequence);
	const u32 slot = sequence % KTPUT_PINGPONG_SLOTS;
	struct ktput_pingpong *pingpong = stream->pingpong;

	lockdep_assert_held(&pingpong->lock);
	if (!(pingpong->waiting & BIT_ULL(slot)) ||
	    sequence != ktput_pingpong_sequence(pingpong, slot)) {
		u64 *late = &ktput_pingpong_histogram(stream)->late;

		WRITE_ONCE(*late, *late + 1);
		return false;
	}
	vacate(pingpong, slot);
	ktput_pingpong_complete(stream, slot, now);
	return true;
}

/**
 * ktput_pingpong_give_up() - give up requests that have timed out
 * @stream: stream of a source, locked; called in its turn
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
void ktput_pingpong_give_up(struct ktput_stream *stream, u64 now)
{
	const u64 timeout = stream->run->config.pingpong.timeout;
	struct ktput_pingpong *pingpong = stream->pingpong;
	u64 left = pingpong->waiting, oldest = U64_MAX;

	lockdep_assert_held(&pingpong->lock);
	if (likely(!READ_ONCE(pingpong->expired)))
		return;
	WRITE_ONCE(pingpong->expired, false);
	pingpong->armed = false;
	for (; left; left &= left - 1) {
		const u32 slot = __ffs64(left);
		u64 *timeouts;

		if (now - pingpong->sent[slot] < timeout) {
			oldest = min(oldest, pingpong->sent[slot]);
			continue;
		}
		timeouts = &ktput_pingpong_histogram(stream)->timeouts;
		WRITE_ONCE(*timeouts, *timeouts + 1);
		vacate(pingpong, slot);
		ktput_pingpong_free(stream, now);
	}
	if (oldest != U64_MAX)
		arm(pingpong, oldest + timeout);
}

/**
 * ktput_pingpong_concerns_worker() - whether a source needs a turn
 * @stream: stream of a source, locked
 * @due: time when its next request is due
 *
 * Return: true if the callback has left work that only a turn can do.
 */
bool ktput_pingpong_concerns_worker(const struct ktput_stream *stream, u64 due)
{
	const struct ktput_pingpong *pingpong = stream->pingpong;

	return pingpong->error || due != KTPUT_PINGPONG_NEVER ||
	       (!pingpong->under_way &&
		(!stream->messages_left ||
		 READ_ONCE(stream->state) != KTPUT_STATE_RUNNING));
}

/**
 * ktput_pingpong_close() - stop sending
 * @stream: stream of datagrams; called by its worker, or once that is stopped
 *
 * Callbacks that have found the stream may still be running, but neither send
 * nor arm the timer any more.
 */
void ktput_pingpong_close(struct ktput_stream *stream)
{
	struct ktput_pingpong *pingpong = stream->pingpong;

	spin_lock_bh(&pingpong->lock);
	pingpong->closed = true;
	spin_unlock_bh(&pingpong->lock);
	hrtimer_cancel(&pingpong->timer);
}

/*
 * Counts the requests under way of a stream, each as a time of at least @greatest.
 * Those of datagrams are in the slots of @waiting; of a connection they are the latest.
 */
static void abandon(const struct ktput_stream *stream,
		    struct ktput_histogram *histogram, u64 greatest, u64 now)
{
	const struct ktput_pingpong *pingpong = stream->pingpong;
	u32 i;

	for (i = 0; i < KTPUT_PINGPONG_SLOTS; i++) {
		const u32 later = (pingpong->taken - 1 - i) %
				  KTPUT_PINGPONG_SLOTS;
		const u64 begun = pingpong->begun[pingpong->waiting ? i : later];

		if (pingpong->waiting ? !(pingpong->waiting & BIT_ULL(i)) :
					i >= pingpong->under_way)
			continue;
		ktput_histogram_add_unanswered(histogram,
					       max(now - begun, greatest));
	}
}

/**
 * ktput_pingpong_abandon() - count the requests that were never answered
 * @run: run that has ended; a grace period ago, all streams left their sockets
 * @now: CLOCK_MONOTONIC in nanoseconds when they had
 *
 * Nobody writes a histogram any more. All requests are counted in one.
 */
void ktput_pingpong_abandon(struct ktput_run *run, u64 now)
{
	struct ktput_histogram *histogram;
	unsigned int i, cpu;
	u64 greatest = 0;

	if (!run->latency)
		return;
	for_each_possible_cpu(cpu)
		greatest = max(greatest, run->latency[cpu]->max);
	histogram = run->latency[cpumask_first(&run->own)];
	for (i = 0; i < run->stream_count; i++)
		abandon(run->streams[i], histogram, greatest, now);
}
