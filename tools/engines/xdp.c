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
#include <time.h>
#include <unistd.h>

#include "../host/bpf_messages.h"
#include "../bpf/xdp_sink.h"
#include "../host/netns.h"
#include "xdp.h"
#include "xdp_sink.skel.h"

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
