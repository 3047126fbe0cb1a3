// SPDX-License-Identifier: GPL-2.0
/* backend_module: an end run by the module. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/interrupt.h"
#include "end.h"

static int open_module(struct session_end *end, struct units_error *err)
{
	const int ret = client_open(&end->client, end->netns, err);

	return ret ? ret : client_subscribe(&end->client, end->netns, err);
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	(void)peer;
	(void)detail;
	return client_run_start(&end->client, &end->config,
				interrupt_catch(), &end->run, err);
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	return client_snapshot(&end->client, end->run.id, parts, to, err);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	struct client_listing *list;
	size_t count, i;

	if (client_runs(&end->client, &list, &count, err))
		return -1;
	for (i = 0; i < count && list[i].run.id != end->run.id; i++)
		;
	if (i < count) {
		end->run = list[i].run;
		end->config = list[i].config;
	}
	free(list);
	if (i < count)
		return 0;
	return units_refuse(err, "run %" PRIu32
			    " is gone: somebody deleted it, or the module was removed",
			    end->run.id);
}

static int stop(struct session_end *end, struct units_error *err)
{
	return client_run_stop(&end->client, end->run.id, err);
}

static int fd(const struct session_end *end)
{
	return client_event_fd(&end->client);
}

static bool take_events(struct session_end *end)
{
	struct client_run run;
	bool due = false;
	int ret;

	while ((ret = client_event(&end->client, &run))) {
		if (ret < 0)
			return true;
		due |= run.id == end->run.id;
	}
	return due;
}

static void close_module(struct session_end *end, bool delete_run)
{
	struct units_error ignored;

	/* Ignore errors: the run may already be gone. */
	if (delete_run && end->run.id)
		client_run_delete(&end->client, end->run.id, &ignored);
	client_close(&end->client);
}

static bool get_clock(struct session_end *end, struct backend_clock *clock)
{
	struct client_module module;
	struct units_error ignored;

	if (client_module_get(&end->client, &module, &ignored))
		return false;
	snprintf(clock->module_version, sizeof(clock->module_version), "%s",
		 module.version);
	snprintf(clock->name, sizeof(clock->name), "%s", module.clock);
	clock->hz = module.clock_hz;
	return true;
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "run %" PRIu32, end->run.id);
}

const struct backend backend_module = {
	.open = open_module,
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.take_events = take_events,
	.close = close_module,
	.clock = get_clock,
	.describe = describe,
};
