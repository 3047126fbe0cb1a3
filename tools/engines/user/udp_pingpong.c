// SPDX-License-Identifier: GPL-2.0
/*
 * udp_pingpong: requests and responses in datagrams.
 *
 * A response repeats the header of its request, whose sequence number names the
 * slot of the request, and how many it has had. A request without a response is
 * given up after a time, and its slot is used again; what comes for it
 * afterwards is late.
 */
#include <endian.h>
#include <errno.h>
#include <linux/ktput_datagram.h>
#include <linux/ktput_send_errors.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "pingpong.h"
#include "udp.h"
#include "user_engine.h"

#define TURN_CALLS	64

/* The header of a datagram of the run. False where it is none. */
static bool header_of(const struct user_stream *stream, size_t length,
		      struct ktput_datagram *header)
{
	if (length < sizeof(*header))
		return false;
	memcpy(header, stream->thread->payload.buffer, sizeof(*header));
	return be32toh(header->cookie) == user_settings_of(stream)->cookie;
}

/* The request in a slot is under way no more. */
static void vacate(struct user_pingpong *pingpong, uint32_t slot)
{
	pingpong->waiting &= ~(1ULL << slot);
	pingpong->rounds[slot]++;
}

static uint32_t sequence_of(const struct user_pingpong *pingpong,
			    uint32_t slot)
{
	return slot + pingpong->rounds[slot] * USER_PINGPONG_SLOTS;
}

static void take_response(struct user_stream *stream, size_t length,
			  uint64_t now, struct client_counters *came_to)
{
	struct user_pingpong *pingpong = stream->pingpong;
	struct ktput_datagram header;
	uint32_t sequence, slot;

	if (!header_of(stream, length, &header))
		return;
	came_to->bytes += length;
	sequence = be32toh(header.sequence);
	slot = sequence % USER_PINGPONG_SLOTS;
	if (!(pingpong->waiting >> slot & 1) ||
	    sequence != sequence_of(pingpong, slot)) {
		stream->thread->latency->late++;
		return;
	}
	vacate(pingpong, slot);
	user_pingpong_complete(stream, slot, now);
	came_to->messages++;
}

/* Gives up what has been under way for too long. */
static void give_up(struct user_stream *stream, uint64_t now)
{
	const uint64_t timeout = user_settings_of(stream)->timeout_ns;
	struct user_pingpong *pingpong = stream->pingpong;

	if (!pingpong->waiting || now < pingpong->expires)
		return;
	pingpong->expires = UINT64_MAX;
	for (uint64_t left = pingpong->waiting; left; left &= left - 1) {
		const uint32_t slot = __builtin_ctzll(left);
		const uint64_t end = pingpong->sent[slot] + timeout;

		if (now < end) {
			if (end < pingpong->expires)
				pingpong->expires = end;
			continue;
		}
		stream->thread->latency->timeouts++;
		vacate(pingpong, slot);
		user_pingpong_free(stream, now);
	}
}

static void began(struct user_stream *stream, uint32_t slot, uint64_t now)
{
	struct user_pingpong *pingpong = stream->pingpong;

	/* The earliest still waits, or an earlier one did: soon enough. */
	if (!pingpong->waiting)
		pingpong->expires = now + user_settings_of(stream)->timeout_ns;
	pingpong->waiting |= 1ULL << slot;
	pingpong->sent[slot] = now;
	user_pingpong_begin(stream, slot, now);
}

/* Returns errno, positive, or 0; EAGAIN where there is nothing now. */
static int receive(struct user_stream *stream, uint64_t *now,
		   struct client_counters *came_to)
{
	const struct user_payload *payload = &stream->thread->payload;
	const bool block = user_settings_of(stream)->wait == CONFIG_WAIT_BLOCK;

	while (stream->pingpong->under_way && came_to->calls < TURN_CALLS) {
		ssize_t length = recv(stream->fd, payload->buffer,
				      payload->size, 0);
		int error = length < 0 ? errno : 0;

		came_to->calls++;
		*now = user_clock_now();
		if (!error)
			take_response(stream, length, *now, came_to);
		else if (!user_udp_rides_out(stream, error))
			return error;
		if (block)
			break;
	}
	return 0;
}

/* Sends the requests that are due. Returns errno, positive, or 0. */
static int request(struct user_stream *stream, uint64_t now, uint64_t *due,
		   struct client_counters *came_to)
{
	const struct user_settings *settings = user_settings_of(stream);
	struct user_pingpong *pingpong = stream->pingpong;

	while (*due = user_pingpong_due(stream), *due <= now) {
		/* One is free, since not all that may be are under way. */
		const uint32_t slot = __builtin_ctzll(~pingpong->waiting);
		uint8_t *buffer = stream->thread->payload.buffer;

		/* What was not sent frees memory: an event, and no reason to try. */
		if (now < stream->retry_ns) {
			*due = stream->retry_ns;
			return 0;
		}
		user_datagram_fill(buffer, settings->cookie,
				   sequence_of(pingpong, slot),
				   clock_ns(CLOCK_REALTIME));
		came_to->calls++;
		if (send(stream->fd, buffer, settings->request_size,
			 MSG_NOSIGNAL) < 0)
			return errno;
		stream->failed_in_row = 0;
		came_to->bytes += settings->request_size;
		began(stream, slot, now);
	}
	return 0;
}

static enum user_verdict source_turn(struct user_stream *stream,
				     struct client_counters *came_to)
{
	struct user_pingpong *pingpong = stream->pingpong;
	uint64_t now = user_clock_now(), due;
	bool late, counted;
	int error;

	if (stream->state != KTPUT_STATE_RUNNING && !pingpong->under_way)
		return user_stream_end(stream, 0);
	error = receive(stream, &now, came_to);
	if (error == EAGAIN)
		came_to->would_blocks++;
	else if (error && error != EINTR)
		return user_pingpong_fail(stream, error);
	give_up(stream, now);
	error = request(stream, now, &due, came_to);
	counted = error && user_udp_rides_out(stream, error);
	late = ktput_send_error(error) == KTPUT_SEND_UNREACHABLE;
	if (error && error != EINTR && !counted &&
	    ktput_send_error(error) != KTPUT_SEND_ROOM)
		return user_pingpong_fail(stream, error);
	if (error && error != EAGAIN && !late)
		return USER_AGAIN;
	came_to->would_blocks += error == EAGAIN;
	if (stream->state != KTPUT_STATE_RUNNING && !pingpong->under_way)
		return USER_AGAIN;
	if (!stream->messages_left && !pingpong->under_way)
		return user_pingpong_sent_all(stream);
	if (came_to->calls >= TURN_CALLS)
		return USER_AGAIN;
	/* Where there is no room, an event tells of it. */
	if (error)
		due = late ? stream->retry_ns : USER_PINGPONG_NEVER;
	if (pingpong->waiting && pingpong->expires < due)
		due = pingpong->expires;
	return user_pingpong_wait(stream, due);
}

/* A request, and what its response is to say of where it comes from. */
struct request {
	struct address from;
	struct msghdr message;
	struct iovec part;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
};

/* Returns the length, or -1 with errno. */
static ssize_t take_request(struct user_stream *stream, struct request *to)
{
	const struct user_payload *payload = &stream->thread->payload;

	to->part = (struct iovec) { payload->buffer, payload->size };
	to->message = (struct msghdr) {
		.msg_name = &to->from.storage,
		.msg_namelen = sizeof(to->from.storage),
		.msg_iov = &to->part,
		.msg_iovlen = 1,
	};
	/* A socket that is bound to an address answers from there anyway. */
	if (user_settings_of(stream)->any) {
		to->message.msg_control = to->control.bytes;
		to->message.msg_controllen = sizeof(to->control.bytes);
	}
	return recvmsg(stream->fd, &to->message, 0);
}

/*
 * The response comes from the address that was asked: a host may have several. Its way
 * is that of its route, except on the link of a link-local address. Nothing comes from
 * a group.
 */
static void answer_from(struct request *request)
{
	struct msghdr *message = &request->message;
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct in6_pktinfo ipv6;
	struct in_pktinfo ipv4;

	if (!header) {
		message->msg_control = NULL;
		message->msg_controllen = 0;
	} else if (header->cmsg_level == IPPROTO_IP) {
		memcpy(&ipv4, CMSG_DATA(header), sizeof(ipv4));
		ipv4.ipi_ifindex = 0;
		memcpy(CMSG_DATA(header), &ipv4, sizeof(ipv4));
	} else {
		memcpy(&ipv6, CMSG_DATA(header), sizeof(ipv6));
		if (!IN6_IS_ADDR_LINKLOCAL(&ipv6.ipi6_addr))
			ipv6.ipi6_ifindex = 0;
		if (IN6_IS_ADDR_MULTICAST(&ipv6.ipi6_addr))
			message->msg_controllen = 0;
		memcpy(CMSG_DATA(header), &ipv6, sizeof(ipv6));
	}
}

/* Answers a datagram that is in the buffer, header and all. */
static void respond(struct user_stream *stream, struct request *request,
		    struct client_counters *came_to)
{
	const uint32_t length = user_settings_of(stream)->response_size;

	came_to->calls++;
	answer_from(request);
	request->part.iov_len = length;
	if (sendmsg(stream->fd, &request->message, MSG_NOSIGNAL) < 0) {
		/* The source will give it up. */
		came_to->drops++;
		return;
	}
	came_to->bytes += length;
	came_to->messages++;
}

static enum user_verdict sink_turn(struct user_stream *stream,
				   struct client_counters *came_to)
{
	uint64_t taken = 0;

	if (stream->state != KTPUT_STATE_RUNNING)
		return user_stream_end(stream, 0);
	while (came_to->calls < TURN_CALLS) {
		struct ktput_datagram header;
		struct request request;
		ssize_t length;

		if (user_settings_of(stream)->wait == CONFIG_WAIT_EPOLL &&
		    user_udp_met(stream, taken))
			return USER_WAIT;
		length = take_request(stream, &request);
		came_to->calls++;
		if (length < 0 && errno == EAGAIN) {
			came_to->would_blocks++;
			user_udp_missed(stream, taken + 1);
			return user_pingpong_wait(stream, USER_PINGPONG_NEVER);
		}
		if (length < 0)
			return errno == EINTR ? USER_AGAIN :
			       user_pingpong_fail(stream, errno);
		taken++;
		if (header_of(stream, length, &header)) {
			came_to->bytes += length;
			respond(stream, &request, came_to);
		}
		if (user_settings_of(stream)->wait == CONFIG_WAIT_BLOCK)
			break;
	}
	return USER_AGAIN;
}

/**
 * user_udp_pingpong() - a turn of a stream of ping-pong
 * @stream: stream
 * @came_to: what it comes to is added
 *
 * Return: how it ends.
 */
enum user_verdict user_udp_pingpong(struct user_stream *stream,
				    struct client_counters *came_to)
{
	if (stream->error)
		return user_stream_end(stream, stream->error);
	return user_settings_of(stream)->source ? source_turn(stream, came_to) :
					     sink_turn(stream, came_to);
}
