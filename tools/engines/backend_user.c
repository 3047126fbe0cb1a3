// SPDX-License-Identifier: GPL-2.0
/* backend_user: an end run by this process over ordinary sockets. */
#include <stdio.h>

#include "user/clock.h"
#include "end.h"

static int open_user(struct session_end *end, struct units_error *err)
{
	(void)end;
	(void)err;
	return 0;
}

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

static int snapshot(struct session_end *end, struct client_snapshot *to,
		    struct units_error *err)
{
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

/* Nothing to read here: a refresh reads all. */
static bool take_events(struct session_end *end)
{
	(void)end;
	return true;
}

static void close_user(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	user_engine_close(end->user);
	end->user = NULL;
}

static bool get_clock(struct session_end *end, struct backend_clock *clock)
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

static void record(const struct session_end *end, struct output *out)
{
	(void)end;
	output_data_string(out, "idle_source", "/proc/stat");
}

const struct backend backend_user = {
	.open = open_user,
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.take_events = take_events,
	.close = close_user,
	.clock = get_clock,
	.describe = describe,
	.record = record,
};
