// SPDX-License-Identifier: GPL-2.0
/* meeting: let two processes start their sources at one time. */
#include <sys/socket.h>

#include "../base/interrupt.h"
#include "meeting.h"

/* White space, which a document may follow. */
#define HERE	'\n'

/**
 * meeting_tell() - tell the other process that this one has come so far
 * @fd: socket that leads to it
 *
 * If it is gone, meeting_await() finds out, or who waits for its result.
 */
void meeting_tell(int fd)
{
	const char here = HERE;

	(void)!send(fd, &here, 1, MSG_NOSIGNAL);
}

/**
 * meeting_await() - wait until the other process has come so far
 * @fd: socket that leads to it
 * @err: it has ended, or the user interrupts
 *
 * Return: 0, or -1 with a sentence in @err; what the other process has written
 * instead is still to be read then.
 */
int meeting_await(int fd, struct units_error *err)
{
	char there = '\0';

	if (recv(fd, &there, 1, MSG_PEEK) == 1 && there == HERE &&
	    recv(fd, &there, 1, 0) == 1)
		return 0;
	return units_refuse(err, interrupt_count() ? "interrupted" :
			    "the other direction has not started");
}
