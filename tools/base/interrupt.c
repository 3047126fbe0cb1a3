// SPDX-License-Identifier: GPL-2.0
/* interrupt: count terminating signals and make them pollable. */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "interrupt.h"

/* Lock-free on all Linux platforms, so safe in a signal handler. */
static atomic_uint count;
static int event = -1;

static void caught(int signal)
{
	const uint64_t one = 1;

	(void)signal;
	count++;
	/* The eventfd counter cannot overflow. */
	if (write(event, &one, sizeof(one)) < 0)
		_exit(1);
}

/* Shell and kernel both send SIGHUP for a closed terminal: count only one. */
static void hung_up(int signal)
{
	if (!count)
		caught(signal);
}

/* Let the write fail, with EPIPE or EFBIG. Not SIG_IGN, which child programs inherit. */
static void fails(int signal)
{
	(void)signal;
}

static void catch_hang_up(void)
{
	const struct sigaction action = { .sa_handler = hung_up };
	struct sigaction before;

	/* nohup(1) */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN)
		return;
	sigaction(SIGHUP, &action, NULL);
}

/**
 * interrupt_catch() - count SIGINT, SIGTERM and the first SIGHUP from now on
 *
 * Signals interrupt blocking system calls, so a pending connect is abandoned.
 * Writing to a pipe without a reader fails, and to a file beyond the limit of its size.
 *
 * Return: a file descriptor that becomes readable after a signal.
 */
int interrupt_catch(void)
{
	const struct sigaction action = { .sa_handler = caught };
	const struct sigaction failing = { .sa_handler = fails };

	if (event >= 0)
		return event;
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0) {
		perror("eventfd");
		abort();
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGPIPE, &failing, NULL);
	sigaction(SIGXFSZ, &failing, NULL);
	catch_hang_up();
	return event;
}

/**
 * interrupt_renew() - count from 0 in a process that was forked
 *
 * The file descriptor of the process that forked it is not read here.
 */
void interrupt_renew(void)
{
	if (event >= 0)
		close(event);
	event = -1;
	count = 0;
}

unsigned int interrupt_count(void)
{
	return count;
}

/**
 * interrupt_drain() - make the file descriptor wait for the next signal
 */
void interrupt_drain(void)
{
	uint64_t signals;

	while (read(event, &signals, sizeof(signals)) > 0)
		;
}
