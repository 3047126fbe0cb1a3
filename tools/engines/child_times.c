// SPDX-License-Identifier: GPL-2.0
/* child_times: how long another program ran, and was delayed. */
#include <dirent.h>
#include <stdio.h>

#include "../host/tasks.h"
#include "child_times.h"

static void add_thread(struct child_times *sum, pid_t pid, const char *thread)
{
	uint64_t run_ns, delay_ns;
	char path[320];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, thread);
	if (!tasks_read_times(path, &run_ns, &delay_ns))
		return;
	sum->known = true;
	sum->run_ns += run_ns;
	sum->delay_ns += delay_ns;
}

/**
 * child_times_look() - read the times of a process, which may have ended
 * @times: times; zeroed before the first look
 * @pid: the process, not waited for yet
 */
void child_times_look(struct child_times *times, pid_t pid)
{
	struct child_times sum = { 0 };
	const struct dirent *entry;
	char path[32];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return;
	/* ".." has the times of the first thread as well. */
	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			add_thread(&sum, pid, entry->d_name);
	closedir(threads);
	if (sum.known && sum.run_ns >= times->run_ns)
		*times = sum;
}
