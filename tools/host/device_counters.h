/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device_counters: what a device and its queueing discipline count themselves.
 */
#ifndef KTPUT_TOOLS_DEVICE_COUNTERS_H
#define KTPUT_TOOLS_DEVICE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/units.h"

/**
 * struct device_counters - counters of a device, of all traffic on it
 * @known: they could be read
 * @loopback: what is sent is received there and then: those of @received_drops
 *	that the CPU's backlog refused are not in @sent_packets either
 * @sent_packets: packets that were sent
 * @sent_drops: dropped by the device before they were sent, or by an error
 * @received_packets: packets that were received
 * @received_drops: dropped by the device after it received them, missed, or
 *	dropped by an error
 * @queue_drops: dropped by the queueing discipline
 * @queue_overlimits: times that the queueing discipline kept packets back to hold a
 *	rate
 * @ingress_drops: dropped by filters of tc(8) at the device's ingress, or at
 *	its egress where these are of clsact
 * @backlog_drops: dropped by the backlogs of all CPUs, of packets of any device
 * @sent_bytes: bytes of @sent_packets, as the driver counts them
 * @received_bytes: bytes of @received_packets, likewise
 */
struct device_counters {
	bool known;
	bool loopback;
	uint64_t sent_packets;
	uint64_t sent_drops;
	uint64_t received_packets;
	uint64_t received_drops;
	uint64_t queue_drops;
	uint64_t queue_overlimits;
	uint64_t ingress_drops;
	uint64_t backlog_drops;
	uint64_t sent_bytes;
	uint64_t received_bytes;
};

void device_counters_read(const char *netns, uint32_t device,
			  struct device_counters *counters);
struct device_counters
device_counters_difference(const struct device_counters *later,
			   const struct device_counters *earlier);

#endif
