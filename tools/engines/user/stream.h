/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream: one flow of a run in user space.
 */
#ifndef KTPUT_USER_STREAM_H
#define KTPUT_USER_STREAM_H

#include <linux/ktput_peers.h>
#include <linux/ktput_rx_stats.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../module/client.h"
#include "settings.h"

/*
 * pace: when a stream of datagrams may send.
 *
 * Each packet puts off the next by the time that the rate gives it, in fixed
 * point of 2^-32 ns, as in the module. There is no bucket that fills.
 */

/**
 * struct user_pace - when a stream may send
 * @gap: time that a unit takes, in 2^-32 ns; 0 where there is no pacing
 * @next: CLOCK_MONOTONIC in nanoseconds when the next unit is due
 * @fraction: what @next is more than that, in 2^-32 ns
 * @per_byte: a unit is a byte, else a packet
 */
struct user_pace {
	uint64_t gap;
	uint64_t next;
	uint32_t fraction;
	bool per_byte;
};

void user_pace_begin(struct user_pace *pace,
		     const struct user_settings *settings, uint32_t slot);
uint64_t user_pace_packets(struct user_pace *pace, uint64_t now,
			   uint32_t bytes, uint64_t max);
void user_pace_sent(struct user_pace *pace, uint64_t packets, uint64_t bytes);

/*
 * datagram: the header that each begins with, and what those come to that
 * arrive; see Documentation/layers/datagram.rst.
 */

/**
 * struct user_arrivals - what the datagrams of a stream that arrive come to
 * @stats: what their headers tell
 * @peers: who sent them, or NULL
 */
struct user_arrivals {
	struct ktput_rx_stats stats;
	struct ktput_peers *peers;
};

void user_datagram_fill(void *payload, uint32_t cookie, uint32_t sequence,
			uint64_t now);
void user_arrivals_init(struct user_arrivals *arrivals);
bool user_arrivals_add(struct user_arrivals *arrivals, const void *payload,
		       size_t length, uint32_t cookie, uint64_t now,
		       struct ktput_peer *from);
struct client_datagrams
user_arrivals_show(const struct user_arrivals *arrivals);

struct user_pingpong;
struct user_thread;
struct user_stream;

/**
 * enum user_verdict - how a turn ends
 * @USER_WAIT: the stream waits for an event
 * @USER_AGAIN: it has more to do
 * @USER_ENDED: the stream has ended, and is no concern of the thread any more;
 *	such a turn moves no payload
 */
enum user_verdict {
	USER_WAIT,
	USER_AGAIN,
	USER_ENDED,
};

/**
 * struct user_zerocopy - calls whose payload the kernel refers to
 * @sent: calls so far, modulo 2^32; the number of the next one
 * @done: thereof, told of by the kernel
 */
struct user_zerocopy {
	uint32_t sent;
	uint32_t done;
};

/**
 * enum user_uring_state - where calls of a stream stand
 * @USER_URING_NONE: there are none
 * @USER_URING_UNDER_WAY: they are queued, or submitted
 * @USER_URING_DONE: they are done, and no turn has seen to it
 */
enum user_uring_state {
	USER_URING_NONE,
	USER_URING_UNDER_WAY,
	USER_URING_DONE,
};

/**
 * struct user_uring_calls - calls that io_uring makes, in order
 * @state: where they stand
 * @first: bytes that the first is to send
 * @last: number of the last that was made, from 0; where they are done
 * @result: what it returned: bytes, or a negative errno
 */
struct user_uring_calls {
	enum user_uring_state state;
	uint32_t first;
	uint32_t last;
	int32_t result;
};

/**
 * struct user_stream - a flow
 * @thread: what takes its turns; all but @state and @id belong to it
 * @next: next stream that is ready
 * @queued: it is ready
 * @id: number in its run
 * @state: of enum ktput_state; once it is KTPUT_STATE_ENDED the engine may use
 *	the stream for another connection
 * @fd: socket, -1 once it is closed
 * @timer: timerfd that makes it ready when it may send, -1 without pacing
 * @wakes_ns: CLOCK_MONOTONIC when @timer does so; it is not set before
 * @take: takes a turn, and adds up what it comes to
 * @error: errno, positive, that ended it
 * @hung_up: the peer has closed, or there is an error: read to the end
 * @local: address on this side
 * @remote: address of the peer
 * @counters: what its turns came to
 * @first_cycles: before the first turn that moved payload, or of a source, that tried
 *	to; 0 before
 * @last_cycles: after the latest one; of a TCP source that has drained, when the peer
 *	had acknowledged it
 * @acknowledged: the peer has acknowledged all, and the FIN
 * @bytes_left: what it is to send
 * @messages_left: likewise
 * @message_left: bytes of the message under way
 * @offset: where that goes on in the payload
 * @tcp: what TCP said at the end
 * @copied: pages are copied all the same
 * @zerocopy: with KTPUT_METHOD_ZEROCOPY
 * @uring: with KTPUT_METHOD_IO_URING
 * @sequence: number of the next datagram
 * @refusals: messages that nobody receives
 * @failures: calls that failed for the network, and did not end the stream
 * @failed_in_row: thereof, since the last that did not, for the MTU of the path
 * @failure: errno, positive, of the latest
 * @retry_ns: CLOCK_MONOTONIC before which no other call is made, 0 for none
 * @drops: datagrams dropped at the socket, at the end
 * @pace: when a source of UDP may send
 * @arrivals: what a sink of UDP has received, or NULL
 * @pingpong: requests and responses, or NULL
 * @expected: calls that a turn of a sink of UDP makes
 * @met: turns in a row that found datagrams in all of them
 * @buffers: payload of calls under way, of a source of UDP by reference
 * @busy: which of @buffers the kernel refers to
 */
struct user_stream {
	struct user_thread *thread;
	struct user_stream *next;
	bool queued;
	uint32_t id;
	atomic_uint state;
	int fd;
	int timer;
	uint64_t wakes_ns;
	enum user_verdict (*take)(struct user_stream *stream,
				  struct client_counters *came_to);
	int error;
	bool hung_up;
	struct address local;
	struct address remote;
	struct client_counters counters;
	uint64_t first_cycles;
	uint64_t last_cycles;
	bool acknowledged;
	uint64_t bytes_left;
	uint64_t messages_left;
	uint64_t message_left;
	uint64_t offset;
	struct tcpinfo tcp;
	bool copied;
	struct user_zerocopy zerocopy;
	struct user_uring_calls uring;
	uint32_t sequence;
	uint64_t refusals;
	uint64_t failures;
	unsigned int failed_in_row;
	int failure;
	uint64_t retry_ns;
	uint64_t drops;
	struct user_pace pace;
	struct user_arrivals *arrivals;
	struct user_pingpong *pingpong;
	uint32_t expected;
	uint32_t met;
	uint8_t *buffers;
	bool *busy;
};

int user_stream_make_timer(struct user_stream *stream,
			   struct units_error *err);
int user_stream_wake(struct user_stream *stream);
enum user_verdict user_stream_wait_until(struct user_stream *stream,
					 uint64_t at);
void user_stream_share(struct user_stream *stream, uint32_t slot);
void user_stream_sent(struct user_stream *stream);
enum user_verdict user_stream_end(struct user_stream *stream, int error);
void user_stream_show(const struct user_stream *stream,
		      struct client_stream *to);
void user_stream_show_peers(const struct user_stream *stream,
			    struct client_snapshot *to);
void user_stream_free(struct user_stream *stream);

#endif
