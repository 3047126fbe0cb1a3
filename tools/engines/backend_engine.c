// SPDX-License-Identifier: GPL-2.0
/* backend_engine: an end run by another program, as a process. */
#include <stdio.h>
#include <stdlib.h>

#include "user/clock.h"
#include "engine_run.h"
#include "end.h"

static int open_engine(struct session_end *end, struct units_error *err)
{
	(void)end;
	(void)err;
	return 0;
}

static void take_over(struct session_end *end)
{
	end->run = end->engine->run;
	end->config = end->engine->config;
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	const bool source = end->config.number[KTPUT_A_CONFIG_ROLE] ==
			    KTPUT_ROLE_SOURCE;

	(void)detail;
	end->engine = calloc(1, sizeof(*end->engine));
	if (!end->engine) {
		units_refuse(err, "out of memory");
		return -1;
	}
	if (engine_run_start(end->engine, end->netns, &end->config,
			     source ? peer->engine : NULL, err))
		return -1;
	take_over(end);
	return 0;
}

static int snapshot(struct session_end *end, struct client_snapshot *to,
		    struct units_error *err)
{
	return engine_run_snapshot(end->engine, to, err);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	if (engine_run_look(end->engine, err))
		return -1;
	take_over(end);
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	(void)err;
	engine_run_stop(end->engine);
	return 0;
}

static int fd(const struct session_end *end)
{
	return engine_run_fd(end->engine);
}

static bool take_events(struct session_end *end)
{
	(void)end;
	return true;
}

static void close_engine(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	if (end->engine)
		engine_run_close(end->engine);
	free(end->engine);
	end->engine = NULL;
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
	output_text(out, "%s", end->engine->engine->name);
}

static void record(const struct session_end *end, struct output *out)
{
	(void)end;
	output_data_string(out, "idle_source", "/proc/stat");
}

const struct backend backend_engine = {
	.open = open_engine,
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.take_events = take_events,
	.close = close_engine,
	.clock = get_clock,
	.describe = describe,
	.record = record,
};
