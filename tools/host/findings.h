/* SPDX-License-Identifier: GPL-2.0 */
/*
 * findings: check whether a host is ready for a measurement.
 *
 * A table has one row per check: its name, its function, why it matters and the
 * command that fixes it. A single loop calls the functions. They read procfs and
 * sysfs below a root, which tests can replace. Netlink data is gathered beforehand
 * by findings_link.c, so tests can provide it as well.
 */
#ifndef KTPUT_HOST_FINDINGS_H
#define KTPUT_HOST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "route.h"

/* Round-trip time for checking buffers if the actual one is unknown. */
#define DOCTOR_RTT_NS	1000000
/* Time for which the use of CPUs is observed. */
#define DOCTOR_WATCH_MS	250

/**
 * enum doctor_state - result of a check
 * @DOCTOR_SILENT: it does not apply, or is unknown
 * @DOCTOR_GOOD: nothing to fix
 * @DOCTOR_NOTE: results are correct, but depend on it
 * @DOCTOR_BAD: it would spoil a measurement
 */
enum doctor_state {
	DOCTOR_SILENT,
	DOCTOR_GOOD,
	DOCTOR_NOTE,
	DOCTOR_BAD,
};

/* Offloads to check, one bit each. */
#define DOCTOR_RX_CHECKSUM	0x1
#define DOCTOR_TX_CHECKSUM	0x2
#define DOCTOR_TSO		0x4
#define DOCTOR_GSO		0x8
#define DOCTOR_GRO		0x10

/**
 * struct doctor_link - netlink data of a device and of the path
 * @device: the device; index 0 for none
 * @rate_bps: bit/s of its link, 0 if unknown
 * @qdisc: its queueing discipline
 * @rx_ring: entries of a receive ring, 0 if unknown
 * @rx_ring_max: maximum of @rx_ring
 * @queues: receive channels, 0 if unknown
 * @coalescing: @rx_usecs and @rx_adaptive are known
 * @rx_usecs: delay of an interrupt in microseconds
 * @rx_adaptive: the driver adapts that delay
 * @can: offloads that the device supports
 * @does: offloads that are on
 * @stamps: it has a clock for hardware time stamps
 * @routed: @route and the following members are known
 * @route: the route to the address
 * @rtt_ns: round-trip time to it, 0 if unknown
 * @path_mtu_bytes: MTU of the path, 0 if unknown
 * @hooks: number of base chains of nf_tables, if @hooks_known
 * @hooks_known: they could be counted
 */
struct doctor_link {
	struct device device;
	uint64_t rate_bps;
	char qdisc[DEVICE_NAME_MAX];
	uint32_t rx_ring;
	uint32_t rx_ring_max;
	uint32_t queues;
	bool coalescing;
	uint32_t rx_usecs;
	bool rx_adaptive;
	unsigned int can;
	unsigned int does;
	bool stamps;
	bool routed;
	struct route route;
	uint64_t rtt_ns;
	uint32_t path_mtu_bytes;
	unsigned int hooks;
	bool hooks_known;
};

/**
 * struct doctor_use - use of CPUs, in ticks since boot
 * @busy: neither idle nor stolen
 * @idle: idle
 * @steal: stolen by the hypervisor
 */
struct doctor_use {
	uint64_t busy;
	uint64_t idle;
	uint64_t steal;
};

/**
 * struct doctor - a host to check
 * @root: prefix of the paths of procfs, sysfs and modules, "" for this host
 * @release: release of the kernel
 * @link: netlink data
 * @use: use of all CPUs at the begin and the end of an interval
 */
struct doctor {
	const char *root;
	const char *release;
	struct doctor_link link;
	struct doctor_use use[2];
};

/**
 * struct doctor_finding - result of a check
 * @figure: the figure
 * @value: replacement for {value} in the remedy
 */
struct doctor_finding {
	char figure[200];
	char value[64];
};

struct doctor_row;

/**
 * typedef doctor_check - run a check
 * @doctor: the host
 * @finding: filled in unless the check is silent
 *
 * Return: the state.
 */
typedef enum doctor_state (*doctor_check)(const struct doctor *doctor,
					  struct doctor_finding *finding);

/**
 * struct doctor_row - a check
 * @name: its name
 * @check: its function
 * @why: why it matters
 * @remedy: the command that fixes it; {dev} and {value} are replaced
 * @cheap: it takes microseconds, so it can run at each start
 */
struct doctor_row {
	const char *name;
	doctor_check check;
	const char *why;
	const char *remedy;
	bool cheap;
};

/**
 * struct doctor_remedy - a command
 * @text: the command
 */
struct doctor_remedy {
	char text[256];
};

extern const struct doctor_row doctor_rows[];
extern const size_t doctor_row_count;

const char *doctor_state_name(enum doctor_state state);
struct doctor_remedy doctor_mend(const struct doctor *doctor,
				 const struct doctor_row *row,
				 const struct doctor_finding *finding);
int doctor_read_use(const char *root, struct doctor_use *use);
void doctor_ask(const char *netns, uint32_t device, const struct address *to,
		struct doctor_link *link);

/* The checks: each is a function doctor_NAME(). */
#define DOCTOR_EACH(X)							\
	X(headers) X(module) X(signature) X(privileges) X(clock)	\
	X(steal) X(load) X(governor) X(idle) X(smt) X(isolated)		\
	X(tcp_memory) X(tcp_buffers) X(socket_buffers) X(timestamps)	\
	X(firewall) X(tracking) X(mtu) X(qdisc) X(offloads) X(rings)	\
	X(coalescing) X(rss) X(interrupts) X(bus) X(iommu) X(stamps)

#define DOCTOR_CHECK(name)						\
	enum doctor_state doctor_##name(const struct doctor *doctor,	\
					struct doctor_finding *finding)
#define DOCTOR_DECLARE(name)	DOCTOR_CHECK(name);
DOCTOR_EACH(DOCTOR_DECLARE)

/* Helpers of the checks. */
#define DOCTOR_SAY(finding, ...) \
	snprintf((finding)->figure, sizeof((finding)->figure), __VA_ARGS__)

char *doctor_read(const struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int doctor_list(const struct doctor *doctor, const char *path,
		struct units_cpus *cpus);

#endif
