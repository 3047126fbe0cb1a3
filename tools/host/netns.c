// SPDX-License-Identifier: GPL-2.0
/* netns: work in another network namespace, and return. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"

/* Directory of the names of ip-netns(8). */
#define NAMES	"/var/run/netns"

static int open_named(const char *name, struct units_error *err)
{
	char path[PATH_MAX];
	int fd;

	if (strchr(name, '/')) {
		fd = open(name, O_RDONLY | O_CLOEXEC);
	} else {
		snprintf(path, sizeof(path), NAMES "/%s", name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT &&
		    strspn(name, "0123456789") == strlen(name)) {
			snprintf(path, sizeof(path), "/proc/%s/ns/net", name);
			fd = open(path, O_RDONLY | O_CLOEXEC);
		}
	}
	if (fd < 0 && errno == ENOENT)
		units_refuse(err, "there is no network namespace '%s'", name);
	else if (fd < 0)
		units_refuse(err, "network namespace '%s': %s", name,
			     strerror(errno));
	return fd;
}

/**
 * netns_enter() - move the calling thread into a network namespace
 * @visit: filled in, for netns_leave()
 * @name: name as in ip-netns(8), path, or process ID; NULL to stay
 * @err: why it cannot be entered
 *
 * Return: 0, or -1 with a message in @err; the thread has not moved then.
 */
int netns_enter(struct netns_visit *visit, const char *name,
		struct units_error *err)
{
	int to;

	visit->home = -1;
	if (!name)
		return 0;
	to = open_named(name, err);
	if (to < 0)
		return -1;
	visit->home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (visit->home < 0 || setns(to, CLONE_NEWNET)) {
		units_refuse(err, "network namespace '%s' cannot be entered: %s",
			     name, strerror(errno));
		if (visit->home >= 0)
			close(visit->home);
		close(to);
		return -1;
	}
	close(to);
	return 0;
}

/**
 * netns_leave() - return to the original network namespace
 * @visit: set up by netns_enter()
 */
void netns_leave(struct netns_visit *visit)
{
	if (visit->home < 0)
		return;
	/* Abort: a measurement in the wrong namespace would be wrong. */
	if (setns(visit->home, CLONE_NEWNET)) {
		perror("setns");
		abort();
	}
	close(visit->home);
	visit->home = -1;
}
