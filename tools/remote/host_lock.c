// SPDX-License-Identifier: GPL-2.0
/* host_lock: one run at a time on a host, or in a network namespace of it. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host_lock.h"

/* An abstract name: the kernel releases it with the process, and leaves no file. */
#define NAME	"\0ktput-exclusive"

/**
 * host_lock() - take the lock, until this process ends
 * @err: why it cannot be taken
 *
 * Return: 0, also if this process has it, or -1 with a sentence in @err.
 */
int host_lock(struct units_error *err)
{
	const struct sockaddr_un name = {
		.sun_family = AF_UNIX, .sun_path = NAME,
	};
	const socklen_t length = offsetof(struct sockaddr_un, sun_path) +
				 sizeof(NAME) - 1;
	static int lock = -1;

	if (lock >= 0)
		return 0;
	lock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (lock >= 0 && !bind(lock, (const struct sockaddr *)&name, length))
		return 0;
	if (errno == EADDRINUSE)
		units_refuse(err, "another exclusive run is on this host: wait for its end");
	else
		units_refuse(err, "no lock: %s", strerror(errno));
	if (lock >= 0)
		close(lock);
	lock = -1;
	return -1;
}
