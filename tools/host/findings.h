/* SPDX-License-Identifier: GPL-2.0 */
/*
 * findings: whether a host is ready for a measurement.
 *
 * A table has a row for each thing to look at: what it is called, the function that
 * looks, why it matters and the command that mends it. One loop calls them. They
 * read procfs and sysfs below a root, which tests make, and what netlink tells,
 * which findings_link.c has gathered before, so that a test can give that as well.
 */
#ifndef KTPUT_HOST_FINDINGS_H
#define KTPUT_HOST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "route.h"

/* Round-trip time that buffers are judged by where it is not known. */
#define DOCTOR_RTT_NS	1000000
/* How long the use of CPUs is watched. */
#define DOCTOR_WATCH_MS	250

/**
 * enum doctor_state - what a check found
 * @DOCTOR_SILENT: it does not apply, or cannot be known
 * @DOCTOR_GOOD: as it should be
 * @DOCTOR_NOTE: results are right, and depend on it
 * @DOCTOR_BAD: it would spoil a measurement
 */
enum doctor_state {
	DOCTOR_SILENT,
	DOCTOR_GOOD,
	DOCTOR_NOTE,
	DOCTOR_BAD,
};

/* Offloads that are looked at, a bit each. */
#define DOCTOR_RX_CHECKSUM	0x1
#define DOCTOR_TX_CHECKSUM	0x2
#define DOCTOR_TSO		0x4
#define DOCTOR_GSO		0x8
#define DOCTOR_GRO		0x10

/**
 * struct doctor_link - what netlink tells of a device and of the way
 * @device: the device; index 0 where there is none
 * @rate_bps: bit/s of its link, 0 where not known
 * @qdisc: its queueing discipline
 * @rx_ring: entries of a receive ring, 0 where not known
 * @rx_ring_max: as many as it may have
 * @queues: channels that receive, 0 where not known
 * @coalescing: @rx_usecs and @rx_adaptive are known
 * @rx_usecs: microseconds that an interrupt waits
 * @rx_adaptive: the driver changes that by itself
 * @can: offloads that the device can do
 * @does: offloads that are on
 * @stamps: it has a clock for hardware time stamps
 * @routed: @route and what follows are known
 * @route: the way to the address
 * @rtt_ns: round-trip time to it, 0 where not known
 * @path_mtu_bytes: MTU of the path, 0 where not known
 * @hooks: base chains of nf_tables, where @hooks_known
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
 * struct doctor_use - how CPUs were used, in ticks since boot
 * @busy: all that is not idle, stolen time apart
 * @idle: idle
 * @steal: stolen by the hypervisor
 */
struct doctor_use {
	uint64_t busy;
	uint64_t idle;
	uint64_t steal;
};

/**
 * struct doctor - a host that is looked at
 * @root: what procfs, sysfs and modules are below, "" for this host
 * @release: release of the kernel
 * @link: what netlink tells
 * @use: of all CPUs, before and after some time
 */
struct doctor {
	const char *root;
	const char *release;
	struct doctor_link link;
	struct doctor_use use[2];
};

/**
 * struct doctor_finding - what a check has to say
 * @figure: the figure
 * @value: what the remedy has in the place of {value}
 */
struct doctor_finding {
	char figure[200];
	char value[64];
};

struct doctor_row;

/**
 * typedef doctor_check - look at one thing
 * @doctor: the host
 * @finding: filled in unless the check is silent
 *
 * Return: the state.
 */
typedef enum doctor_state (*doctor_check)(const struct doctor *doctor,
					  struct doctor_finding *finding);

/**
 * struct doctor_row - one thing to look at
 * @name: what it is called
 * @check: the function that looks
 * @why: why it matters
 * @remedy: the command that mends it; {dev} and {value} are replaced
 * @cheap: it takes microseconds, so that each start may look
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

/* The checks. */
enum doctor_state doctor_headers(const struct doctor *doctor,
				 struct doctor_finding *finding);
enum doctor_state doctor_module(const struct doctor *doctor,
				struct doctor_finding *finding);
enum doctor_state doctor_signature(const struct doctor *doctor,
				   struct doctor_finding *finding);
enum doctor_state doctor_privileges(const struct doctor *doctor,
				    struct doctor_finding *finding);
enum doctor_state doctor_clock(const struct doctor *doctor,
			       struct doctor_finding *finding);
enum doctor_state doctor_steal(const struct doctor *doctor,
			       struct doctor_finding *finding);
enum doctor_state doctor_load(const struct doctor *doctor,
			      struct doctor_finding *finding);
enum doctor_state doctor_governor(const struct doctor *doctor,
				  struct doctor_finding *finding);
enum doctor_state doctor_idle(const struct doctor *doctor,
			      struct doctor_finding *finding);
enum doctor_state doctor_smt(const struct doctor *doctor,
			     struct doctor_finding *finding);
enum doctor_state doctor_isolated(const struct doctor *doctor,
				  struct doctor_finding *finding);
enum doctor_state doctor_tcp_memory(const struct doctor *doctor,
				    struct doctor_finding *finding);
enum doctor_state doctor_tcp_buffers(const struct doctor *doctor,
				     struct doctor_finding *finding);
enum doctor_state doctor_socket_buffers(const struct doctor *doctor,
					struct doctor_finding *finding);
enum doctor_state doctor_timestamps(const struct doctor *doctor,
				    struct doctor_finding *finding);
enum doctor_state doctor_firewall(const struct doctor *doctor,
				  struct doctor_finding *finding);
enum doctor_state doctor_tracking(const struct doctor *doctor,
				  struct doctor_finding *finding);
enum doctor_state doctor_mtu(const struct doctor *doctor,
			     struct doctor_finding *finding);
enum doctor_state doctor_qdisc(const struct doctor *doctor,
			       struct doctor_finding *finding);
enum doctor_state doctor_offloads(const struct doctor *doctor,
				  struct doctor_finding *finding);
enum doctor_state doctor_rings(const struct doctor *doctor,
			       struct doctor_finding *finding);
enum doctor_state doctor_coalescing(const struct doctor *doctor,
				    struct doctor_finding *finding);
enum doctor_state doctor_rss(const struct doctor *doctor,
			     struct doctor_finding *finding);
enum doctor_state doctor_interrupts(const struct doctor *doctor,
				    struct doctor_finding *finding);
enum doctor_state doctor_bus(const struct doctor *doctor,
			     struct doctor_finding *finding);
enum doctor_state doctor_iommu(const struct doctor *doctor,
			       struct doctor_finding *finding);
enum doctor_state doctor_stamps(const struct doctor *doctor,
				struct doctor_finding *finding);

/* What the checks share. */
#define DOCTOR_SAY(finding, ...) \
	snprintf((finding)->figure, sizeof((finding)->figure), __VA_ARGS__)

char *doctor_read(const struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int doctor_list(const struct doctor *doctor, const char *path,
		struct units_cpus *cpus);

#endif
