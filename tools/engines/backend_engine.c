// SPDX-License-Identifier: GPL-2.0
/* backend_engine: an end run by another program, as a process. */
#include <stdlib.h>

#include "engine_run.h"
#include "end.h"

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

static void watch(struct session_end *end)
{
	if (end->engine)
		engine_run_watch(end->engine);
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to,
		    struct units_error *err)
{
	(void)parts;
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

static void close_engine(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	if (end->engine)
		engine_run_close(end->engine);
	free(end->engine);
	end->engine = NULL;
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "%s", end->engine->engine->name);
}

const struct backend backend_engine = {
	.start = start,
	.watch = watch,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.close = close_engine,
	.clock = backend_user_clock,
	.describe = describe,
	.record = backend_user_record,
};
