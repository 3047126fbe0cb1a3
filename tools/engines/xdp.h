/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xdp: the XDP sink, a BPF program attached to a device.
 *
 * It is attached by a link owned by this process, so it is detached whenever the
 * process ends. It never replaces another program. The program does not use the
 * kernel's types, so BTF is not required.
 */
#ifndef KTPUT_TOOLS_XDP_H
#define KTPUT_TOOLS_XDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/units.h"
#include "../host/address.h"
#include "../module/client.h"

struct xdp_sink;

/**
 * enum xdp_mode - where the kernel runs the program
 * @XDP_MODE_ANY: in the driver, or above it if that is not possible
 * @XDP_MODE_NATIVE: in the driver, before there is an sk_buff
 * @XDP_MODE_GENERIC: above the driver and GRO, with an sk_buff; a packet merged by
 *	GRO counts as one
 */
enum xdp_mode {
	XDP_MODE_ANY,
	XDP_MODE_NATIVE,
	XDP_MODE_GENERIC,
};

/**
 * struct xdp_config - configuration of the sink
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @device: index of the device there
 * @mode: where the kernel is to run the program
 * @local: destination address of datagrams, any of both families if AF_UNSPEC,
 *	and the port of the first stream
 * @streams: number of streams, on consecutive ports
 * @cookie: first bytes of the datagrams
 * @detail: pass messages of libbpf to stderr
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
 * @link: the BPF link, -1 if not attached
 * @socket: socket in the network namespace of the device, -1 for none
 * @device: index of the device
 * @streams: number of streams
 * @mode: where the kernel runs it, native or generic
 * @native_error: errno of a failed attempt at native mode, else 0
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
 * struct xdp_cpu - what a CPU has received
 * @frames: frames of the run
 * @bytes: their UDP payload
 */
struct xdp_cpu {
	uint64_t frames;
	uint64_t bytes;
};

/**
 * struct xdp_stream - what has arrived for a stream, on all CPUs
 * @datagrams: datagrams, including duplicates
 * @bytes: their payload
 * @lost: sequence numbers up to the highest received, less @datagrams; a
 *	duplicate hides a loss
 * @reordered: arrived after the same or a higher number on the same CPU
 * @foreign: datagrams to its port without the cookie, which were passed on
 * @first_ns: CLOCK_MONOTONIC when the first arrived, 0 before
 * @last_ns: CLOCK_MONOTONIC when the latest arrived, 0 before
 * @cpu: CPU where most arrived
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
 * @cpu_count: possible CPUs, numbered from 0
 * @cpus: array of @cpu_count
 * @stream_count: number of streams
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

/*
 * xdp_run: an XDP sink with the interface of a run of the module.
 *
 * It is a BPF program of this process (struct xdp): it needs no module and
 * ends with the process. Its clock is CLOCK_MONOTONIC: the cycles of a snapshot are
 * nanoseconds of that clock.
 */
/* Name of the clock in records. */
#define XDP_RUN_CLOCK	"CLOCK_MONOTONIC"

/**
 * struct xdp_run - an XDP sink
 * @xdp: the program
 * @local: address and first port of the datagrams
 * @run: its state
 * @timer: timerfd that fires when its time is over, -1 for none
 */
struct xdp_run {
	struct xdp xdp;
	struct address local;
	struct client_run run;
	int timer;
};

bool xdp_run_wanted(const struct config *config);

#endif
