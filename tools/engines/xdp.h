/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xdp: the sink at the driver, a BPF program on a device.
 *
 * It is attached by a link of this process, so that it goes when the process
 * does, whatever ends that, and it never takes the place of another program.
 * The program has no use for the kernel's types, so BTF may be missing.
 */
#ifndef KTPUT_TOOLS_XDP_H
#define KTPUT_TOOLS_XDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../host/address.h"
#include "../base/units.h"

struct xdp_sink;

/**
 * enum xdp_mode - where the kernel calls the program
 * @XDP_MODE_ANY: in the driver, or where that is not possible, above it
 * @XDP_MODE_NATIVE: in the driver, before there is an sk_buff
 * @XDP_MODE_GENERIC: above the driver and GRO, with an sk_buff; a packet that
 *	GRO made of several counts as one
 */
enum xdp_mode {
	XDP_MODE_ANY,
	XDP_MODE_NATIVE,
	XDP_MODE_GENERIC,
};

/**
 * struct xdp_config - what the sink is to take
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device there
 * @mode: where the kernel is to call the program
 * @local: address that datagrams go to, any of both families if AF_UNSPEC,
 *	and the port of the first stream
 * @streams: how many, on consecutive ports
 * @cookie: what datagrams begin with
 * @detail: pass on to stderr what libbpf says
 */
struct xdp_config {
	const char *netns;
	uint32_t device;
	enum xdp_mode mode;
	struct address local;
	uint32_t streams;
	uint32_t cookie;
	bool detail;
};

/**
 * struct xdp - a sink on a device
 * @program: program and its maps
 * @link: what attaches it, -1 where nothing does
 * @socket: in the namespace of the device, -1 where there is none
 * @device: index of the device
 * @streams: how many
 * @mode: where the kernel calls it, native or generic
 * @native_error: errno of the native mode where that was tried in vain, else 0
 */
struct xdp {
	struct xdp_sink *program;
	int link;
	int socket;
	uint32_t device;
	uint32_t streams;
	enum xdp_mode mode;
	int native_error;
};

/**
 * struct xdp_cpu - what a CPU has taken
 * @frames: frames of the run
 * @bytes: their UDP payload
 */
struct xdp_cpu {
	uint64_t frames;
	uint64_t bytes;
};

/**
 * struct xdp_stream - what has arrived of a stream, on all CPUs
 * @datagrams: datagrams, duplicates among them
 * @bytes: their payload
 * @lost: sequence numbers up to the highest that has arrived, less @datagrams;
 *	a duplicate makes up for one
 * @reordered: arrived after the same or a higher number on the same CPU
 * @foreign: datagrams to its port without the cookie, which went on
 * @first_ns: CLOCK_MONOTONIC when the first came, 0 before
 * @last_ns: CLOCK_MONOTONIC when the latest came, 0 before
 * @cpu: where most have come
 */
struct xdp_stream {
	uint64_t datagrams;
	uint64_t bytes;
	uint64_t lost;
	uint64_t reordered;
	uint64_t foreign;
	uint64_t first_ns;
	uint64_t last_ns;
	uint32_t cpu;
};

/**
 * struct xdp_snapshot - counters of a sink
 * @time_ns: CLOCK_MONOTONIC before they were read
 * @cpu_count: CPUs that the kernel may ever have; their numbers are 0 to this
 * @cpus: array of @cpu_count
 * @stream_count: streams
 * @streams: array of @stream_count
 */
struct xdp_snapshot {
	uint64_t time_ns;
	size_t cpu_count;
	struct xdp_cpu *cpus;
	size_t stream_count;
	struct xdp_stream *streams;
};

int xdp_open(struct xdp *xdp, const struct xdp_config *config,
	     struct units_error *err);
int xdp_read(const struct xdp *xdp, struct xdp_snapshot *snapshot,
	     struct units_error *err);
int xdp_device_reason(const struct xdp *xdp);
const char *xdp_mode_name(enum xdp_mode mode);
void xdp_snapshot_free(struct xdp_snapshot *snapshot);
void xdp_detach(struct xdp *xdp);
void xdp_close(struct xdp *xdp);

#endif
