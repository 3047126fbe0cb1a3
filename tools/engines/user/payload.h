/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payload: memory that a thread's calls send from, or receive into.
 */
#ifndef KTPUT_USER_PAYLOAD_H
#define KTPUT_USER_PAYLOAD_H

#include <sys/socket.h>

#include "settings.h"

/* Where a datagram that GRO made of several fits. */
#define USER_GRO_BYTES	65536

/**
 * struct user_payload - memory of a thread
 * @buffer: payload, of as many pieces as a system call takes
 * @size: bytes of @buffer
 * @piece: bytes of a piece
 * @file: memfd with the payload, of a source that uses sendfile(); else -1
 * @messages: what sendmmsg() and recvmmsg() take, of UDP
 * @vectors: one for each of @messages
 * @controls: room for ancillary data of each, of a sink of UDP
 * @names: senders of each, of a sink of UDP that tells its peers apart
 */
struct user_payload {
	uint8_t *buffer;
	size_t size;
	size_t piece;
	int file;
	struct mmsghdr *messages;
	struct iovec *vectors;
	uint8_t *controls;
	struct sockaddr_storage *names;
};

/* Room for the size of segments that UDP_GRO tells. */
#define USER_CONTROL_BYTES	CMSG_SPACE(sizeof(int))

int user_payload_make(struct user_payload *payload,
		      const struct user_settings *settings,
		      struct units_error *err);
void user_payload_free(struct user_payload *payload);

#endif
