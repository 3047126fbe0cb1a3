// SPDX-License-Identifier: GPL-2.0
/* identity: tell one host, or one network namespace of it, from another. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../base/json.h"
#include "../host/environment.h"
#include "identity.h"

/* It changes with each boot, and names nobody. */
#define BOOT_ID	"/proc/sys/kernel/random/boot_id"

static uint64_t netns_inode(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/net", &stat_of) ? 0 : stat_of.st_ino;
}

/**
 * identity_write() - write the identity of this host and network namespace
 * @out: the output
 */
void identity_write(struct output *out)
{
	char *boot = environment_read_line(BOOT_ID);

	output_data_string(out, "boot_id", boot ? boot : "");
	output_data_u64(out, "netns_inode", netns_inode());
	free(boot);
}

/**
 * identity_is_this() - whether an identity is that of this host and namespace
 * @from: object of identity_write()
 *
 * Return: true if it is.
 */
bool identity_is_this(struct json_object *from)
{
	const char *theirs = json_text(from, "boot_id");
	char *boot = environment_read_line(BOOT_ID);
	const bool same = boot && theirs && boot[0] && !strcmp(boot, theirs) &&
			  json_u64(from, "netns_inode") == netns_inode();

	free(boot);
	return same;
}

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
