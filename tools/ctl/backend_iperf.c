// SPDX-License-Identifier: GPL-2.0
/* backend_iperf: an end that iperf3 runs, as a process of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "../user/clock.h"
#include "iperf_run.h"
#include "session.h"

static int open_iperf(struct session_end *end, struct units_error *err)
{
	(void)end;
	(void)err;
	return 0;
}

static void take_over(struct session_end *end)
{
	end->run = end->iperf->run;
	end->config = end->iperf->config;
}

static int start(const struct session *session, struct session_end *end,
		 struct units_error *err)
{
	(void)session;
	end->iperf = calloc(1, sizeof(*end->iperf));
	if (!end->iperf) {
		units_refuse(err, "out of memory");
		return -1;
	}
	if (iperf_run_start(end->iperf, end->netns, &end->config, err))
		return -1;
	take_over(end);
	return 0;
}

static int snapshot(struct session_end *end, struct client_snapshot *to,
		    struct units_error *err)
{
	return iperf_run_snapshot(end->iperf, to, err);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	if (iperf_run_look(end->iperf, err))
		return -1;
	take_over(end);
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	(void)err;
	iperf_run_stop(end->iperf);
	return 0;
}

static int fd(const struct session_end *end)
{
	return end->iperf->child.fd;
}

static bool take_events(struct session_end *end)
{
	(void)end;
	return true;
}

static void close_iperf(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	if (end->iperf)
		iperf_run_close(end->iperf);
	free(end->iperf);
	end->iperf = NULL;
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
	output_text(out, "iperf3");
}

static void record(const struct session_end *end, struct output *out)
{
	(void)end;
	output_data_string(out, "idle_source", "/proc/stat");
}

const struct backend backend_iperf = {
	.open = open_iperf,
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.take_events = take_events,
	.close = close_iperf,
	.clock = get_clock,
	.describe = describe,
	.record = record,
};
