// SPDX-License-Identifier: GPL-2.0
/*
 * xdp: the XDP sink, a BPF program attached to a device, with the interface of a run of
 * the module.
 *
 * It is attached by a link owned by this process, so it is detached whenever the
 * process ends. It never replaces another program. The program does not use the
 * kernel's types, so BTF is not required. Its clock is CLOCK_MONOTONIC: the cycles of a
 * snapshot are nanoseconds of that clock.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ktput.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../bpf/xdp_sink.h"
#include "../host/bpf_messages.h"
#include "../host/cpus.h"
#include "../host/netns.h"
#include "end.h"
#include "xdp_sink.skel.h"

#define PORTS	65536

static void configure(const struct xdp_run *sink, const struct config *config)
{
	struct xdp_sink__rodata *constants = sink->program->rodata;

	constants->cookie = config->number[KTPUT_A_CONFIG_COOKIE];
	constants->streams = sink->run.streams;
	constants->first_port = sink->run.local_port;
	if (address_family(&sink->local) == AF_UNSPEC || address_is_any(&sink->local))
		return;
	constants->ip_version = address_ip_version(&sink->local);
	memcpy(constants->address, address_bytes(&sink->local),
	       address_length(&sink->local));
}

static int load_program(struct xdp_run *sink, const struct config *config, bool detail,
			struct units_error *err)
{
	int ret;

	/* libbpf raises RLIMIT_MEMLOCK on kernels that require it. */
	bpf_messages_set(detail);
	sink->program = xdp_sink__open();
	if (!sink->program)
		return units_refuse(err, "the XDP program cannot be opened: %s",
				    strerror(errno));
	configure(sink, config);
	ret = bpf_map__set_max_entries(sink->program->maps.streams_map,
				       sink->run.streams);
	if (!ret)
		ret = xdp_sink__load(sink->program);
	switch (-ret) {
	case 0:
		return 0;
	case EPERM:
	case EACCES:
		units_refuse(err, "refused: this process may not load XDP "
			     "programs: it takes root, or CAP_BPF and "
			     "CAP_NET_ADMIN outside of a user namespace");
		break;
	case ENOSYS:
		units_refuse(err, "refused: this kernel has no bpf() system "
			     "call (CONFIG_BPF_SYSCALL)");
		break;
	default:
		units_refuse(err, "the kernel does not load the XDP program: %s (-s shows more)",
			     strerror(-ret));
	}
	return -1;
}

/* Returns 0 or a negative errno. */
static int attach_as(struct xdp_run *sink, bool native)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
	int link;

	link = bpf_link_create(bpf_program__fd(sink->program->progs.xdp_sink),
			       sink->device, BPF_XDP, &opts);
	if (link < 0)
		return link;
	sink->link = link;
	sink->native = native;
	return 0;
}

/* A link never replaces a program or another link. */
static bool occupied(int ret)
{
	return ret == -EBUSY || ret == -EEXIST;
}

/* In the network namespace of the device, where its index is valid. */
static int attach_there(struct xdp_run *sink, struct units_error *err)
{
	char name[IF_NAMESIZE];
	int ret;

	sink->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sink->socket < 0)
		return units_refuse(err, "socket: %s", strerror(errno));
	if (!if_indextoname(sink->device, name))
		return units_refuse(err,
				    "refused: device: none with the index %u in "
				    "this network namespace", sink->device);
	ret = attach_as(sink, true);
	if (ret && !occupied(ret))
		ret = attach_as(sink, false);
	if (!ret)
		return 0;
	if (occupied(ret))
		return units_refuse(err, "refused: device '%s', or one on top of it, "
				    "already has an XDP program", name);
	return units_refuse(err, "refused: device '%s': no XDP in generic mode: %s",
			    name, strerror(-ret));
}

static void count(struct client_counters *to, const struct xdp_sink_stream *from)
{
	to->bytes += from->bytes;
	to->messages += from->datagrams;
	to->calls += from->datagrams;
}

/* Add what each CPU has counted of a stream; some may have counted nothing. */
static void merge(const struct xdp_sink_stream *cpus, struct client_snapshot *to,
		  struct client_stream *stream)
{
	struct client_datagrams *datagrams = &stream->datagrams;
	uint32_t next = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < to->cpu_count; i++) {
		const struct xdp_sink_stream *cpu = &cpus[i];

		datagrams->foreign += cpu->foreign;
		if (!cpu->datagrams)
			continue;
		if (!datagrams->received || (int32_t)(cpu->next - next) > 0)
			next = cpu->next;
		if (!datagrams->received || cpu->first_ns < stream->first_cycles)
			stream->first_cycles = cpu->first_ns;
		if (cpu->last_ns > stream->last_cycles)
			stream->last_cycles = cpu->last_ns;
		if (cpu->datagrams > most) {
			most = cpu->datagrams;
			stream->cpu = i;
		}
		count(&to->cpus[i].counters, cpu);
		count(&stream->counters, cpu);
		datagrams->received += cpu->datagrams;
		datagrams->reordered += cpu->behind;
	}
	/* A duplicate hides a loss. */
	next -= (uint32_t)datagrams->received;
	if ((int32_t)next > 0)
		datagrams->lost = next;
}

/*
 * Read the counters of all possible CPUs. They count on meanwhile: frames and bytes of
 * one may differ by a frame. What CPUs and streams have comes from the same reading.
 * Returns 0 or a negative errno.
 */
static int read_counters(const struct xdp_run *sink, struct client_snapshot *to)
{
	const int cpus = libbpf_num_possible_cpus();
	struct xdp_sink_stream *values;
	size_t size;
	int ret = 0;

	if (cpus < 0)
		return cpus;
	size = cpus * sizeof(*values);
	values = malloc(size);
	to->cpus = calloc(cpus, sizeof(*to->cpus));
	to->streams = calloc(sink->run.streams, sizeof(*to->streams));
	if (!values || !to->cpus || !to->streams) {
		free(values);
		return -ENOMEM;
	}
	to->cpu_count = cpus;
	to->run.now_ns = monotonic_ns();
	for (uint32_t i = 0; i < sink->run.streams && !ret; i++) {
		struct client_stream *stream = &to->streams[to->stream_count++];

		ret = bpf_map__lookup_elem(sink->program->maps.streams_map, &i,
					   sizeof(i), values, size, 0);
		*stream = (struct client_stream) {
			.id = i, .state = sink->run.state, .local = sink->local,
			.datagrams.present = true,
		};
		address_set_port(&stream->local, sink->run.local_port + i);
		if (!ret)
			merge(values, to, stream);
	}
	free(values);
	return ret;
}

static bool is_up(const struct xdp_run *sink)
{
	struct ifreq request = { .ifr_ifindex = (int)sink->device };

	return !ioctl(sink->socket, SIOCGIFNAME, &request) &&
	       !ioctl(sink->socket, SIOCGIFFLAGS, &request) &&
	       request.ifr_flags & IFF_UP;
}

/*
 * The index may belong to another device by now, so check the link first. The query
 * waits for RTNL, and thus for a removal or a move of the device under way.
 */
static bool is_there(const struct xdp_run *sink)
{
	struct ifreq request = { .ifr_ifindex = (int)sink->device };
	struct bpf_link_info info = { 0 };
	uint32_t size = sizeof(info);

	return !bpf_obj_get_info_by_fd(sink->link, &info, &size) &&
	       info.xdp.ifindex == sink->device &&
	       !ioctl(sink->socket, SIOCGIFNAME, &request);
}

/* Whether datagrams can still arrive, or what happened to the device. */
static enum ktput_reason device_reason(const struct xdp_run *sink)
{
	/* A device is taken down before it is removed or moved. */
	const bool up = is_up(sink);

	if (!is_there(sink))
		return KTPUT_REASON_DEVICE_REMOVED;
	return up ? KTPUT_REASON_NONE : KTPUT_REASON_DEVICE_DOWN;
}

/* Its counters do not change any more. */
static void detach(struct xdp_run *sink)
{
	if (sink->link >= 0)
		close(sink->link);
	sink->link = -1;
}

static void end_run(struct xdp_run *sink, enum ktput_reason reason)
{
	if (sink->run.state == KTPUT_STATE_ENDED)
		return;
	detach(sink);
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

static int check(const struct config *config, const struct xdp_run *sink,
		 struct units_error *err)
{
	const uint32_t streams = sink->run.streams;
	const uint16_t port = sink->run.local_port;

	if (!sink->device)
		units_refuse(err, "refused: device: XDP is of a device; say which");
	else if (!port)
		units_refuse(err, "refused: local-port: XDP can choose none; say which");
	else if (!streams || streams > KTPUT_MAX_STREAMS)
		units_refuse(err, "refused: streams: must be 1 to %d",
			     KTPUT_MAX_STREAMS);
	else if (port + streams > PORTS)
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
	struct netns_visit visit;
	int ret;

	*sink = (struct xdp_run){
		.link = -1,
		.socket = -1,
		.timer = -1,
		.device = config->number[KTPUT_A_CONFIG_DEV],
		.local = config->local,
		.run = {
			.role = KTPUT_ROLE_SINK,
			.state = KTPUT_STATE_RUNNING,
			.streams = config_has(config, KTPUT_A_CONFIG_STREAMS) ?
				   config->number[KTPUT_A_CONFIG_STREAMS] : 1,
			.local_port = config->number[KTPUT_A_CONFIG_LOCAL_PORT],
		},
	};
	address_set_port(&sink->local, sink->run.local_port);
	if (check(config, sink, err) || load_program(sink, config, detail, err) ||
	    netns_enter(&visit, netns, err))
		return -1;
	ret = attach_there(sink, err);
	netns_leave(&visit);
	if (ret)
		return -1;
	sink->run.begun_ns = monotonic_ns();
	if (!config_has(config, KTPUT_A_CONFIG_TIME))
		return 0;
	return arm(sink, config->number[KTPUT_A_CONFIG_TIME], err);
}

/* Look whether the run has to end. */
static void look(struct xdp_run *sink)
{
	enum ktput_reason reason;
	uint64_t expirations;

	if (sink->run.state == KTPUT_STATE_ENDED)
		return;
	reason = device_reason(sink);
	if (reason != KTPUT_REASON_NONE)
		end_run(sink, reason);
	else if (sink->timer >= 0 &&
		 read(sink->timer, &expirations, sizeof(expirations)) > 0)
		end_run(sink, KTPUT_REASON_TIME);
}

/* Keep the CPUs that are online, or have received frames before. */
static int keep_cpus(struct client_snapshot *of, struct units_error *err)
{
	uint64_t idle_ns[UNITS_CPU_MAX];
	struct units_cpus online;
	size_t kept = 0;

	if (cpus_online(&online, err) ||
	    cpus_idle(idle_ns, UNITS_CPU_MAX, err))
		return -1;
	for (size_t i = 0; i < of->cpu_count && i < UNITS_CPU_MAX; i++) {
		const struct client_counters counters = of->cpus[i].counters;

		if (!units_cpus_has(&online, i) && !counters.messages)
			continue;
		of->cpus[kept++] = (struct client_cpu){
			.id = i,
			.time_ns = of->run.now_ns,
			.cycles = of->run.now_ns,
			.idle_ns = idle_ns[i],
			.idle_known = idle_ns[i] != CPUS_IDLE_UNKNOWN,
			.counters = counters,
		};
	}
	of->cpu_count = kept;
	return 0;
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	struct xdp_run *sink = &end->xdp;
	int ret;

	(void)parts;
	*to = (struct client_snapshot){ .run = sink->run };
	ret = read_counters(sink, to);
	if (ret) {
		units_refuse(err, "counters of the XDP program: %s", strerror(-ret));
	} else {
		sink->run.now_ns = to->run.now_ns;
		ret = keep_cpus(to, err);
	}
	if (!ret)
		return 0;
	client_snapshot_free(to);
	return -1;
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
	/* The program is the first to be opened and the last to be closed. */
	if (!sink->program)
		return;
	if (sink->timer >= 0)
		close(sink->timer);
	detach(sink);
	if (sink->socket >= 0)
		close(sink->socket);
	xdp_sink__destroy(sink->program);
	sink->program = NULL;
	sink->socket = -1;
	sink->timer = -1;
}

static bool get_clock(struct session_end *end, struct backend_clock *clock)
{
	(void)end;
	snprintf(clock->name, sizeof(clock->name), "CLOCK_MONOTONIC");
	clock->hz = UNITS_NSEC_PER_SEC;
	return true;
}

static const char *mode_of(const struct session_end *end)
{
	return end->xdp.native ? "native" : "generic";
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "XDP %s", mode_of(end));
}

static void record(const struct session_end *end, struct output *out)
{
	output_data_string(out, "xdp_mode", mode_of(end));
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
