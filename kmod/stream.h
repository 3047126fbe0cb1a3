/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stream: one flow of a run.
 */
#ifndef KTPUT_STREAM_H
#define KTPUT_STREAM_H

#include <linux/list.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/ktput.h>
#include <net/sock.h>

#include "cachelines.h"
#include "counters.h"
#include "pace.h"
#include "thread.h"
#include "udp_path.h"

struct ktput_arrivals;
struct ktput_pingpong;
struct ktput_run;
struct socket;

/**
 * struct ktput_callbacks - original callbacks of a socket
 * @data_ready: &sock.sk_data_ready
 * @write_space: &sock.sk_write_space
 * @state_change: &sock.sk_state_change
 */
struct ktput_callbacks {
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*state_change)(struct sock *sk);
};

/**
 * enum ktput_connection - progress of a stream of a source that connects
 * @KTPUT_CONNECTION_NONE: not begun
 * @KTPUT_CONNECTION_BEGUN: a handshake is under way
 * @KTPUT_CONNECTION_MADE: it is connected, and its run has been notified
 */
enum ktput_connection {
	KTPUT_CONNECTION_NONE,
	KTPUT_CONNECTION_BEGUN,
	KTPUT_CONNECTION_MADE,
};

/**
 * struct ktput_stream - one flow of a run
 * @turn: turn that its worker runs
 * @node: link in &ktput_worker.streams; the run's lock
 * @room: entry in the wait queue of a datagram socket while the turn waits for
 *	room, else empty; the lock of the queue
 * @run: its run, which outlives it
 * @sock: its socket, NULL once the stream has ended, and between requests that
 *	have a connection each. Set before the turn can be taken, or in turns;
 *	cleared by the worker, or by the task that has stopped the worker; both
 *	under the run's lock. The worker reads it without the lock, others with
 *	it.
 * @arrivals: statistics of a sink of datagrams, else NULL; freed with the
 *	stream
 * @pingpong: its requests and responses, or NULL; freed with the stream
 * @slot: index in &ktput_run.streams; constant
 * @id: number in the run; the run's lock
 * @tally: sums over its turns
 * @bytes_left: bytes it may still send, U64_MAX without a limit; worker only
 * @messages_left: messages it may still send, as @bytes_left
 * @message_left: bytes of the current message still to be sent; worker only
 * @offset: offset of the next byte in the payload; worker only
 * @sequence: number of the next datagram to send; worker only
 * @drops: datagrams that the socket had dropped when the worker last checked,
 *	see ktput_udp_drops(); the worker writes
 * @refusals: ICMP errors saying that no socket receives; the worker writes
 * @pace: pacing; worker only
 * @path: path of the datagrams that it builds; worker only, or with ping-pong
 *	under its lock
 * @state: state of the stream; written by the worker (READ_ONCE elsewhere)
 * @error: errno, positive, that ended it; same rules as @state
 * @closing: socket of a stream that has ended, until its run closes it; written
 *	by the worker, or by the task that has stopped it
 * @before: the socket's original callbacks
 * @connection: progress of connecting, enum ktput_connection; worker only
 * @idle: link in &ktput_run.idle once it has ended; the run's lock
 * @earlier: counters of earlier connections; the run's lock
 * @copied: the kernel copies pages, see KTPUT_A_STREAM_COPIED
 * @local: address of this side
 * @remote: address of the peer
 * @tcp_info: TCP_INFO of the last reading, or of the end; the run's lock
 *
 * Groups: members that any CPU writes to make the stream ready; members that
 * are constant while it runs, and read on any CPU for each packet; members that
 * only its worker writes, for each packet; members that are rarely used.
 */
struct ktput_stream {
	struct ktput_turn turn ____cacheline_aligned_in_smp;
	struct list_head node;
	struct wait_queue_entry room;

	struct ktput_run *run ____cacheline_aligned_in_smp;
	struct socket *sock;
	struct ktput_arrivals *arrivals;
	struct ktput_pingpong *pingpong;
	u32 slot;
	u32 id;

	struct ktput_tally tally ____cacheline_aligned_in_smp;
	u64 bytes_left;
	u64 messages_left;
	u32 message_left;
	u32 offset;
	u32 sequence;
	u64 drops;
	u64 refusals;
	struct ktput_pace pace;
	struct ktput_udp_path path;
	enum ktput_state state;
	int error;
	struct socket *closing;

	struct ktput_callbacks before ____cacheline_aligned_in_smp;
	enum ktput_connection connection;
	struct list_head idle;
	struct ktput_counters earlier;
	bool copied;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	struct tcp_info tcp_info;
};

KTPUT_OWN_CACHELINES(struct ktput_stream);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, room, run);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, id, tally);
KTPUT_SEPARATE_CACHELINES(struct ktput_stream, closing, before);

void ktput_stream_place(struct ktput_stream *stream,
			struct ktput_worker *worker);
void ktput_stream_begin(struct ktput_stream *stream,
			struct ktput_worker *worker);
void ktput_stream_begin_all(struct ktput_run *run);
void ktput_stream_sent(struct ktput_stream *stream);
void ktput_stream_end(struct ktput_stream *stream, int error);
void ktput_stream_drain_all(struct ktput_worker *worker);
void ktput_stream_look_all(struct ktput_worker *worker);
void ktput_stream_leave(struct ktput_stream *stream);
void ktput_stream_close(struct ktput_stream *stream);

#endif /* KTPUT_STREAM_H */
