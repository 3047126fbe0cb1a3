// SPDX-License-Identifier: GPL-2.0
/* udp_sink: the turns of sinks of UDP. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

#include "clock.h"
#include "udp.h"
#include "user_engine.h"

/* What a turn takes at most, for thousands of streams on a CPU to have theirs. */
#define TURN_CALLS	64
#define TURN_BYTES	(256 * 1024)

/*
 * A sink that keeps up with its source finds one datagram for each event, and to
 * ask for a second is a system call in vain. So a turn takes as many as the last
 * ones found, and leaves it to epoll, which is level-triggered here, to tell of
 * more. As often as this in a row, twice as many are tried.
 */
#define TURNS_MET	8

/* Bytes of a datagram where GRO made one message of several, else of all. */
static size_t segment_size(struct msghdr *header, size_t length)
{
	struct cmsghdr *cmsg;
	int size;

	for (cmsg = CMSG_FIRSTHDR(header); cmsg;
	     cmsg = CMSG_NXTHDR(header, cmsg)) {
		if (cmsg->cmsg_level != IPPROTO_UDP ||
		    cmsg->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(cmsg), sizeof(size));
		return size > 0 ? (size_t)size : length;
	}
	return length;
}

/* The sender of a message, whose family the kernel has filled in. */
static struct ktput_peer peer_of(const struct sockaddr_storage *name)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)name;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)name;
	struct ktput_peer peer = {
		.port = ntohs(in->sin_port), .last = user_clock_now(),
	};

	if (name->ss_family == AF_INET6) {
		memcpy(peer.address, &in6->sin6_addr, sizeof(peer.address));
		return peer;
	}
	memset(peer.address + 10, 0xff, 2);
	memcpy(peer.address + 12, &in->sin_addr, sizeof(in->sin_addr));
	return peer;
}

/* Accounts the datagrams of a message. */
static void account(struct user_stream *stream, const uint8_t *payload,
		    size_t length, size_t segment, uint64_t now,
		    const struct sockaddr_storage *name,
		    struct client_counters *came_to)
{
	const uint32_t cookie = user_settings_of(stream)->cookie;
	struct ktput_peer peer;

	if (stream->arrivals->peers)
		peer = peer_of(name);
	do {
		size_t bytes = segment < length ? segment : length;

		if (user_arrivals_add(stream->arrivals, payload, bytes, cookie,
				      now, &peer)) {
			came_to->messages++;
			came_to->bytes += bytes;
		}
		payload += bytes;
		length -= bytes;
	} while (length);
}

/* Messages that there were, or -1 with errno. */
static int take_one(struct user_stream *stream,
		    struct client_counters *came_to)
{
	const struct user_payload *payload = &stream->thread->payload;
	struct sockaddr *name = stream->arrivals->peers ?
				(struct sockaddr *)payload->names : NULL;
	socklen_t size = sizeof(*payload->names);
	ssize_t length = recvfrom(stream->fd, payload->buffer, payload->piece,
				  MSG_TRUNC, name, &size);

	if (length < 0)
		return -1;
	account(stream, payload->buffer, length, length,
		clock_ns(CLOCK_REALTIME), payload->names, came_to);
	return 1;
}

static int take_batch(struct user_stream *stream,
		      struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);
	struct user_payload *payload = &stream->thread->payload;
	uint64_t now;
	int count;

	for (uint32_t i = 0; stream->arrivals->peers && i < settings->batch;
	     i++) {
		struct msghdr *header = &payload->messages[i].msg_hdr;

		header->msg_name = &payload->names[i];
		header->msg_namelen = sizeof(payload->names[i]);
	}
	for (uint32_t i = 0; settings->segments > 1 && i < settings->batch;
	     i++) {
		struct msghdr *header = &payload->messages[i].msg_hdr;

		header->msg_control = payload->controls +
				      i * USER_CONTROL_BYTES;
		header->msg_controllen = USER_CONTROL_BYTES;
	}
	count = recvmmsg(stream->fd, payload->messages, settings->batch,
			 MSG_TRUNC, NULL);
	now = clock_ns(CLOCK_REALTIME);
	for (int i = 0; i < count; i++) {
		struct mmsghdr *message = &payload->messages[i];

		account(stream, payload->vectors[i].iov_base, message->msg_len,
			segment_size(&message->msg_hdr, message->msg_len), now,
			&payload->names[i], came_to);
	}
	return count;
}

/**
 * user_udp_met() - whether a turn has made the calls that it is to find data for
 * @stream: stream of a sink, whose events are level-triggered
 * @calls: calls that have found datagrams
 *
 * Return: true where it is rather to wait for an event.
 */
bool user_udp_met(struct user_stream *stream, uint64_t calls)
{
	if (calls < stream->expected)
		return false;
	if (++stream->met == TURNS_MET) {
		stream->met = 0;
		stream->expected *= 2;
	}
	return true;
}

/**
 * user_udp_missed() - a call has found nothing
 * @stream: stream of a sink, whose events are level-triggered
 * @calls: calls of the turn, with that one
 */
void user_udp_missed(struct user_stream *stream, uint64_t calls)
{
	stream->met = 0;
	stream->expected = calls > 1 ? calls - 1 : 1;
}

/**
 * user_udp_sink() - a turn of a sink
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_udp_sink(struct user_stream *stream,
				struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);
	const bool single = settings->batch == 1 && settings->segments == 1;

	if (stream->state != KTPUT_STATE_RUNNING)
		return user_stream_end(stream, stream->error);
	while (came_to->calls < TURN_CALLS && came_to->bytes < TURN_BYTES) {
		int count;

		if (user_udp_met(stream, came_to->calls))
			return USER_WAIT;
		count = single ? take_one(stream, came_to) :
				 take_batch(stream, came_to);
		came_to->calls++;
		if (count < 0 && errno == EAGAIN) {
			came_to->would_blocks++;
			user_udp_missed(stream, came_to->calls);
			return USER_WAIT;
		}
		if (count < 0) {
			stream->error = errno;
			user_stream_sent(stream);
			return USER_AGAIN;
		}
		/* Fewer than asked for were all that there were. */
		if (!single && (uint32_t)count < settings->batch)
			return USER_WAIT;
	}
	return USER_AGAIN;
}
