// SPDX-License-Identifier: GPL-2.0
/* xdp: the XDP sink, a BPF program attached to a device. */
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
#include <time.h>
#include <unistd.h>

#include "../host/bpf_messages.h"
#include "../bpf/xdp_sink.h"
#include "../host/netns.h"
#include "xdp.h"
#include "xdp_sink.skel.h"
#include "../base/clocks.h"
#include "../host/cpus.h"
#include "end.h"

static void configure(struct xdp_sink *program,
		      const struct xdp_config *config)
{
	struct xdp_sink__rodata *constants = program->rodata;

	constants->cookie = config->cookie;
	constants->streams = config->streams;
	constants->first_port = address_port(&config->local);
	if (address_family(&config->local) == AF_UNSPEC ||
	    address_is_any(&config->local))
		return;
	constants->ip_version = address_ip_version(&config->local);
	memcpy(constants->address, address_bytes(&config->local),
	       address_length(&config->local));
}

static int load_program(struct xdp *xdp, const struct xdp_config *config,
			struct units_error *err)
{
	int ret = 0;

	/* libbpf raises RLIMIT_MEMLOCK on kernels that require it. */
	bpf_messages_set(config->detail);
	xdp->program = xdp_sink__open();
	if (!xdp->program)
		return units_refuse(err, "the XDP program cannot be opened: %s",
				    strerror(errno));
	configure(xdp->program, config);
	ret = bpf_map__set_max_entries(xdp->program->maps.streams_map,
				       config->streams);
	if (!ret)
		ret = xdp_sink__load(xdp->program);
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
static int attach_as(struct xdp *xdp, enum xdp_mode mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = mode == XDP_MODE_NATIVE ? XDP_FLAGS_DRV_MODE :
						       XDP_FLAGS_SKB_MODE);
	int link;

	link = bpf_link_create(bpf_program__fd(xdp->program->progs.xdp_sink),
			       xdp->device, BPF_XDP, &opts);
	if (link < 0)
		return link;
	xdp->link = link;
	xdp->mode = mode;
	return 0;
}

/* A link never replaces a program or another link. */
static bool occupied(int ret)
{
	return ret == -EBUSY || ret == -EEXIST;
}

static int attach(struct xdp *xdp, enum xdp_mode mode)
{
	int ret = 0;

	if (mode != XDP_MODE_GENERIC) {
		ret = attach_as(xdp, XDP_MODE_NATIVE);
		if (!ret || occupied(ret) || mode == XDP_MODE_NATIVE)
			return ret;
		xdp->native_error = -ret;
	}
	return attach_as(xdp, XDP_MODE_GENERIC);
}

/* In the network namespace of the device, where its index is valid. */
static int attach_there(struct xdp *xdp, enum xdp_mode mode,
			struct units_error *err)
{
	char name[IF_NAMESIZE];
	int ret;

	xdp->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (xdp->socket < 0)
		return units_refuse(err, "socket: %s", strerror(errno));
	if (!if_indextoname(xdp->device, name))
		return units_refuse(err,
				    "refused: device: none with the index %u in "
				    "this network namespace", xdp->device);
	ret = attach(xdp, mode);
	if (!ret)
		return 0;
	if (occupied(ret))
		units_refuse(err, "refused: device '%s', or one on top of it, "
			     "already has an XDP program", name);
	else if (ret == -EOPNOTSUPP && mode == XDP_MODE_NATIVE)
		units_refuse(err, "refused: device '%s': its driver has no "
			     "native XDP, or not as the device is set up",
			     name);
	else
		units_refuse(err, "refused: device '%s': no XDP in %s mode: %s",
			     name, xdp_mode_name(mode == XDP_MODE_NATIVE ?
						 mode : XDP_MODE_GENERIC),
			     strerror(-ret));
	return -1;
}

/**
 * xdp_open() - start receiving a run's datagrams
 * @xdp: filled in; release with xdp_close(), even after an error
 * @config: which datagrams to receive
 * @err: why it is refused
 */
int xdp_open(struct xdp *xdp, const struct xdp_config *config,
	     struct units_error *err)
{
	struct netns_visit visit;
	int ret;

	*xdp = (struct xdp){
		.link = -1,
		.socket = -1,
		.device = config->device,
		.streams = config->streams,
	};
	if (load_program(xdp, config, err) ||
	    netns_enter(&visit, config->netns, err))
		return -1;
	ret = attach_there(xdp, config->mode, err);
	netns_leave(&visit);
	return ret;
}

/* Merge the counters of all CPUs for a stream; some CPUs may have none. */
static void merge(const struct xdp_sink_stream *cpus,
		  struct xdp_snapshot *snapshot, struct xdp_stream *stream)
{
	uint32_t next = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < snapshot->cpu_count; i++) {
		const struct xdp_sink_stream *cpu = &cpus[i];

		stream->foreign += cpu->foreign;
		if (!cpu->datagrams)
			continue;
		if (!stream->datagrams || (int32_t)(cpu->next - next) > 0)
			next = cpu->next;
		if (!stream->datagrams || cpu->first_ns < stream->first_ns)
			stream->first_ns = cpu->first_ns;
		if (cpu->last_ns > stream->last_ns)
			stream->last_ns = cpu->last_ns;
		if (cpu->datagrams > most) {
			most = cpu->datagrams;
			stream->cpu = i;
		}
		snapshot->cpus[i].frames += cpu->datagrams;
		snapshot->cpus[i].bytes += cpu->bytes;
		stream->datagrams += cpu->datagrams;
		stream->bytes += cpu->bytes;
		stream->reordered += cpu->behind;
	}
	next -= (uint32_t)stream->datagrams;
	if ((int32_t)next > 0)
		stream->lost = next;
}

static int read_streams(const struct xdp *xdp, struct xdp_snapshot *snapshot)
{
	size_t size = snapshot->cpu_count * sizeof(struct xdp_sink_stream);
	struct xdp_sink_stream *values = malloc(size);
	int ret = values ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < xdp->streams && !ret; i++) {
		ret = bpf_map__lookup_elem(xdp->program->maps.streams_map,
					   &i, sizeof(i), values, size, 0);
		if (!ret)
			merge(values, snapshot, &snapshot->streams[i]);
	}
	free(values);
	return ret;
}

static int allocate(const struct xdp *xdp, struct xdp_snapshot *snapshot)
{
	int cpus = libbpf_num_possible_cpus();

	memset(snapshot, 0, sizeof(*snapshot));
	if (cpus < 0)
		return cpus;
	snapshot->cpu_count = cpus;
	snapshot->stream_count = xdp->streams;
	snapshot->cpus = calloc(cpus, sizeof(*snapshot->cpus));
	snapshot->streams = calloc(xdp->streams, sizeof(*snapshot->streams));
	return snapshot->cpus && snapshot->streams ? 0 : -ENOMEM;
}

/**
 * xdp_read() - read the counters
 * @xdp: sink
 * @snapshot: filled in; release with xdp_snapshot_free()
 * @err: why they cannot be read
 *
 * CPUs count on meanwhile: frames and bytes of one may differ by a frame. The
 * counters of CPUs and of streams come from the same reading.
 */
int xdp_read(const struct xdp *xdp, struct xdp_snapshot *snapshot,
	     struct units_error *err)
{
	struct timespec now;
	int ret;

	ret = allocate(xdp, snapshot);
	clock_gettime(CLOCK_MONOTONIC, &now);
	snapshot->time_ns = now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
	if (!ret)
		ret = read_streams(xdp, snapshot);
	if (!ret)
		return 0;
	units_refuse(err, "counters of the XDP program: %s", strerror(-ret));
	xdp_snapshot_free(snapshot);
	return -1;
}

static bool is_up(const struct xdp *xdp)
{
	struct ifreq request = { .ifr_ifindex = (int)xdp->device };

	return !ioctl(xdp->socket, SIOCGIFNAME, &request) &&
	       !ioctl(xdp->socket, SIOCGIFFLAGS, &request) &&
	       request.ifr_flags & IFF_UP;
}

/*
 * The index may belong to another device by now, so check the link first. The query
 * waits for RTNL, and thus for a removal or a move of the device under way.
 */
static bool is_there(const struct xdp *xdp)
{
	struct ifreq request = { .ifr_ifindex = (int)xdp->device };
	struct bpf_link_info info = { 0 };
	uint32_t size = sizeof(info);

	return !bpf_obj_get_info_by_fd(xdp->link, &info, &size) &&
	       info.xdp.ifindex == xdp->device &&
	       !ioctl(xdp->socket, SIOCGIFNAME, &request);
}

/**
 * xdp_device_reason() - whether datagrams can still arrive
 * @xdp: sink that is attached
 *
 * Return: KTPUT_REASON_NONE, or what happened to the device.
 */
int xdp_device_reason(const struct xdp *xdp)
{
	/* A device is taken down before it is removed or moved. */
	const bool up = is_up(xdp);

	if (!is_there(xdp))
		return KTPUT_REASON_DEVICE_REMOVED;
	return up ? KTPUT_REASON_NONE : KTPUT_REASON_DEVICE_DOWN;
}

/**
 * xdp_mode_name() - name of a mode
 * @mode: native or generic
 *
 * Return: the name.
 */
const char *xdp_mode_name(enum xdp_mode mode)
{
	return mode == XDP_MODE_NATIVE ? "native" : "generic";
}

/**
 * xdp_snapshot_free() - free a snapshot
 * @snapshot: snapshot, or all zero
 */
void xdp_snapshot_free(struct xdp_snapshot *snapshot)
{
	free(snapshot->cpus);
	free(snapshot->streams);
	memset(snapshot, 0, sizeof(*snapshot));
}

/**
 * xdp_detach() - stop receiving frames
 * @xdp: sink; its counters do not change any more
 */
void xdp_detach(struct xdp *xdp)
{
	if (xdp->link >= 0)
		close(xdp->link);
	xdp->link = -1;
}

/**
 * xdp_close() - detach a sink and free it
 * @xdp: set up by xdp_open(), or all zero
 */
void xdp_close(struct xdp *xdp)
{
	/* The program is the first to be opened and the last to be closed. */
	if (!xdp->program)
		return;
	xdp_detach(xdp);
	if (xdp->socket >= 0)
		close(xdp->socket);
	xdp_sink__destroy(xdp->program);
	xdp->program = NULL;
	xdp->socket = -1;
}

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
