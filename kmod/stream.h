/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stream: one flow of a run.
 */
#ifndef KTPUT_STREAM_H
#define KTPUT_STREAM_H

#include <linux/list.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/ktput.h>

#include "cachelines.h"
#include "counters.h"
#include "pace.h"
#include "thread.h"

struct ktput_pingpong;
struct ktput_run;

/**
 * struct ktput_stream - one flow of a run: what is scheduled, and every
 *	transport has
 * @turn: turn that its worker runs
 * @node: link in &ktput_worker.streams; the run's lock
 * @run: its run, which outlives it
 * @pingpong: its requests and responses, or NULL; freed with the stream
 * @slot: index in &ktput_run.streams; constant
 * @id: number in the run; the run's lock
 * @tally: sums over its turns
 * @bytes_left: bytes it may still send, U64_MAX without a limit; worker only
 * @messages_left: messages it may still send, as @bytes_left
 * @state: state of the stream; written by the worker (READ_ONCE elsewhere)
 * @error: errno, positive, that ended it; same rules as @state
 * @pace: pacing; worker only
 * @idle: link in &ktput_run.idle once it has ended; the run's lock
 * @earlier: counters of earlier connections; the run's lock
 * @local: address of this side
 * @remote: address of the peer
 *
 * It is the first member of a structure of its transport, whose size is
 * &ktput_ops.stream_size: the rest is the private part, which the transport
 * finds by container_of(). Both are allocated by ktput_run_add_stream() and
 * freed with the run, after the grace period of its end.
 *
 * Groups: members that any CPU writes to make the stream ready; members that
 * are constant while it runs, and read on any CPU for each packet; members that
 * only its worker writes, for each packet; members that are rarely used.
 */
struct ktput_stream {
	struct ktput_turn turn ____cacheline_aligned_in_smp;
	struct list_head node;

	struct ktput_run *run ____cacheline_aligned_in_smp;
	struct ktput_pingpong *pingpong;
	u32 slot;
	u32 id;

	struct ktput_tally tally ____cacheline_aligned_in_smp;
	u64 bytes_left;
	u64 messages_left;
	enum ktput_state state;
	int error;
	struct ktput_pace pace;

	struct list_head idle ____cacheline_aligned_in_smp;
	struct ktput_counters earlier;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
};

KTPUT_OWN_CACHELINES(struct ktput_stream);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, node, run);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, id, tally);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, pace, idle);

void ktput_stream_place(struct ktput_stream *stream,
			struct ktput_worker *worker);
void ktput_stream_begin(struct ktput_stream *stream,
			struct ktput_worker *worker);
void ktput_stream_begin_all(struct ktput_run *run);
void ktput_stream_sent(struct ktput_stream *stream);
void ktput_stream_end(struct ktput_stream *stream, int error);
enum ktput_verdict ktput_stream_wind_up(struct ktput_stream *stream,
					enum ktput_state state);
void ktput_stream_drain_all(struct ktput_worker *worker);
void ktput_stream_leave(struct ktput_stream *stream);
void ktput_stream_close(struct ktput_stream *stream);

#endif /* KTPUT_STREAM_H */
