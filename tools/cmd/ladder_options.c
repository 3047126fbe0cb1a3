// SPDX-License-Identifier: GPL-2.0
/* ladder_options: keywords of "ladder". */
#include "ladder.h"
#include "ladder_options.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

const struct ladder_options ladder_options_defaults = {
	.message = "128K",
	.datagram_bytes = 1448,
	.time_ns = UNITS_NSEC_PER_SEC,
	.rounds = 10,
	.ci_percent = 5,
	.limit_ns = 240 * UNITS_NSEC_PER_SEC,
};

#define FIELD(name)	.target = offsetof(struct ladder_options, name)

static const struct options_entry entries[] = {
	{
		.keyword = "tcp", .parse = options_set, FIELD(transport),
		.value = LADDER_TCP_ONLY,
		.help = "TCP alone",
		.otherwise = "TCP and UDP",
	}, {
		.keyword = "udp", .parse = options_set, FIELD(transport),
		.value = LADDER_UDP_ONLY, .help = "UDP alone",
	}, {
		.keyword = "remote", .argument = "HOST", .parse = options_word,
		FIELD(remote),
		.help = "have the sinks on another host, by ssh",
		.otherwise = "on this one",
	}, {
		.keyword = "reverse", .parse = options_set, .value = 1,
		FIELD(reverse),
		.help = "have the sources on the other host, and the sinks here",
	}, {
		.keyword = "to", .argument = "ADDRESS", .parse = options_word,
		FIELD(to),
		.help = "address of the sink, which is on this host",
		.otherwise = "127.0.0.1",
	}, {
		.keyword = "from", .argument = "ADDRESS",
		.parse = options_word, FIELD(from),
		.help = "address to send from",
		.otherwise = "the route's",
	}, {
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		FIELD(netns), .help = "network namespace of the source",
	}, {
		.keyword = "sink-netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES,
		.parse = options_word, FIELD(sink_netns),
		.help = "network namespace of the sink",
	}, {
		.keyword = "dev", .argument = "DEVICE",
		.values = OPTIONS_DEVICES, .parse = options_word,
		FIELD(device), .help = "device of the source",
	}, {
		.keyword = "sink-dev", .argument = "DEVICE",
		.values = OPTIONS_DEVICES,
		.parse = options_word, FIELD(sink_device),
		.help = "device of the sink",
	}, {
		.keyword = "cpus", .argument = "LIST",
		.values = OPTIONS_CPUS, .parse = options_word,
		FIELD(cpus),
		.help = "CPUs of the source",
		.otherwise = "the lower half",
	}, {
		.keyword = "sink-cpus", .argument = "LIST",
		.values = OPTIONS_CPUS,
		.parse = options_word, FIELD(sink_cpus),
		.help = "CPUs of the sink",
		.otherwise = "the others",
	}, {
		.keyword = "message", .argument = "SIZE",
		.parse = options_word, FIELD(message),
		.help = "bytes of a call with TCP",
		.otherwise = "128K",
	}, {
		.keyword = "datagram", .argument = "SIZE",
		.parse = options_size, FIELD(datagram_bytes), .min = 18,
		.max = 65507,
		.help = "payload of a datagram",
		.otherwise = "1448",
	}, {
		.keyword = "rate", .argument = "RATE", .parse = options_rate,
		FIELD(rate),
		.help = "packets that all UDP rungs send (1mpps), or bits",
		.otherwise = "half of what user space can",
	}, {
		.keyword = "time", .argument = "TIME", .parse = options_time,
		FIELD(time_ns), .min = 10000000, .max = UINT64_MAX,
		.help = "of each run",
		.otherwise = "1s",
	}, {
		.keyword = "rounds", .argument = "N", .parse = options_count,
		FIELD(rounds), .min = LADDER_ROUNDS_MIN,
		.max = LADDER_ROUNDS_MAX,
		.help = "rounds at most",
		.otherwise = "10",
	}, {
		.keyword = "until ci", .argument = "PERCENT",
		.parse = options_percent, FIELD(ci_percent),
		.help = "end when the 95% confidence interval of each rung's "
			"cost is within +-PERCENT",
		.otherwise = "5%",
	}, {
		.keyword = "limit", .argument = "TIME", .parse = options_time,
		FIELD(limit_ns), .min = 1, .max = UINT64_MAX,
		.help = "begin no round that would not end by then",
		.otherwise = "240s",
	}, {
		.keyword = "iperf3", .parse = options_set, .value = 1,
		FIELD(iperf),
		.help = "have a rung of iperf3 too, with TCP; 'time' is whole "
			"seconds then",
	}, {
		.keyword = "io_uring", .parse = options_set, .value = 1,
		FIELD(uring),
		.help = "have a rung of io_uring too, with TCP from user space "
			"to user space",
	}, {
		.keyword = "latency", .parse = options_set, .value = 1,
		FIELD(latency),
		.help = "measure round trips too, of the rungs that have a "
			"ping-pong of their kind",
	}, {
		.keyword = "profile", .parse = options_set, .value = 1,
		FIELD(profile),
		.help = "make each run a second time, sampled, and set costs "
			"by both methods side by side",
	}, {
		.keyword = "record", .argument = "FILE",
		.values = OPTIONS_FILES, .parse = options_word,
		FIELD(record), .help = "add the record of each run to FILE, "
			"and the ladder behind them",
	}, {
		.keyword = "replace", .parse = options_set, .value = 1,
		FIELD(replace),
		.help = "with record: instead of what is in FILE",
	},
};

const struct options_table ladder_options_table = {
	.entry = entries, .count = COUNT(entries),
};

/**
 * ladder_options_check() - refuse combinations
 * @context: what was given
 * @data: struct ladder_options
 * @err: why they are refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int ladder_options_check(const struct command_context *context,
			 const void *data, struct units_error *err)
{
	const struct ladder_options *options = data;

	(void)context;
	if (options->replace && !options->record) {
		units_refuse(err, "'replace' needs 'record'");
		return -1;
	}
	if (!options->remote) {
		if (!options->reverse)
			return 0;
		units_refuse(err, "'reverse' needs 'remote'");
		return -1;
	}
	if (options->reverse && !options->from) {
		units_refuse(err, "'reverse' needs 'from', an address of this host");
		return -1;
	}
	if (options->remote[0] == '-') {
		units_refuse(err, "remote: '%s' is no host", options->remote);
		return -1;
	}
	if (!options->profile && !options->latency && !options->iperf)
		return 0;
	units_refuse(err, "'%s' is for ends on one host, not for 'remote'",
		     options->profile ? "profile" :
		     options->latency ? "latency" : "iperf3");
	return -1;
}
