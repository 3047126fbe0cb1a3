/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device_counters: counters of a device and its queueing discipline.
 */
#ifndef KTPUT_TOOLS_DEVICE_COUNTERS_H
#define KTPUT_TOOLS_DEVICE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/units.h"

/**
 * struct device_counters - counters of a device, for all traffic on it
 * @known: they could be read
 * @loopback: sent packets are received at once: packets of @received_drops that
 *	the CPU's backlog refused are not in @sent_packets either
 * @filtered: it has filters of tc(8) at its ingress (ingress or clsact), which may
 *	redirect packets to a queue elsewhere
 * @sent_packets: packets sent
 * @sent_drops: dropped by the device before sending, or due to an error
 * @received_packets: packets received
 * @received_drops: dropped by the device after reception, missed, or dropped due
 *	to an error
 * @queue_drops: dropped by the queueing discipline
 * @queue_overlimits: times that the queueing discipline delayed packets to hold a
 *	rate
 * @ingress_drops: dropped by tc(8) filters at the device's ingress, or at its
 *	egress with clsact
 * @backlog_drops: dropped by the backlogs of all CPUs, for packets of any device
 * @sent_bytes: bytes of @sent_packets, as the driver counts them
 * @received_bytes: bytes of @received_packets, likewise
 */
struct device_counters {
	bool known;
	bool loopback;
	bool filtered;
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
