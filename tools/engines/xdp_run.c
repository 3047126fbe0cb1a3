// SPDX-License-Identifier: GPL-2.0
/* xdp_run: an XDP sink with the interface of a run of the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../host/cpus.h"
#include "xdp_run.h"
#include "end.h"

#define PORTS	65536

static void end_run(struct xdp_run *sink, enum ktput_reason reason)
{
	if (sink->run.state == KTPUT_STATE_ENDED)
		return;
	xdp_detach(&sink->xdp);
	sink->run.state = KTPUT_STATE_ENDED;
	sink->run.reason = reason;
	sink->run.ended_ns = monotonic_ns();
}

/**
 * xdp_run_wanted() - whether a configuration selects this sink
 * @config: configuration of a run
 *
 * Return: true if the module is not involved.
 */
bool xdp_run_wanted(const struct config *config)
{
	return config->number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SINK &&
	       config_has(config, KTPUT_A_CONFIG_LAYER) &&
	       config->number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_XDP;
}

static int check(const struct config *config, const struct xdp_config *wanted,
		 struct units_error *err)
{
	uint16_t port = address_port(&wanted->local);

	if (!wanted->device)
		units_refuse(err, "refused: device: XDP is of a device; say which");
	else if (!port)
		units_refuse(err, "refused: local-port: XDP can choose none; say which");
	else if (!wanted->streams || wanted->streams > KTPUT_MAX_STREAMS)
		units_refuse(err, "refused: streams: must be 1 to %d",
			     KTPUT_MAX_STREAMS);
	else if (port + wanted->streams > PORTS)
		units_refuse(err, "refused: streams: there are not so many ports from %u on",
			     port);
	else if (!config_has(config, KTPUT_A_CONFIG_COOKIE))
		units_refuse(err, "refused: cookie: a sink of datagrams needs one");
	else
		return 0;
	return -1;
}

static int arm(struct xdp_run *sink, uint64_t time_ns,
	       struct units_error *err)
{
	const uint64_t at = sink->run.begun_ns + time_ns;
	const struct itimerspec until = {
		.it_value.tv_sec = at / UNITS_NSEC_PER_SEC,
		.it_value.tv_nsec = at % UNITS_NSEC_PER_SEC,
	};

	sink->timer = timerfd_create(CLOCK_MONOTONIC,
				     TFD_CLOEXEC | TFD_NONBLOCK);
	if (sink->timer < 0 ||
	    timerfd_settime(sink->timer, TFD_TIMER_ABSTIME, &until, NULL))
		return units_refuse(err, "timer: %s", strerror(errno));
	return 0;
}

/* Attach the program; release it also after an error. */
static int begin(struct xdp_run *sink, const char *netns,
		 const struct config *config, bool detail,
		 struct units_error *err)
{
	struct xdp_config wanted = {
		.netns = netns,
		.device = config->number[KTPUT_A_CONFIG_DEV],
		.local = config->local,
		.streams = 1,
		.cookie = config->number[KTPUT_A_CONFIG_COOKIE],
		.detail = detail,
	};

	memset(sink, 0, sizeof(*sink));
	sink->timer = -1;
	address_set_port(&wanted.local,
			 config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (config_has(config, KTPUT_A_CONFIG_STREAMS))
		wanted.streams = config->number[KTPUT_A_CONFIG_STREAMS];
	if (check(config, &wanted, err) || xdp_open(&sink->xdp, &wanted, err))
		return -1;
	sink->local = wanted.local;
	sink->run = (struct client_run){
		.role = KTPUT_ROLE_SINK,
		.state = KTPUT_STATE_RUNNING,
		.begun_ns = monotonic_ns(),
		.streams = wanted.streams,
		.local_port = address_port(&wanted.local),
	};
	if (!config_has(config, KTPUT_A_CONFIG_TIME))
		return 0;
	return arm(sink, config->number[KTPUT_A_CONFIG_TIME], err);
}

/* Look whether the run has to end. */
static void look(struct xdp_run *sink)
{
	uint64_t expirations;
	int reason;

	if (sink->run.state == KTPUT_STATE_ENDED)
		return;
	reason = xdp_device_reason(&sink->xdp);
	if (reason != KTPUT_REASON_NONE)
		end_run(sink, reason);
	else if (sink->timer >= 0 &&
		 read(sink->timer, &expirations, sizeof(expirations)) > 0)
		end_run(sink, KTPUT_REASON_TIME);
}

static int copy_cpus(const struct xdp_snapshot *from,
		     struct client_snapshot *to, struct units_error *err)
{
	uint64_t idle_ns[UNITS_CPU_MAX];
	struct units_cpus online;

	if (cpus_online(&online, err) ||
	    cpus_idle(idle_ns, UNITS_CPU_MAX, err))
		return -1;
	for (size_t i = 0; i < from->cpu_count && i < UNITS_CPU_MAX; i++) {
		const struct xdp_cpu *cpu = &from->cpus[i];

		/* A CPU that is offline now may have received frames before. */
		if (!units_cpus_has(&online, i) && !cpu->frames)
			continue;
		to->cpus[to->cpu_count++] = (struct client_cpu){
			.id = i,
			.time_ns = from->time_ns,
			.cycles = from->time_ns,
			.idle_ns = idle_ns[i],
			.idle_known = idle_ns[i] != CPUS_IDLE_UNKNOWN,
			.counters = {
				.bytes = cpu->bytes,
				.messages = cpu->frames,
				.calls = cpu->frames,
			},
		};
	}
	return 0;
}

static void copy_streams(const struct xdp_run *sink,
			 const struct xdp_snapshot *from,
			 struct client_snapshot *to)
{
	for (size_t i = 0; i < from->stream_count; i++) {
		const struct xdp_stream *stream = &from->streams[i];
		struct client_stream *copy = &to->streams[to->stream_count++];

		*copy = (struct client_stream){
			.id = i,
			.cpu = stream->cpu,
			.state = sink->run.state,
			.local = sink->local,
			.first_cycles = stream->first_ns,
			.last_cycles = stream->last_ns,
			.counters = {
				.bytes = stream->bytes,
				.messages = stream->datagrams,
				.calls = stream->datagrams,
			},
			.datagrams = {
				.present = true,
				.received = stream->datagrams,
				.lost = stream->lost,
				.reordered = stream->reordered,
				.foreign = stream->foreign,
			},
		};
		address_set_port(&copy->local, sink->run.local_port + i);
	}
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	struct xdp_run *sink = &end->xdp;
	struct xdp_snapshot counters;
	int ret = -1;

	(void)parts;
	memset(to, 0, sizeof(*to));
	if (xdp_read(&sink->xdp, &counters, err))
		return -1;
	sink->run.now_ns = counters.time_ns;
	to->run = sink->run;
	to->cpus = calloc(counters.cpu_count, sizeof(*to->cpus));
	to->streams = calloc(counters.stream_count, sizeof(*to->streams));
	if (!to->cpus || !to->streams) {
		units_refuse(err, "out of memory");
	} else {
		copy_streams(sink, &counters, to);
		ret = copy_cpus(&counters, to, err);
	}
	xdp_snapshot_free(&counters);
	if (ret)
		client_snapshot_free(to);
	return ret;
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	(void)peer;
	if (begin(&end->xdp, end->netns, &end->config, detail, err))
		return -1;
	end->run = end->xdp.run;
	return 0;
}

static int refresh(struct session_end *end, struct units_error *err)
{
	(void)err;
	look(&end->xdp);
	end->run = end->xdp.run;
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	/* Who stops it may not have looked since there was another reason to end. */
	refresh(end, err);
	end_run(&end->xdp, KTPUT_REASON_STOPPED);
	end->run = end->xdp.run;
	return 0;
}

/* Readable when its time is over. */
static int fd(const struct session_end *end)
{
	return end->xdp.run.state == KTPUT_STATE_ENDED ? -1 : end->xdp.timer;
}

static void close_xdp(struct session_end *end, bool delete_run)
{
	struct xdp_run *sink = &end->xdp;

	(void)delete_run;
	if (sink->xdp.program && sink->timer >= 0)
		close(sink->timer);
	sink->timer = -1;
	xdp_close(&sink->xdp);
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
