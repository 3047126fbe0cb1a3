// SPDX-License-Identifier: GPL-2.0
/* udp_source: turns of a source of UDP in user space, by what the kernel says. */
#include <errno.h>
#include <linux/ktput_send_errors.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "../../tools/engines/user/clock.h"
#include "../../tools/engines/user/udp.h"
#include "../../tools/engines/user/user_engine.h"
#include "../../tools/engines/user/socket.h"
#include "test.h"

#define BATCH	4

/* In the place of the kernel: the error of each call, 0 where it takes all. */
static int refusal;

static int answer(int count)
{
	errno = refusal;
	return refusal ? -1 : count;
}

ssize_t send(int fd, const void *from, size_t size, int flags)
{
	(void)fd;
	(void)from;
	(void)flags;
	return answer(size);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
	(void)fd;
	(void)messages;
	(void)flags;
	return answer(count);
}

/* A stream of one thread. */
struct fixture {
	struct user_engine engine;
	struct user_thread thread;
	struct user_stream stream;
	struct client_counters came_to;
};

static void set_up(struct fixture *to, uint32_t batch, uint64_t messages)
{
	struct user_settings *settings = &to->engine.settings;
	struct units_error err;

	*to = (struct fixture) {
		.engine.settings = {
			.source = true, .udp = true, .streams = 1,
			.message_size = 100, .segments = 1, .batch = batch,
		},
		.thread.engine = &to->engine,
		.stream = {
			.thread = &to->thread, .messages_left = messages,
			.fd = -1, .timer = -1,
		},
	};
	to->stream.state = KTPUT_STATE_RUNNING;
	TEST_U64("memory", user_payload_make(&to->thread.payload, settings, &err), 0);
}

/* A place of a message that the kernel still refers to is not written to. */
static void busy(void)
{
	for (uint32_t held = 0; held <= BATCH; held++) {
		struct fixture of;
		uint32_t slots;

		set_up(&of, BATCH, 100);
		slots = user_zerocopy_slots(&of.engine.settings);
		of.stream.busy = calloc(slots, sizeof(*of.stream.busy));
		of.stream.buffers = calloc(slots, of.thread.payload.piece);
		of.stream.zerocopy.sent = slots - 1;
		of.stream.busy[(slots - 1 + held) % slots] = true;
		TEST_U64("it waits", user_udp_source(&of.stream, &of.came_to),
			 USER_WAIT);
		TEST_U64("sent", of.came_to.messages, held);
		TEST_U64("held", of.stream.zerocopy.sent, slots - 1 + held);
		free(of.stream.busy);
		free(of.stream.buffers);
		user_payload_free(&of.thread.payload);
	}
}

/* What each error of a call comes to. */
static void errors(void)
{
	static const struct {
		int error;
		uint64_t refusals, failures, would_blocks;
		bool later, ends;
	} rows[] = {
		{ .error = ENOBUFS, .would_blocks = 1 },
		{ .error = ECONNREFUSED, .refusals = 1 },
		{ .error = EMSGSIZE, .failures = 1 },
		{ .error = ENETUNREACH, .failures = 1, .later = true },
		{ .error = EBADF, .ends = true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const char *what = strerror(rows[i].error);
		const uint64_t now = user_clock_now();
		struct fixture of;

		set_up(&of, 1, 3);
		refusal = rows[i].error;
		user_udp_source(&of.stream, &of.came_to);
		refusal = 0;
		TEST_U64(what, of.stream.refusals, rows[i].refusals);
		TEST_U64(what, of.stream.failures, rows[i].failures);
		TEST_U64(what, of.came_to.would_blocks, rows[i].would_blocks);
		TEST_U64(what, of.stream.retry_ns >= now + KTPUT_SEND_RETRY_NS,
			 rows[i].later);
		TEST_U64(what, of.stream.error, rows[i].ends ? rows[i].error : 0);
		TEST_U64("calls", of.came_to.calls, 1);
		TEST_U64("none is sent", of.came_to.messages, 0);
		TEST_U64("nor lost", of.stream.messages_left, 3);
		user_payload_free(&of.thread.payload);
	}
}

static const struct test_case cases[] = {
	{ "messages that the kernel holds", busy },
	{ "errors of calls", errors },
};

TEST_MAIN(cases)
