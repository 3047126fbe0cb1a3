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

static void end(struct xdp_run *sink, enum ktput_reason reason)
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
	    timerfd_settime(sink->timer, TFD_TIMER_ABSTIME, &until, NULL)) {
		units_refuse(err, "timer: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/**
 * xdp_run_start() - attach the program
 * @sink: filled in; release with xdp_run_close(), even after an error
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @config: which datagrams to receive, and for how long
 * @detail: pass messages of libbpf to stderr
 * @err: why it is refused
 *
 * Return: 0, or -1 with a message in @err.
 */
int xdp_run_start(struct xdp_run *sink, const char *netns,
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

/**
 * xdp_run_fd() - descriptor to poll
 * @sink: started sink
 *
 * Return: file descriptor that becomes readable when its time is over, or -1.
 */
int xdp_run_fd(const struct xdp_run *sink)
{
	return sink->run.state == KTPUT_STATE_ENDED ? -1 : sink->timer;
}

/**
 * xdp_run_look() - check whether the run has to end
 * @sink: started sink; its state is updated
 */
void xdp_run_look(struct xdp_run *sink)
{
	uint64_t expirations;
	int reason;

	if (sink->run.state == KTPUT_STATE_ENDED)
		return;
	reason = xdp_device_reason(&sink->xdp);
	if (reason != KTPUT_REASON_NONE)
		end(sink, reason);
	else if (sink->timer >= 0 &&
		 read(sink->timer, &expirations, sizeof(expirations)) > 0)
		end(sink, KTPUT_REASON_TIME);
}

/**
 * xdp_run_stop() - stop receiving frames
 * @sink: started sink
 */
void xdp_run_stop(struct xdp_run *sink)
{
	/* Who stops it may have seen the reason to end before xdp_run_look() did. */
	xdp_run_look(sink);
	end(sink, KTPUT_REASON_STOPPED);
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

/**
 * xdp_run_snapshot() - read the counters
 * @sink: started sink, which may have ended
 * @snapshot: filled in; release with client_snapshot_free()
 * @err: why that is not possible
 *
 * Return: 0, or -1 with a message in @err.
 */
int xdp_run_snapshot(struct xdp_run *sink, struct client_snapshot *snapshot,
		     struct units_error *err)
{
	struct xdp_snapshot counters;
	int ret = -1;

	memset(snapshot, 0, sizeof(*snapshot));
	if (xdp_read(&sink->xdp, &counters, err))
		return -1;
	sink->run.now_ns = counters.time_ns;
	snapshot->run = sink->run;
	snapshot->cpus = calloc(counters.cpu_count, sizeof(*snapshot->cpus));
	snapshot->streams = calloc(counters.stream_count,
				   sizeof(*snapshot->streams));
	if (!snapshot->cpus || !snapshot->streams) {
		units_refuse(err, "out of memory");
	} else {
		copy_streams(sink, &counters, snapshot);
		ret = copy_cpus(&counters, snapshot, err);
	}
	xdp_snapshot_free(&counters);
	if (ret)
		client_snapshot_free(snapshot);
	return ret;
}

/**
 * xdp_run_close() - detach the program and free the sink
 * @sink: set up by xdp_run_start(), or all zero
 */
void xdp_run_close(struct xdp_run *sink)
{
	if (sink->xdp.program && sink->timer >= 0)
		close(sink->timer);
	sink->timer = -1;
	xdp_close(&sink->xdp);
}

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
