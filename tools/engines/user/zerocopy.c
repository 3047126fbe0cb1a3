// SPDX-License-Identifier: GPL-2.0
/*
 * zerocopy: what the kernel tells of calls with MSG_ZEROCOPY.
 *
 * The calls of a socket that have sent something are numbered. When no frame
 * refers to the payload of a call any more, the number is told on the error
 * queue, in ranges, with a flag where it was copied all the same: as on
 * loopback, and where the device cannot gather.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Which leaves struct timespec to its user. */
#include <linux/errqueue.h>

#include "zerocopy.h"
#include "user_engine.h"

/* Calls under way that a stream has buffers for, beside those of a batch. */
#define SLOTS	64

/**
 * user_zerocopy_slots() - messages that a stream of UDP has buffers for
 * @settings: of its run
 *
 * Return: messages, a call of a batch each.
 */
uint32_t user_zerocopy_slots(const struct user_settings *settings)
{
	return SLOTS + settings->batch;
}

static void take(struct user_stream *stream,
		 const struct sock_extended_err *told)
{
	const struct user_settings *settings =
		&stream->thread->engine->settings;
	uint32_t number;

	if (told->ee_origin != SO_EE_ORIGIN_ZEROCOPY || told->ee_errno)
		return;
	stream->zerocopy.done += told->ee_data - told->ee_info + 1;
	if (told->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		stream->copied = true;
	if (!stream->busy)
		return;
	for (number = told->ee_info; number != told->ee_data + 1; number++)
		stream->busy[number % user_zerocopy_slots(settings)] = false;
}

/**
 * user_zerocopy_reap() - read what the kernel has to tell
 * @stream: stream of a source
 */
void user_zerocopy_reap(struct user_stream *stream)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[256];
	} control;
	struct msghdr message;
	struct cmsghdr *cmsg;

	while (!user_zerocopy_done(stream)) {
		message = (struct msghdr) {
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		if (recvmsg(stream->fd, &message,
			    MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (cmsg = CMSG_FIRSTHDR(&message); cmsg;
		     cmsg = CMSG_NXTHDR(&message, cmsg)) {
			struct sock_extended_err told;

			if ((cmsg->cmsg_level != IPPROTO_IP ||
			     cmsg->cmsg_type != IP_RECVERR) &&
			    (cmsg->cmsg_level != IPPROTO_IPV6 ||
			     cmsg->cmsg_type != IPV6_RECVERR))
				continue;
			memcpy(&told, CMSG_DATA(cmsg), sizeof(told));
			take(stream, &told);
		}
	}
}
