/* SPDX-License-Identifier: GPL-2.0 */
/*
 * start_options: keywords of "start", and what they mean beside each other.
 */
#ifndef KTPUT_CTL_START_OPTIONS_H
#define KTPUT_CTL_START_OPTIONS_H

#include "../lib/ceiling_atm.h"
#include "../lib/ethernet.h"
#include "../lib/framesize.h"
#include "repeat.h"
#include "run_options.h"

/* Where it goes if nothing is said: this host, by loopback. */
#define START_OPTIONS_TO	"127.0.0.1"
/* An interval that no run ends within. */
#define START_OPTIONS_NO_INTERVAL	(INT64_MAX / 4)
/* The first of the ports that are free for all, RFC 6335 6. */
#define START_OPTIONS_FROM_PORT	49152

/**
 * struct start_options - what the words of "start" say
 * @run: what sources and sinks have in common
 * @to: address or name of the sink, or NULL
 * @from: address to send from, or NULL for the route's
 * @from_port: first port to send from
 * @alone: 1 to start no sink
 * @unchecked: 1 to send datagrams although nobody receives them
 * @sink_netns: network namespace of the sink, or NULL
 * @sink_device: name of the sink's device, or NULL
 * @layer: of enum ktput_layer, or one of config.h, where the source injects
 * @sink_layer: index into run_options_sink_layers
 * @size: bytes of a call, a datagram or a frame
 * @segments: datagrams of a call
 * @batch: calls of a system call
 * @rate: what all streams together send at most
 * @burst: frames that the driver gets at a time
 * @queues: transmit queues
 * @reuse: 1 to send one frame over and over
 * @mac: MAC address that frames go to
 * @from_mac: MAC address that frames come from
 * @vlan: tag control information of a tag
 * @vlan_inner: likewise, of a tag within it
 * @ports: ports that each stream sends to
 * @from_ports: ports that each stream sends from
 * @addresses: addresses that are sent to
 * @from_addresses: addresses that are sent from
 * @out: how the source gives payload
 * @send_buffer: SO_SNDBUF in bytes, before it is doubled
 * @no_delay: 1 for no Nagle algorithm
 * @pace_bps: bit/s that no stream exceeds
 * @tos: type of service or traffic class
 * @priority: priority of the sockets, or of the frames
 * @link: of enum ceiling_atm_kind, what the path is
 * @link_rate_bps: bit/s of the path
 * @sink_cpus: CPUs of the sink
 * @bytes: how much
 * @messages: how many messages
 * @warmup_ns: left out of the result
 * @drain_ns: time for what is under way at the end
 * @connect_ns: time to connect
 * @repeat: how often
 * @profile: 1 to sample what the CPUs do meanwhile
 *
 * Members without a default say nothing unless their keyword was given.
 */
struct start_options {
	struct run_options run;
	const char *to;
	const char *from;
	uint64_t from_port;
	unsigned int alone;
	unsigned int unchecked;
	const char *sink_netns;
	const char *sink_device;
	unsigned int layer;
	unsigned int sink_layer;
	struct framesize size;
	uint64_t segments;
	uint64_t batch;
	struct units_rate rate;
	uint64_t burst;
	struct units_cpus queues;
	unsigned int reuse;
	struct ethernet_mac mac;
	struct ethernet_mac from_mac;
	uint64_t vlan;
	uint64_t vlan_inner;
	uint64_t ports;
	uint64_t from_ports;
	uint64_t addresses;
	uint64_t from_addresses;
	unsigned int out;
	uint64_t send_buffer;
	unsigned int no_delay;
	uint64_t pace_bps;
	uint64_t tos;
	uint64_t priority;
	unsigned int link;
	uint64_t link_rate_bps;
	struct units_cpus sink_cpus;
	uint64_t bytes;
	uint64_t messages;
	uint64_t warmup_ns;
	uint64_t drain_ns;
	uint64_t connect_ns;
	struct repeat_options repeat;
	unsigned int profile;
};

extern const struct start_options start_options_defaults;
extern const struct options_table start_options_table;

/* Whether the words named a member of struct start_options. */
#define START_GIVEN(context, field)					\
	options_given((context)->options, (context)->given,		\
		      offsetof(struct start_options, field))

int start_options_method_out(unsigned int choice);
bool start_options_frames(const struct start_options *options);
int start_options_check(const struct command_context *context,
			const void *data, struct units_error *err);

#endif
