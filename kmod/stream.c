// SPDX-License-Identifier: GPL-2.0
/*
 * A stream: one flow of a run.
 *
 * Only its worker touches its socket, if it has one, while the run goes on. The
 * socket's callbacks make it ready; they find it through sk_user_data under RCU.
 * The run waits for a grace period between the last detach and freeing the
 * stream.
 */
#include <linux/math64.h>

#include "ops.h"
#include "run.h"
#include "stream.h"
#include "worker.h"

/**
 * ktput_stream_place() - assign a stream to a worker
 * @stream: stream
 * @worker: worker
 *
 * The caller holds the run's lock. The turn can be made ready afterwards.
 */
void ktput_stream_place(struct ktput_stream *stream,
			struct ktput_worker *worker)
{
	lockdep_assert_held(&stream->run->lock);
	stream->turn.worker = worker;
	stream->turn.tally = &stream->tally;
	list_add_tail(&stream->node, &worker->streams);
}

/* The first turn is ready at once, since data or room may exist already. */
static void start(struct ktput_stream *stream)
{
	lockdep_assert_held(&stream->run->lock);
	if (stream->run->ops->attach)
		stream->run->ops->attach(stream);
	/*
	 * A turn of the previous connection may be running: it sees all of this
	 * or nothing.
	 */
	smp_store_release(&stream->state, KTPUT_STATE_RUNNING);
	ktput_turn_ready(&stream->turn);
}

/**
 * ktput_stream_begin() - assign a stream to a worker and start it
 * @stream: stream, with a connected socket if it has one
 * @worker: worker
 *
 * The caller holds the run's lock.
 */
void ktput_stream_begin(struct ktput_stream *stream,
			struct ktput_worker *worker)
{
	ktput_stream_place(stream, worker);
	start(stream);
}

/*
 * Gives each stream its share of what the run may send. Datagrams are sent
 * whole: the one that reaches the byte limit is the last.
 */
static void share_out(struct ktput_run *run)
{
	const u32 streams = run->config.streams;
	u64 bytes = U64_MAX, messages = U64_MAX;
	u32 more_bytes = 0, more_messages = 0;
	unsigned int i;

	if (run->config.end_bytes)
		bytes = div_u64_rem(run->config.end_bytes, streams,
				    &more_bytes);
	if (run->config.end_messages)
		messages = div_u64_rem(run->config.end_messages, streams,
				       &more_messages);
	for (i = 0; i < run->stream_count; i++) {
		struct ktput_stream *stream = run->streams[i];

		stream->bytes_left = bytes + (i < more_bytes);
		stream->messages_left = messages + (i < more_messages);
		if (run->config.transport == KTPUT_TRANSPORT_TCP &&
		    run->config.pattern == KTPUT_PATTERN_STREAM)
			continue;
		if (run->config.end_bytes)
			stream->messages_left =
				DIV64_U64_ROUND_UP(stream->bytes_left,
						   run->config.message_size);
		ktput_pace_begin(&stream->pace, &run->config, stream->slot);
	}
}

/**
 * ktput_stream_begin_all() - start all streams of a source
 * @run: run; the caller holds its lock
 */
void ktput_stream_begin_all(struct ktput_run *run)
{
	unsigned int i;

	share_out(run);
	atomic_set(&run->sending, run->stream_count);
	atomic_set(&run->open, run->stream_count);
	for (i = 0; i < run->stream_count; i++) {
		struct ktput_stream *stream = run->streams[i];

		/* A stream that connects has its worker already. */
		if (!stream->turn.worker)
			ktput_stream_place(stream,
					   run->workers[i % run->worker_count]);
		start(stream);
	}
}

/**
 * ktput_stream_sent() - stop sending on a stream
 * @stream: stream that is running; called by its worker
 *
 * A turn ends the stream when it has drained.
 */
void ktput_stream_sent(struct ktput_stream *stream)
{
	WRITE_ONCE(stream->state, KTPUT_STATE_DRAINING);
	if (stream->run->ops->shut_down)
		stream->run->ops->shut_down(stream);
	/* It may have drained already, before a callback could report that. */
	ktput_turn_ready(&stream->turn);
}

static void release(struct ktput_stream *stream, int error)
{
	const struct ktput_ops *ops = stream->run->ops;
	struct ktput_run *run = stream->run;

	ktput_pace_stop(&stream->pace);
	if (ops->leave)
		ops->leave(stream);
	mutex_lock(&run->lock);
	if (ops->retire)
		ops->retire(stream);
	stream->error = error;
	WRITE_ONCE(stream->state, KTPUT_STATE_ENDED);
	list_add_tail(&stream->idle, &run->idle);
	mutex_unlock(&run->lock);
	if (ops->close && !ops->closes_late)
		ops->close(stream);
}

/**
 * ktput_stream_end() - end a stream on its own account
 * @stream: stream that has not ended; called by its worker
 * @error: errno, positive, or 0
 */
void ktput_stream_end(struct ktput_stream *stream, int error)
{
	release(stream, error);
	ktput_run_stream_ended(stream->run, error);
}

/**
 * ktput_stream_wind_up() - a turn of a stream that moves no payload
 * @stream: stream that has ended, has stopped sending, or met an error; called
 *	in its turn
 * @state: its state, as the turn has read it
 *
 * After an error of a call, the stream ends in a turn of its own, so that the
 * call's turn is accounted before the stream may be reused for another
 * connection.
 *
 * Return: KTPUT_TURN_WAIT.
 */
enum ktput_verdict ktput_stream_wind_up(struct ktput_stream *stream,
					enum ktput_state state)
{
	if (state == KTPUT_STATE_ENDED)
		return KTPUT_TURN_WAIT;
	if (!stream->error)
		return stream->run->ops->drained(stream);
	ktput_stream_end(stream, stream->error);
	return KTPUT_TURN_WAIT;
}

/**
 * ktput_stream_drain_all() - stop sending on all streams of a worker
 * @worker: worker of a source; called by its thread
 */
void ktput_stream_drain_all(struct ktput_worker *worker)
{
	struct ktput_stream *stream;

	mutex_lock(&worker->run->lock);
	list_for_each_entry(stream, &worker->streams, node)
		if (stream->state == KTPUT_STATE_RUNNING)
			ktput_stream_sent(stream);
	mutex_unlock(&worker->run->lock);
}

/**
 * ktput_stream_leave() - detach a stream whose worker is stopped from its socket
 * @stream: stream, ended or not
 *
 * Nothing is sent afterwards. Does not wait for cpus_read_lock().
 */
void ktput_stream_leave(struct ktput_stream *stream)
{
	if (stream->state != KTPUT_STATE_ENDED)
		release(stream, stream->error);
}

/**
 * ktput_stream_close() - close a stream whose worker is stopped
 * @stream: stream, ended or not
 */
void ktput_stream_close(struct ktput_stream *stream)
{
	const struct ktput_ops *ops = stream->run->ops;

	ktput_stream_leave(stream);
	if (ops->close)
		ops->close(stream);
}
