// SPDX-License-Identifier: GPL-2.0
/* tasks: find the processes that ran longest in an interval, from /proc. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks.h"

/* The module's own threads belong to the run. */
#define OWN_PREFIX	"ktput"

/**
 * tasks_clean() - leave of a task's name what can be printed
 * @name: the name; '?' takes the place of other characters
 */
void tasks_clean(char *name)
{
	for (; *name; name++)
		if (!isprint((unsigned char)*name))
			*name = '?';
}

/**
 * tasks_parse() - parse the line of /proc/PID/stat
 * @line: the line
 * @task: filled in
 *
 * Return: false if the line is malformed.
 */
bool tasks_parse(const char *line, struct task *task)
{
	const char *open = strchr(line, '('), *close = strrchr(line, ')');
	uint64_t user, system;
	size_t length;

	if (!open || !close || close < open ||
	    sscanf(line, "%d", &task->pid) != 1 ||
	    sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %"
		   SCNu64 " %" SCNu64 " %*d %*d %*d %*d %*d %*d %*u %*u %*d "
		   "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %u",
		   &user, &system, &task->cpu) != 3)
		return false;
	length = close - open - 1;
	if (length >= sizeof(task->name))
		length = sizeof(task->name) - 1;
	memcpy(task->name, open + 1, length);
	task->name[length] = '\0';
	tasks_clean(task->name);
	task->ticks = user + system;
	return true;
}

static uint64_t tick_ns(void)
{
	return 1000000000 / sysconf(_SC_CLK_TCK);
}

/**
 * tasks_ns() - CPU time of a process
 * @task: the process
 *
 * Return: nanoseconds, to a tick.
 */
uint64_t tasks_ns(const struct task *task)
{
	return task->ticks * tick_ns();
}

/**
 * tasks_set_ns() - set the CPU time of a process
 * @task: the process
 * @ns: nanoseconds, as tasks_ns() tells
 */
void tasks_set_ns(struct task *task, uint64_t ns)
{
	task->ticks = ns / tick_ns();
}

static bool read_one(const char *number, struct task *task)
{
	char path[64], line[1024];
	FILE *from;
	bool done;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", number);
	from = fopen(path, "re");
	if (!from)
		return false;
	done = fgets(line, sizeof(line), from) && tasks_parse(line, task);
	fclose(from);
	return done;
}

/**
 * tasks_read() - read all processes
 * @tasks: filled in, as far as readable; release with tasks_free()
 */
void tasks_read(struct tasks *tasks)
{
	DIR *directory = opendir("/proc");
	size_t room = 0;

	*tasks = (struct tasks) { 0 };
	if (!directory)
		return;
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (tasks->count == room) {
			size_t more = room ? 2 * room : 256;
			void *list = realloc(tasks->list,
					     more * sizeof(*tasks->list));

			if (!list)
				break;
			tasks->list = list;
			room = more;
		}
		if (read_one(entry->d_name, &tasks->list[tasks->count]))
			tasks->count++;
	}
	closedir(directory);
}

/**
 * tasks_free() - free processes
 * @tasks: processes
 */
void tasks_free(struct tasks *tasks)
{
	free(tasks->list);
	*tasks = (struct tasks) { 0 };
}

/**
 * tasks_read_times() - time that a task ran, and that it was ready to run and did not
 * @path: its schedstat in /proc
 * @run_ns: nanoseconds that it ran
 * @delay_ns: nanoseconds of its run delay
 *
 * Return: false if there is none, or the kernel does not tell.
 */
bool tasks_read_times(const char *path, uint64_t *run_ns, uint64_t *delay_ns)
{
	FILE *from = fopen(path, "re");
	bool known;

	if (!from)
		return false;
	known = fscanf(from, "%" SCNu64 " %" SCNu64, run_ns, delay_ns) == 2;
	fclose(from);
	return known;
}

/**
 * tasks_read_delay() - time that a task was ready to run and did not (run delay)
 * @path: its schedstat in /proc
 * @ns: nanoseconds since it began
 *
 * Return: false if there is none, or the kernel does not tell.
 */
bool tasks_read_delay(const char *path, uint64_t *ns)
{
	uint64_t ignored;

	return tasks_read_times(path, &ignored, ns);
}

/**
 * tasks_delay_ns() - the same of a process, by its name
 * @tasks: processes
 * @name: name of its program
 * @ns: nanoseconds since it began
 *
 * Return: false if there is none, or the kernel does not tell.
 */
bool tasks_delay_ns(const struct tasks *tasks, const char *name, uint64_t *ns)
{
	bool known = false;
	char path[64];

	for (size_t i = 0; i < tasks->count && !known; i++) {
		if (strcmp(tasks->list[i].name, name))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/schedstat",
			 tasks->list[i].pid);
		known = tasks_read_delay(path, ns);
	}
	return known;
}

/* 0 for a process that did not exist yet. */
static uint64_t ticks_before(const struct tasks *before, int pid)
{
	for (size_t i = 0; i < before->count; i++)
		if (before->list[i].pid == pid)
			return before->list[i].ticks;
	return 0;
}

/**
 * tasks_longest() - find the process that ran longest between two readings
 * @before: earlier reading
 * @after: later reading
 * @cpu: CPU that it ran on last
 * @self: process to ignore, besides the threads of the module
 * @longest: filled in; its ticks are those between the readings
 *
 * Return: false if none ran.
 */
bool tasks_longest(const struct tasks *before, const struct tasks *after,
		   unsigned int cpu, int self, struct task *longest)
{
	longest->ticks = 0;
	for (size_t i = 0; i < after->count; i++) {
		const struct task *task = &after->list[i];
		uint64_t ticks;

		if (task->cpu != cpu || task->pid == self ||
		    !strncmp(task->name, OWN_PREFIX, strlen(OWN_PREFIX)))
			continue;
		ticks = task->ticks - ticks_before(before, task->pid);
		if (ticks <= longest->ticks)
			continue;
		*longest = *task;
		longest->ticks = ticks;
	}
	return longest->ticks;
}
