/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_options: keywords of "ladder".
 */
#ifndef KTPUT_CTL_LADDER_OPTIONS_H
#define KTPUT_CTL_LADDER_OPTIONS_H

#include "../base/command.h"
#include "../base/units.h"

/**
 * enum ladder_transport - which rungs there are
 * @LADDER_BOTH: those of TCP and of UDP
 * @LADDER_TCP_ONLY: those of TCP
 * @LADDER_UDP_ONLY: those of UDP
 */
enum ladder_transport {
	LADDER_BOTH,
	LADDER_TCP_ONLY,
	LADDER_UDP_ONLY,
};

/**
 * struct ladder_options - what the words of "ladder" say
 * @transport: of enum ladder_transport
 * @remote: the other host as ssh takes it, or NULL
 * @reverse: 1 to send from there to here
 * @to: address of the sink, or NULL; with @remote of the other host
 * @from: address to send from, or NULL; with @remote of this host
 * @device: device of the source, or NULL
 * @sink_device: device of the sink, or NULL
 * @netns: network namespace of the source, or NULL
 * @sink_netns: network namespace of the sink, or NULL
 * @cpus: CPUs of the source, or NULL
 * @sink_cpus: CPUs of the sink, or NULL
 * @message: bytes of a call with TCP
 * @datagram_bytes: payload of a datagram
 * @rate: of all UDP rungs
 * @time_ns: of each run
 * @rounds: rounds at most
 * @ci_percent: half width of the intervals over their mean at which to stop
 * @limit_ns: no round begins that would not end by then
 * @iperf: 1 to have a rung of iperf3
 * @uring: 1 to have a rung of io_uring
 * @latency: 1 to measure round trips too
 * @profile: 1 to make each run a second time, sampled
 * @record: file that the records go to, or NULL
 * @replace: 1 where they take the place of what is in that file, else 0
 */
struct ladder_options {
	unsigned int transport;
	const char *remote;
	unsigned int reverse;
	const char *to;
	const char *from;
	const char *device;
	const char *sink_device;
	const char *netns;
	const char *sink_netns;
	const char *cpus;
	const char *sink_cpus;
	const char *message;
	uint64_t datagram_bytes;
	struct units_rate rate;
	uint64_t time_ns;
	uint64_t rounds;
	double ci_percent;
	uint64_t limit_ns;
	unsigned int iperf;
	unsigned int uring;
	unsigned int latency;
	unsigned int profile;
	const char *record;
	unsigned int replace;
};

extern const struct ladder_options ladder_options_defaults;
extern const struct options_table ladder_options_table;

int ladder_options_check(const struct command_context *context,
			 const void *data, struct units_error *err);

#endif
