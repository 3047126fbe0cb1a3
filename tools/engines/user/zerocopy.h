/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zerocopy: what the kernel tells of calls with MSG_ZEROCOPY.
 */
#ifndef KTPUT_USER_ZEROCOPY_H
#define KTPUT_USER_ZEROCOPY_H

#include "stream.h"

void user_zerocopy_reap(struct user_stream *stream);

/* Messages of a stream of UDP whose payload the kernel may refer to. */
uint32_t user_zerocopy_slots(const struct user_settings *settings);

static inline bool user_zerocopy_done(const struct user_stream *stream)
{
	return stream->zerocopy.done == stream->zerocopy.sent;
}

#endif
