// SPDX-License-Identifier: GPL-2.0
/* payload: memory that a thread's calls send from, or receive into. */
#include <errno.h>
#include <linux/ktput_datagram.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thread.h"

/* What is sent. Memory that nobody has written is one page of zeroes. */
#define FILLING	0x6b

/*
 * What a recv() of ping-pong asks for beyond a message, so that less than all is
 * received where no other message has come.
 */
#define BEYOND	4096

static size_t piece_of(const struct user_settings *settings)
{
	if (settings->pingpong)
		return settings->message_size + (settings->udp ? 0 : BEYOND);
	if (!settings->udp)
		return settings->message_size;
	if (settings->source)
		return (size_t)settings->segments * settings->message_size;
	if (settings->segments > 1)
		return USER_GRO_BYTES;
	/* Nothing but the header is read of what is not copied. */
	return settings->method == KTPUT_METHOD_TRUNC ?
	       sizeof(struct ktput_datagram) : settings->message_size;
}

static int make_file(struct user_payload *payload, struct units_error *err)
{
	size_t done = 0;

	payload->file = memfd_create("ktput", MFD_CLOEXEC);
	while (payload->file >= 0 && done < payload->size) {
		ssize_t ret = write(payload->file, payload->buffer + done,
				    payload->size - done);

		if (ret < 0)
			break;
		done += ret;
	}
	if (done == payload->size)
		return 0;
	return units_refuse(err, "no file for sendfile: %s", strerror(errno));
}

static int make_messages(struct user_payload *payload, uint32_t batch,
			 struct units_error *err)
{
	payload->messages = calloc(batch, sizeof(*payload->messages));
	payload->vectors = calloc(batch, sizeof(*payload->vectors));
	payload->controls = calloc(batch, USER_CONTROL_BYTES);
	payload->names = calloc(batch, sizeof(*payload->names));
	if (!payload->messages || !payload->vectors || !payload->controls ||
	    !payload->names)
		return units_refuse(err, "out of memory");
	for (uint32_t i = 0; i < batch; i++) {
		payload->vectors[i] = (struct iovec) {
			.iov_base = payload->buffer + i * payload->piece,
			.iov_len = payload->piece,
		};
		payload->messages[i].msg_hdr.msg_iov = &payload->vectors[i];
		payload->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

/**
 * user_payload_make() - allocate memory
 * @payload: filled in; for user_payload_free(), also where it is refused
 * @settings: of the run
 * @err: why there is none
 */
int user_payload_make(struct user_payload *payload,
		      const struct user_settings *settings,
		      struct units_error *err)
{
	*payload = (struct user_payload) {
		.piece = piece_of(settings), .file = -1,
	};
	payload->size = payload->piece * settings->batch;
	payload->buffer = mmap(NULL, payload->size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (payload->buffer == MAP_FAILED) {
		payload->buffer = NULL;
		return units_refuse(err, "out of memory");
	}
	if (settings->source || settings->pingpong)
		memset(payload->buffer, FILLING, payload->size);
	if (settings->udp)
		return make_messages(payload, settings->batch, err);
	if (settings->method == KTPUT_METHOD_SENDFILE)
		return make_file(payload, err);
	return 0;
}

/**
 * user_payload_free() - free memory
 * @payload: what user_payload_make() left
 */
void user_payload_free(struct user_payload *payload)
{
	if (payload->buffer)
		munmap(payload->buffer, payload->size);
	if (payload->file >= 0)
		close(payload->file);
	free(payload->messages);
	free(payload->vectors);
	free(payload->controls);
	free(payload->names);
}
