// SPDX-License-Identifier: GPL-2.0
/* backend_xdp: an XDP sink. It does not need the module. */
#include <stdio.h>

#include "end.h"

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	(void)peer;
	if (xdp_run_start(&end->xdp, end->netns, &end->config, detail, err))
		return -1;
	end->run = end->xdp.run;
	return 0;
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to,
		    struct units_error *err)
{
	(void)parts;
	return xdp_run_snapshot(&end->xdp, to, err);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	(void)err;
	xdp_run_look(&end->xdp);
	end->run = end->xdp.run;
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	(void)err;
	xdp_run_stop(&end->xdp);
	end->run = end->xdp.run;
	return 0;
}

static int fd(const struct session_end *end)
{
	return xdp_run_fd(&end->xdp);
}

static void close_xdp(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	xdp_run_close(&end->xdp);
}

static bool get_clock(struct session_end *end, struct backend_clock *clock)
{
	(void)end;
	snprintf(clock->name, sizeof(clock->name), "%s", XDP_RUN_CLOCK);
	clock->hz = UNITS_NSEC_PER_SEC;
	return true;
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "XDP %s", xdp_mode_name(end->xdp.xdp.mode));
}

static void record(const struct session_end *end, struct output *out)
{
	output_data_string(out, "xdp_mode",
			   xdp_mode_name(end->xdp.xdp.mode));
}

const struct backend backend_xdp = {
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.close = close_xdp,
	.clock = get_clock,
	.describe = describe,
	.record = record,
};
