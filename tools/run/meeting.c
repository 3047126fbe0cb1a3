// SPDX-License-Identifier: GPL-2.0
/* meeting: let two processes start their sources at one time. */
#include <sys/socket.h>

#include "../base/interrupt.h"
#include "meeting.h"

/* White space, which a document may follow. */
#define HERE	'\n'

/**
 * meeting_wait() - wait for the other process
 * @fd: socket that leads to it, or 0 if there is none
 * @err: it has ended, or the user interrupts
 *
 * Return: 0, or -1 with a sentence in @err; what the other process has written
 * instead is still to be read then.
 */
int meeting_wait(int fd, struct units_error *err)
{
	const char here = HERE;
	char there = '\0';

	if (!fd)
		return 0;
	if (send(fd, &here, 1, MSG_NOSIGNAL) == 1 &&
	    recv(fd, &there, 1, MSG_PEEK) == 1 && there == HERE &&
	    recv(fd, &there, 1, 0) == 1)
		return 0;
	units_refuse(err, interrupt_count() ? "interrupted" :
		     "the other direction has not started");
	return -1;
}
