// SPDX-License-Identifier: GPL-2.0
/*
 * Ping-pong: what its streams have, whatever they travel in.
 */
#include <linux/slab.h>
#include <linux/string.h>

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
 * ktput_pingpong_create() - have a stream be one of ping-pong
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
	hrtimer_init(&pingpong->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	pingpong->timer.function = time_is_over;
	pingpong->stream = stream;
	stream->pingpong = pingpong;
	return 0;
}

/**
 * ktput_pingpong_reset() - begin anew, with another connection
 * @stream: stream without a socket that could call
 */
void ktput_pingpong_reset(struct ktput_stream *stream)
{
	const struct ktput_config *config = &stream->run->config;
	struct ktput_pingpong *pingpong = stream->pingpong;

	pingpong->under_way = 0;
	pingpong->taken = 0;
	pingpong->out_left = 0;
	pingpong->owed = 0;
	pingpong->closing = false;
	pingpong->error = 0;
	memset(&pingpong->counters, 0, sizeof(pingpong->counters));
	pingpong->in_left = config->role == KTPUT_ROLE_SOURCE ?
			    config->pingpong.response_size :
			    config->pingpong.request_size;
}

/**
 * ktput_pingpong_account() - account what was done in softirq, or with it off
 * @stream: stream, locked
 * @came_to: what it came to
 */
void ktput_pingpong_account(struct ktput_stream *stream,
			    const struct ktput_counters *came_to)
{
	ktput_counters_add(&stream->pingpong->counters, came_to);
	ktput_counters_add(this_cpu_ptr(stream->run->softirq), came_to);
}

/**
 * ktput_pingpong_read() - add what a stream came to in callbacks
 * @to: what it came to in turns
 * @pingpong: of the stream
 */
void ktput_pingpong_read(struct ktput_counters *to,
			 const struct ktput_pingpong *pingpong)
{
	struct ktput_counters counters;

	ktput_counters_read(&counters, &pingpong->counters);
	ktput_counters_add(to, &counters);
}

/**
 * ktput_pingpong_wait() - have a turn be taken when a request is due
 * @stream: stream of a source; called in its turn
 * @due: from ktput_pingpong_due()
 *
 * Return: how the turn is to end.
 */
enum ktput_verdict ktput_pingpong_wait(struct ktput_stream *stream, u64 due)
{
	if (due == KTPUT_PINGPONG_NEVER)
		return KTPUT_TURN_WAIT;
	/* With a rate the pace has it already, or a later one. */
	if (!stream->pace.gap)
		stream->pace.next = due;
	return ktput_pace_wait(&stream->pace);
}

/**
 * ktput_pingpong_sent_all() - all requests have been sent and answered
 * @stream: stream of a source that is running; called in its turn
 */
void ktput_pingpong_sent_all(struct ktput_stream *stream)
{
	struct ktput_run *run = stream->run;

	ktput_stream_sent(stream);
	ktput_run_stream_sent(run, KTPUT_REASON_MESSAGES);
}
