// SPDX-License-Identifier: GPL-2.0
/*
 * uring: the turns of sources and sinks of TCP whose calls io_uring makes.
 *
 * A source has a chain of sends under way, a sink one receive; the next are
 * queued when these are done. With MSG_WAITALL the kernel goes on with a send
 * that finds no room for all of it, as soon as there is more, so that one that
 * is short has met an end or an error. That breaks the chain, in which order is
 * kept: of what stands behind it nothing is sent. So one completion tells of the
 * whole chain: that of the last send, or that of the one which broke it.
 *
 * What else a thread waits for is in its epoll set, which the ring polls.
 */
#ifdef KTPUT_URING
#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "tcp.h"
#include "uring.h"
#include "user_engine.h"

/* Calls that are queued and not submitted, of all streams of a thread. */
#define RING	256

/* Sends of a chain: a number that fits below the address of a stream. */
#define CHAIN	16

/**
 * struct user_uring - the ring of a thread
 * @ring: it
 * @polling: it polls the epoll set of the thread
 */
struct user_uring {
	struct io_uring ring;
	bool polling;
};

static void explain(int error, struct units_error *err)
{
	const char *why = strerror(error);

	switch (error) {
	case EPERM:
		why = "not permitted: see sysctl kernel.io_uring_disabled, "
		      "or the seccomp filter of a container";
		break;
	case ENOSYS:
		why = "the kernel has none, or a seccomp filter hides it";
		break;
	case EINVAL:
		why = "needs Linux 6.1";
		break;
	}
	units_refuse(err, "refused: method: io_uring: %s", why);
}

/**
 * user_uring_make() - make the ring of a thread
 * @thread: thread that does not run yet
 * @err: why there is none
 */
int user_uring_make(struct user_thread *thread, struct units_error *err)
{
	/* The thread enables it, and so is the one that may submit. */
	struct io_uring_params params = {
		.flags = IORING_SETUP_R_DISABLED | IORING_SETUP_CLAMP |
			 IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER |
			 IORING_SETUP_DEFER_TASKRUN,
		.cq_entries = RING + thread->engine->settings.streams,
	};
	int ret;

	thread->uring = calloc(1, sizeof(*thread->uring));
	if (!thread->uring)
		return units_refuse(err, "out of memory");
	ret = io_uring_queue_init_params(RING, &thread->uring->ring, &params);
	if (!ret)
		return 0;
	free(thread->uring);
	thread->uring = NULL;
	explain(-ret, err);
	return -1;
}

/**
 * user_uring_free() - free the ring of a thread
 * @thread: thread that has ended, or did not begin
 */
void user_uring_free(struct user_thread *thread)
{
	if (!thread->uring)
		return;
	io_uring_queue_exit(&thread->uring->ring);
	free(thread->uring);
}

/* An entry: what is queued is submitted where there is no room. */
static struct io_uring_sqe *take_entry(struct io_uring *ring)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(ring);

	while (!entry) {
		io_uring_submit(ring);
		entry = io_uring_get_sqe(ring);
	}
	return entry;
}

/* Tells once that the epoll set of the thread has something to tell. */
static void poll_set(struct user_thread *thread)
{
	struct io_uring_sqe *entry = take_entry(&thread->uring->ring);

	io_uring_prep_poll_add(entry, thread->epoll, POLLIN);
	io_uring_sqe_set_data(entry, NULL);
	thread->uring->polling = true;
}

/**
 * user_uring_begin() - have a ring take calls
 * @thread: the calling thread
 *
 * Return: 0, or an errno, positive.
 */
int user_uring_begin(struct user_thread *thread)
{
	struct io_uring *ring = &thread->uring->ring;
	cpu_set_t *cpus = CPU_ALLOC(thread->cpu + 1);
	const size_t size = CPU_ALLOC_SIZE(thread->cpu + 1);
	int ret = -ENOMEM;

	if (!cpus)
		return -ret;
	/* liburing 2.3 does not export its io_uring_enable_rings(). */
	ret = io_uring_register(ring->ring_fd, IORING_REGISTER_ENABLE_RINGS,
				NULL, 0);
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(thread->cpu, size, cpus);
	/*
	 * Where the kernel has a worker make a call, it is to be here. It has
	 * none to set before something was submitted.
	 */
	if (!ret) {
		poll_set(thread);
		ret = io_uring_submit(ring);
	}
	if (ret >= 0)
		ret = io_uring_register_iowq_aff(ring, size, cpus);
	CPU_FREE(cpus);
	return -ret;
}

static void submit_and_wait(struct io_uring *ring, int timeout_ms)
{
	struct __kernel_timespec timeout = {
		.tv_nsec = timeout_ms * (UNITS_NSEC_PER_SEC / 1000),
	};
	struct io_uring_cqe *first;

	if (timeout_ms < 0)
		io_uring_submit_and_wait(ring, 1);
	else if (timeout_ms)
		io_uring_submit_and_wait_timeout(ring, &first, 1, &timeout,
						 NULL);
	else
		io_uring_submit_and_get_events(ring);
}

/* The calls of a stream are done. */
static void take_completion(const struct io_uring_cqe *completion)
{
	const uintptr_t data = completion->user_data;
	struct user_stream *stream = (void *)(data - data % CHAIN);

	stream->uring.state = USER_URING_DONE;
	stream->uring.last = data % CHAIN;
	stream->uring.result = completion->res;
	stream->counters.wake_ups++;
	user_thread_ready(stream->thread, stream);
}

/**
 * user_uring_wait() - submit what is queued, and wait for something to be done
 * @thread: the calling thread, which has a ring
 * @timeout_ms: how long, -1 without an end, 0 not at all
 * @told: filled in: its epoll set has something to tell
 *
 * Streams whose calls are done are ready when this returns.
 *
 * Return: how many of them, and 1 more for the epoll set.
 */
int user_uring_wait(struct user_thread *thread, int timeout_ms, bool *told)
{
	struct user_uring *uring = thread->uring;
	struct io_uring_cqe *completion;
	unsigned int head, count = 0;

	if (!uring->polling)
		poll_set(thread);
	submit_and_wait(&uring->ring, timeout_ms);
	*told = false;
	io_uring_for_each_cqe(&uring->ring, head, completion) {
		count++;
		if (completion->user_data)
			take_completion(completion);
		else
			*told = true;
	}
	io_uring_cq_advance(&uring->ring, count);
	if (*told)
		uring->polling = false;
	return count;
}

/*
 * What the calls that are done came to. Returns the bytes, and an errno,
 * positive, in @error where one failed.
 */
static uint64_t finish(struct user_stream *stream,
		       struct client_counters *came_to, int *error)
{
	const struct user_uring_calls *calls = &stream->uring;
	uint64_t bytes = 0;

	stream->uring.state = USER_URING_NONE;
	came_to->calls += calls->last + 1;
	/* Those before the last one were whole. */
	if (calls->last)
		bytes = calls->first + (calls->last - 1) *
			(uint64_t)user_settings_of(stream)->message_size;
	*error = calls->result < 0 ? -calls->result : 0;
	return bytes + (calls->result > 0 ? calls->result : 0);
}

/* True where the stream has sent all that it is to. */
static bool finish_sends(struct user_stream *stream,
			 struct client_counters *came_to, int *error)
{
	uint64_t bytes = finish(stream, came_to, error);
	bool all = false;

	while (bytes && !all) {
		uint64_t part = user_tcp_message(stream);

		part = part < bytes ? part : bytes;
		all = user_tcp_advance(stream, part, came_to);
		bytes -= part;
	}
	return all;
}

static void queue_sends(struct user_stream *stream)
{
	const struct user_settings *settings = user_settings_of(stream);
	const uint8_t *from = stream->thread->payload.buffer;
	struct io_uring *ring = &stream->thread->uring->ring;
	uint64_t room = USER_TCP_TURN_BYTES;
	uint64_t left = stream->bytes_left;
	uint64_t messages = stream->messages_left;
	uint64_t length = user_tcp_message(stream);
	uint64_t offset = stream->offset;
	struct io_uring_sqe *entry;
	unsigned int i = 0;

	/* A chain is submitted at once, or it is two. */
	if (io_uring_sq_space_left(ring) < CHAIN)
		io_uring_submit(ring);
	if (length > room)
		length = room;
	stream->uring.first = length;
	for (;;) {
		entry = take_entry(ring);
		io_uring_prep_send(entry, stream->fd, from + offset, length,
				   MSG_NOSIGNAL | MSG_WAITALL);
		io_uring_sqe_set_data64(entry, (uintptr_t)stream + i);
		left -= length;
		room -= length;
		messages--;
		if (++i == CHAIN || !room || !left || !messages)
			break;
		entry->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
		/* What a message is short of is cut off the chain's end only. */
		length = settings->message_size;
		length = length < left ? length : left;
		length = length < room ? length : room;
		offset = 0;
	}
	stream->uring.state = USER_URING_UNDER_WAY;
}

/**
 * user_uring_source() - a turn of a source
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_uring_source(struct user_stream *stream,
				    struct client_counters *came_to)
{
	const bool done = stream->uring.state == USER_URING_DONE;
	bool all = false;
	int error = 0;

	if (stream->uring.state == USER_URING_UNDER_WAY)
		return USER_WAIT;
	if (done)
		all = finish_sends(stream, came_to, &error);
	if (stream->state != KTPUT_STATE_RUNNING)
		return done ? USER_AGAIN : user_tcp_drain(stream);
	if (error)
		return user_tcp_fail(stream, error);
	if (all)
		return user_tcp_sent_all(stream);
	if (!stream->first_cycles)
		stream->first_cycles = user_clock_cycles();
	queue_sends(stream);
	return USER_WAIT;
}

static void queue_receive(struct user_stream *stream)
{
	struct io_uring_sqe *entry = take_entry(&stream->thread->uring->ring);

	io_uring_prep_recv(entry, stream->fd, stream->thread->payload.buffer,
			   user_settings_of(stream)->message_size, 0);
	io_uring_sqe_set_data64(entry, (uintptr_t)stream);
	stream->uring.state = USER_URING_UNDER_WAY;
}

/**
 * user_uring_sink() - a turn of a sink
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_uring_sink(struct user_stream *stream,
				  struct client_counters *came_to)
{
	const bool done = stream->uring.state == USER_URING_DONE;
	uint64_t bytes = 0;
	int error = 0;

	if (stream->uring.state == USER_URING_UNDER_WAY)
		return USER_WAIT;
	if (done)
		bytes = finish(stream, came_to, &error);
	came_to->bytes += bytes;
	if (stream->state != KTPUT_STATE_RUNNING)
		return done ? USER_AGAIN : user_tcp_drain(stream);
	if (error)
		return user_tcp_fail(stream, error);
	if (done && !bytes) {
		user_stream_sent(stream);
		return USER_AGAIN;
	}
	queue_receive(stream);
	return USER_WAIT;
}

/**
 * user_uring_cancel() - have a stream have no call under way
 * @stream: stream that has not ended; called by its thread
 * @came_to: what its calls came to is added
 */
void user_uring_cancel(struct user_stream *stream,
		       struct client_counters *came_to)
{
	struct io_uring_sync_cancel_reg calls = {
		.fd = stream->fd,
		.flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL,
		.timeout = { -1, -1 },
	};
	bool told;
	int error;

	/* Of a chain the next may have begun meanwhile. */
	while (stream->uring.state == USER_URING_UNDER_WAY) {
		io_uring_register_sync_cancel(&stream->thread->uring->ring,
					      &calls);
		user_uring_wait(stream->thread, 0, &told);
	}
	if (stream->uring.state != USER_URING_DONE)
		return;
	if (user_settings_of(stream)->source)
		finish_sends(stream, came_to, &error);
	else
		came_to->bytes += finish(stream, came_to, &error);
}
#endif
