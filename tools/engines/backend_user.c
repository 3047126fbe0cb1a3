// SPDX-License-Identifier: GPL-2.0
/* backend_user: an end run by this process over ordinary sockets. */
#include <stdio.h>

#include "user/clock.h"
#include "end.h"

static void take_over(struct session_end *end)
{
	end->run = end->user->run;
	end->config = end->user->settings.config;
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	(void)peer;
	(void)detail;
	end->user = user_engine_start(end->netns, &end->config, err);
	if (!end->user)
		return -1;
	take_over(end);
	return 0;
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to,
		    struct units_error *err)
{
	(void)parts;
	return user_engine_snapshot(end->user, to, err);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	(void)err;
	user_engine_look(end->user);
	take_over(end);
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	(void)err;
	user_engine_stop(end->user);
	take_over(end);
	return 0;
}

static int fd(const struct session_end *end)
{
	return user_engine_fd(end->user);
}

static void close_user(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	user_engine_close(end->user);
	end->user = NULL;
}

/**
 * backend_user_clock() - the clock of an end that runs in user space
 * @end: the end
 * @clock: filled in
 *
 * Return: true.
 */
bool backend_user_clock(struct session_end *end, struct backend_clock *clock)
{
	(void)end;
	snprintf(clock->name, sizeof(clock->name), "%s", USER_CLOCK_NAME);
	clock->hz = USER_CLOCK_HZ;
	return true;
}

static void describe(const struct session_end *end, struct output *out)
{
	(void)end;
	output_text(out, "user space");
}

/**
 * backend_user_record() - record where idle times of user space come from
 * @end: the end
 * @out: the output
 */
void backend_user_record(const struct session_end *end, struct output *out)
{
	(void)end;
	output_data_string(out, "idle_source", "/proc/stat");
}

const struct backend backend_user = {
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.close = close_user,
	.clock = backend_user_clock,
	.describe = describe,
	.record = backend_user_record,
};
