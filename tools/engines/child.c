// SPDX-License-Identifier: GPL-2.0
/* child: run a command line in the background. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

/* Offset of the exit status of a process ended by a signal, as in shells. */
#define BY_SIGNAL	128

/* Runs in the new process; writes errno to @report on failure. */
static void become(char *const *words, const int files[3], pid_t parent,
		   int report)
{
	int error;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* The parent ended before PR_SET_PDEATHSIG took effect. */
	if (getppid() != parent)
		_exit(1);
	for (int i = 0; i < 3; i++)
		if (files[i] >= 0 && dup2(files[i], i) < 0)
			goto failed;
	execvp(words[0], words);
failed:
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

/* The errno of a failed exec, or 0. */
static int outcome(int report)
{
	ssize_t length;
	int error = 0;

	do
		length = read(report, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	return length == sizeof(error) ? error : 0;
}

/**
 * child_start() - run a command line
 * @child: filled in; release with child_close()
 * @words: program, looked up in PATH, and its arguments, ended by NULL
 * @outputs: files for its standard output and standard error, NULL to share those
 *	of this program
 * @err: why it cannot be run
 *
 * Return: 0, or -1 with a message in @err, and errno.
 */
int child_start(struct child *child, char *const *words, const int *outputs,
		struct units_error *err)
{
	const int files[] = {
		-1, outputs ? outputs[0] : -1, outputs ? outputs[1] : -1,
	};

	return child_start_with(child, words, files, err);
}

/**
 * child_start_with() - run a command line with files of its own
 * @child: filled in; release with child_close()
 * @words: as for child_start()
 * @files: its standard input, output and error; -1 to share that of this program
 * @err: why it cannot be run
 *
 * Return: 0, or -1 with a message in @err, and errno.
 */
int child_start_with(struct child *child, char *const *words,
		     const int files[3], struct units_error *err)
{
	const pid_t parent = getpid();
	int report[2], error;

	*child = (struct child){ .fd = -1 };
	if (pipe2(report, O_CLOEXEC)) {
		units_refuse(err, "pipe: %s", strerror(errno));
		return -1;
	}
	child->pid = fork();
	if (!child->pid) {
		close(report[0]);
		become(words, files, parent, report[1]);
	}
	error = child->pid < 0 ? errno : 0;
	close(report[1]);
	if (!error) {
		/* The child does the same: either may run first. */
		setpgid(child->pid, child->pid);
		error = outcome(report[0]);
	}
	close(report[0]);
	if (!error) {
		child->fd = pidfd_open(child->pid, 0);
		error = child->fd < 0 ? errno : 0;
	}
	if (!error)
		return 0;
	units_refuse(err, "'%s' cannot be run: %s", words[0], strerror(error));
	child_close(child);
	errno = error;
	return -1;
}

/**
 * child_signal() - send a signal to a child and its descendants
 * @child: child that has not been waited for
 * @signal: number
 */
void child_signal(const struct child *child, int signal)
{
	kill(-child->pid, signal);
}

/**
 * child_wait() - reap a child
 * @child: child, cleared afterwards
 *
 * Return: its exit status, or 128 plus the number of the signal that ended it.
 */
int child_wait(struct child *child)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	child->pid = 0;
	if (WIFSIGNALED(status))
		return BY_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/**
 * child_close() - end a child if it still runs
 * @child: set up by child_start(), or all zero
 */
void child_close(struct child *child)
{
	if (child->pid > 0) {
		child_signal(child, SIGKILL);
		child_wait(child);
	}
	if (child->fd > 0)
		close(child->fd);
	*child = (struct child){ .fd = -1 };
}
