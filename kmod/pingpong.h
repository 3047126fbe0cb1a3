/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ping-pong: the outstanding requests of a stream, for all transports, and when
 * the next one is due.
 */
#ifndef KTPUT_PINGPONG_H
#define KTPUT_PINGPONG_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/ktput.h>

#include "cachelines.h"
#include "histogram.h"
#include "run.h"
#include "stream.h"

struct ktput_datagram;

#define KTPUT_PINGPONG_SLOTS	KTPUT_MAX_OUTSTANDING

/* No request is due: the maximum is under way, or all have been sent. */
#define KTPUT_PINGPONG_NEVER	U64_MAX

/**
 * struct ktput_pingpong - requests and responses of a stream
 * @under_way: requests that wait for a response; below the slots that may be
 * @taken: requests sent, modulo 2^32
 * @in_left: remaining bytes of the message that is being received
 * @out_left: remaining bytes of the message that is being sent
 * @owed: responses that a sink still has to send, except that of @out_left
 * @behind: a pass has left work for the worker; TCP only
 * @closing: the FIN has been sent; worker only
 * @error: errno, positive, of a callback; the worker ends with it
 * @counters: counters of the stream's callbacks, where no turn is accounted
 * @begun: time when the request in a slot was due, or without a rate, sent
 * @ready: earliest time of each of the next requests, by their number modulo
 *	the slots
 *
 * @lock: serializes all members below, and with UDP all members above it. Taken
 *	with bottom halves disabled, and held while a datagram is sent.
 *	Datagrams of a stream usually arrive on one CPU at a time, so it is
 *	rarely contended.
 * @waiting: bit n is set where the request in slot n is under way
 * @rounds: number of earlier requests in a slot
 * @sent: when the request in a slot was sent
 * @timer: makes the worker look for requests that time out
 * @armed: @timer is pending
 * @expired: @timer has expired; cleared by the worker
 * @closed: @timer must not be armed any more, and nothing is sent
 * @stream: stream that all this belongs to; constant
 * @dropped: messages that came on the stack of a send, see
 *	ktput_pingpong_enter(), and could not be kept; any CPU writes, without
 *	@lock
 *
 * With TCP the socket's lock serializes: its spinlock in softirq, or its
 * ownership.
 */
struct ktput_pingpong {
	u32 under_way;
	u32 taken;
	u32 in_left;
	u32 out_left;
	u64 owed;
	bool behind;
	bool closing;
	int error;
	struct ktput_counters counters;
	u64 begun[KTPUT_PINGPONG_SLOTS];
	u64 ready[KTPUT_PINGPONG_SLOTS];
	spinlock_t lock; /* see above */
	u64 waiting;
	u32 rounds[KTPUT_PINGPONG_SLOTS];
	u64 sent[KTPUT_PINGPONG_SLOTS];
	struct hrtimer timer;
	bool armed;
	bool expired;
	bool closed;
	struct ktput_stream *stream;
	atomic_long_t dropped;
} ____cacheline_aligned_in_smp;

KTPUT_OWN_CACHELINES(struct ktput_pingpong);

DECLARE_PER_CPU(unsigned int, ktput_pingpong_depth);

int ktput_pingpong_create(struct ktput_stream *stream);
void ktput_pingpong_reset(struct ktput_stream *stream);
void ktput_pingpong_account(struct ktput_stream *stream,
			    const struct ktput_counters *delta);
void ktput_pingpong_drop(struct ktput_stream *stream);
void ktput_pingpong_read(struct ktput_counters *to,
			 const struct ktput_pingpong *pingpong);
enum ktput_verdict ktput_pingpong_wait(struct ktput_stream *stream, u64 due);
void ktput_pingpong_sent_all(struct ktput_stream *stream);
void ktput_pingpong_begin_datagram(struct ktput_stream *stream, u32 slot,
				   u64 now);
bool ktput_pingpong_take_response(struct ktput_stream *stream,
				  const struct ktput_datagram *header, u64 now);
void ktput_pingpong_give_up(struct ktput_stream *stream, u64 now);
bool ktput_pingpong_concerns_worker(const struct ktput_stream *stream, u64 due);
void ktput_pingpong_close(struct ktput_stream *stream);
void ktput_pingpong_abandon(struct ktput_run *run, u64 now);

/**
 * ktput_pingpong_sequence() - sequence number of a request in a datagram
 * @pingpong: of its stream, locked
 * @slot: slot of the request
 *
 * Return: sequence number.
 */
static inline u32 ktput_pingpong_sequence(const struct ktput_pingpong *pingpong,
					  u32 slot)
{
	return slot + pingpong->rounds[slot] * KTPUT_PINGPONG_SLOTS;
}

/**
 * ktput_pingpong_measures() - whether a run has histograms
 * @config: its configuration
 *
 * Return: true for a source of ping-pong streams.
 */
static inline bool ktput_pingpong_measures(const struct ktput_config *config)
{
	return config->pattern == KTPUT_PATTERN_PING_PONG &&
	       config->role == KTPUT_ROLE_SOURCE;
}

/**
 * ktput_pingpong_in_callback() - whether callbacks answer messages
 * @stream: stream of ping-pong
 *
 * Return: true if the socket's callback does.
 */
static inline bool ktput_pingpong_in_callback(const struct ktput_stream *stream)
{
	return stream->run->config.pingpong.reply == KTPUT_REPLY_CALLBACK;
}

/**
 * ktput_pingpong_enter() - start to answer in softirq
 *
 * Called with bottom halves disabled. A device that delivers frames from its
 * transmit routine may receive a sent message on the same stack. This function
 * keeps that receive from answering in turn: at most one answer is under way on
 * a CPU, and the stack holds no more than that.
 *
 * Return: false if this CPU is sending an answer already, and the message is
 * for the worker; otherwise the caller has to call ktput_pingpong_leave().
 */
static inline bool ktput_pingpong_enter(void)
{
	if (__this_cpu_read(ktput_pingpong_depth))
		return false;
	__this_cpu_write(ktput_pingpong_depth, 1);
	return true;
}

/**
 * ktput_pingpong_leave() - undo ktput_pingpong_enter()
 */
static inline void ktput_pingpong_leave(void)
{
	__this_cpu_write(ktput_pingpong_depth, 0);
}

/**
 * ktput_pingpong_lock() - lock a stream of datagrams in its turn
 * @pingpong: of the stream
 *
 * Messages received on the stack of a send are not answered there: that would
 * take the lock a second time if the message is for the same stream.
 */
static inline void ktput_pingpong_lock(struct ktput_pingpong *pingpong)
{
	spin_lock_bh(&pingpong->lock);
	/*
	 * Bottom halves were enabled, so this is not on the stack of another
	 * send.
	 */
	__this_cpu_write(ktput_pingpong_depth, 1);
}

/**
 * ktput_pingpong_unlock() - undo ktput_pingpong_lock()
 * @pingpong: of the stream
 */
static inline void ktput_pingpong_unlock(struct ktput_pingpong *pingpong)
{
	ktput_pingpong_leave();
	spin_unlock_bh(&pingpong->lock);
}

/**
 * ktput_pingpong_due() - when the next request may be sent
 * @stream: stream of a source, locked
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, 0 for at once, or
 * KTPUT_PINGPONG_NEVER until a response has come.
 */
static inline u64 ktput_pingpong_due(const struct ktput_stream *stream)
{
	const struct ktput_pingpong *pingpong = stream->pingpong;

	if (!stream->messages_left ||
	    pingpong->under_way == stream->run->config.pingpong.outstanding)
		return KTPUT_PINGPONG_NEVER;
	return stream->pace.gap ? stream->pace.next :
		pingpong->ready[pingpong->taken % KTPUT_PINGPONG_SLOTS];
}

/**
 * ktput_pingpong_begin() - record that a due request is sent now
 * @stream: stream of a source, locked
 * @slot: free slot
 * @now: CLOCK_MONOTONIC in nanoseconds
 *
 * With a rate, the round trip counts from when the request was due. So a
 * response that delays other requests shows in their times (coordinated
 * omission).
 */
static inline void ktput_pingpong_begin(struct ktput_stream *stream, u32 slot,
					u64 now)
{
	struct ktput_pingpong *pingpong = stream->pingpong;

	pingpong->begun[slot] = stream->pace.gap ? stream->pace.next : now;
	ktput_pace_sent(&stream->pace, 1, 0);
	pingpong->under_way++;
	pingpong->taken++;
	stream->messages_left--;
}

/**
 * ktput_pingpong_free() - end a request
 * @stream: stream of a source, locked, with a request under way
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
static inline void ktput_pingpong_free(struct ktput_stream *stream, u64 now)
{
	const struct ktput_pingpong_config *config =
		&stream->run->config.pingpong;
	struct ktput_pingpong *pingpong = stream->pingpong;

	if (config->think_time)
		pingpong->ready[(pingpong->taken + config->outstanding -
				 pingpong->under_way) %
				KTPUT_PINGPONG_SLOTS] =
			now + config->think_time;
	pingpong->under_way--;
}

/**
 * ktput_pingpong_histogram() - histogram of this CPU
 * @stream: stream of a source
 *
 * Called in softirq or with softirqs disabled, or in the CPU's thread if only
 * that thread counts.
 *
 * Return: the histogram.
 */
static inline struct ktput_histogram *
ktput_pingpong_histogram(const struct ktput_stream *stream)
{
	return stream->run->latency[smp_processor_id()];
}

/**
 * ktput_pingpong_complete() - account a response
 * @stream: stream of a source, locked, with a request under way
 * @slot: slot of the request
 * @now: CLOCK_MONOTONIC in nanoseconds
 */
static inline void ktput_pingpong_complete(struct ktput_stream *stream,
					   u32 slot, u64 now)
{
	ktput_histogram_add(ktput_pingpong_histogram(stream),
			    now - stream->pingpong->begun[slot]);
	ktput_pingpong_free(stream, now);
}

#endif /* KTPUT_PINGPONG_H */
