// SPDX-License-Identifier: GPL-2.0
/* start_options: keywords of "start". */
#include "start_options.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

const struct start_options start_options_defaults = {
	.run = {
		.time_ns = 10 * UNITS_NSEC_PER_SEC,
		.interval_ns = UNITS_NSEC_PER_SEC,
	},
	.ports = 1,
	.drain_ns = 10 * UNITS_NSEC_PER_SEC,
};

static const char *const outs[] = {
	"copy", "zerocopy", "direct", "sendfile", "io_uring", NULL
};

static const int methods_out[] = {
	KTPUT_METHOD_COPY, KTPUT_METHOD_PAGES, KTPUT_METHOD_DIRECT,
	CONFIG_METHOD_SENDFILE, CONFIG_METHOD_URING,
};

static const char *const layers[] = {
	[KTPUT_LAYER_SOCKET] = "socket",
	[KTPUT_LAYER_QUEUE] = "queue",
	[KTPUT_LAYER_DRIVER] = "driver",
	"user",
	"iperf3",
	"nuttcp",
	NULL
};

static int parse_layer(const char *word, const struct options_entry *entry,
		       void *target, struct units_error *err)
{
	unsigned int *layer = target;

	if (options_choice(word, entry, layer, err))
		return -1;
	if (*layer > KTPUT_LAYER_DRIVER)
		*layer += CONFIG_LAYER_USER - (KTPUT_LAYER_DRIVER + 1);
	return 0;
}

static int parse_framesize(const char *word, const struct options_entry *entry,
			   void *target, struct units_error *err)
{
	(void)entry;
	return framesize_parse(word, target, err);
}

static int parse_mac(const char *word, const struct options_entry *entry,
		     void *target, struct units_error *err)
{
	(void)entry;
	return ethernet_parse_mac(word, target, err);
}

static int parse_tag(const char *word, const struct options_entry *entry,
		     void *target, struct units_error *err)
{
	(void)entry;
	return ethernet_parse_tag(word, target, err);
}

static const char *const links[] = {
	[CEILING_ATM_NONE] = "ethernet",
	[CEILING_ATM_CLIP] = "atm",
	[CEILING_ATM_VC] = "atm-vc",
	[CEILING_ATM_LANE] = "atm-lane",
	NULL
};

#define START_OPTION(field)	.target = offsetof(struct start_options, field)

static const struct options_entry entries[] = {
	RUN_OPTION_TCP,
	RUN_OPTION_UDP,
	{
		.keyword = "to", .argument = "ADDRESS", .parse = options_word,
		START_OPTION(to),
		.help = "address or name of the sink; if it is on this host, "
			"the sink is started too (default " START_OPTIONS_TO ")",
	},
	RUN_OPTION_PORT(1, "port of the sink, with UDP of its first stream "
			"(default: a free one if it is started too, else 5010)"),
	{
		.keyword = "alone", .parse = options_set, .value = 1,
		START_OPTION(alone),
		.help = "start no sink: something listens on this host already",
	}, {
		.keyword = "unchecked", .parse = options_set, .value = 1,
		START_OPTION(unchecked),
		.help = "go on where the other host says that nobody receives "
			"the datagrams",
	}, {
		.keyword = "from", .argument = "ADDRESS",
		.parse = options_word, START_OPTION(from),
		.help = "address to send from (default: the route's)",
	}, {
		.keyword = "from-port", .argument = "P",
		.parse = options_port, START_OPTION(from_port),
		.help = "first of the ports to send from, one for each stream "
			"(default: free ones; below the socket from 49152)",
	},
	RUN_OPTION_NETNS,
	{
		.keyword = "sink-netns", .argument = "NAME",
		.parse = options_word, START_OPTION(sink_netns),
		.help = "network namespace of the sink; it is started too",
	},
	RUN_OPTION_DEVICE,
	{
		.keyword = "sink-dev", .argument = "DEVICE",
		.parse = options_word, START_OPTION(sink_device),
		.help = "device of the sink (default: any, and at the ingress "
			"hook the one that has the address)",
	}, {
		.keyword = "layer", .argument = "socket|queue|driver|user|iperf3|nuttcp",
		.parse = parse_layer, .choices = layers,
		START_OPTION(layer),
		.help = "where the source injects: a socket, the queueing "
			"discipline, or the driver, both with udp, or an "
			"application's socket, or iperf3 or nuttcp at both "
			"ends (default socket)",
	}, {
		.keyword = "sink-layer", .argument = "socket|ingress|xdp|user",
		.parse = options_choice, .choices = run_options_sink_layers,
		START_OPTION(sink_layer),
		.help = "where the sink consumes: a socket, or with udp the "
			"ingress hook of its device, or XDP in the device's "
			"driver, or an application's socket (default socket)",
	},
	RUN_OPTION_STREAMS("connections, or flows of UDP (default 1)"),
	{
		.keyword = "size", .argument = "SIZE",
		.parse = parse_framesize, START_OPTION(size),
		.help = "bytes that one call sends or asks for (default 128K); "
			"with udp of a datagram's payload (default 1448); at "
			"layers queue and driver of a frame without FCS, and "
			"there also FIRST-LAST, SIZE:WEIGHT,... or imix "
			"(default 60)",
	}, {
		.keyword = "segments", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		START_OPTION(segments),
		.help = "datagrams that one call hands over (UDP_SEGMENT), "
			"and that the sink takes at once (default 1)",
	},
	RUN_OPTION_BATCH(START_OPTION(batch)),
	{
		.keyword = "rate", .argument = "RATE", .parse = options_rate,
		START_OPTION(rate),
		.help = "what all streams together send at most with udp, as "
			"payload (10mbit) or packets (1mpps) (default: no limit)",
	}, {
		.keyword = "burst", .argument = "N", .parse = options_count,
		.max = UINT32_MAX, START_OPTION(burst),
		.help = "frames that the driver gets at a time (default 1)",
	}, {
		.keyword = "queues", .argument = "LIST",
		.parse = options_cpus, START_OPTION(queues),
		.help = "transmit queues with a stream each, such as 0-3,5, or "
			"all (default: 0 and up, as many as streams)",
	}, {
		.keyword = "reuse", .parse = options_set, .value = 1,
		START_OPTION(reuse),
		.help = "give the driver one frame over and over",
	}, {
		.keyword = "mac", .argument = "ADDRESS", .parse = parse_mac,
		START_OPTION(mac),
		.help = "MAC address that frames go to (default: the "
			"neighbour's on the route)",
	}, {
		.keyword = "from-mac", .argument = "ADDRESS",
		.parse = parse_mac, START_OPTION(from_mac),
		.help = "MAC address that frames come from (default: the "
			"device's)",
	}, {
		.keyword = "vlan", .argument = "ID[:PRIO]",
		.parse = parse_tag, START_OPTION(vlan),
		.help = "VLAN tag of frames (default: none)",
	}, {
		.keyword = "vlan-inner", .argument = "ID[:PRIO]",
		.parse = parse_tag, START_OPTION(vlan_inner),
		.help = "VLAN tag within that one (default: none)",
	}, {
		.keyword = "ports", .argument = "N", .parse = options_count,
		.min = 1, .max = KTPUT_MAX_FLOWS, START_OPTION(ports),
		.help = "ports from 'port' on that frames of each stream go to "
			"(default 1)",
	}, {
		.keyword = "from-ports", .argument = "N",
		.parse = options_count, .min = 1, .max = KTPUT_MAX_FLOWS,
		START_OPTION(from_ports),
		.help = "ports from 'from-port' on that frames of each stream "
			"come from (default 1)",
	}, {
		.keyword = "addresses", .argument = "N",
		.parse = options_count, .min = 1, .max = KTPUT_MAX_FLOWS,
		START_OPTION(addresses),
		.help = "addresses from 'to' on that frames go to (default 1)",
	}, {
		.keyword = "from-addresses", .argument = "N",
		.parse = options_count, .min = 1, .max = KTPUT_MAX_FLOWS,
		START_OPTION(from_addresses),
		.help = "addresses from 'from' on that frames come from "
			"(default 1)",
	},
	RUN_OPTION_COOKIE("number that datagrams begin with, the same at both "
			  "ends (default: at random)"),
	{
		.keyword = "out",
		.argument = "copy|zerocopy|direct|sendfile|io_uring",
		.parse = options_choice, .choices = outs, START_OPTION(out),
		.help = "how a source gives payload: copied from a buffer, as "
			"references to pages, with udp as datagrams that are "
			"handed to IP, in user space out of a file, or there "
			"from a buffer by io_uring "
			"(default zerocopy, with udp and in user space copy)",
	},
	RUN_OPTION_IN,
	{
		.keyword = "sndbuf", .argument = "SIZE",
		.parse = options_size, .max = UINT32_MAX,
		START_OPTION(send_buffer),
		.help = "send buffer of the source's sockets as socket(7) "
			"counts it (default: the kernel's)",
	},
	RUN_OPTION_RCVBUF,
	RUN_OPTION_CONGESTION,
	RUN_OPTION_MSS,
	{
		.keyword = "nodelay", .parse = options_set, .value = 1,
		START_OPTION(no_delay),
		.help = "send small segments at once (no Nagle algorithm)",
	}, {
		.keyword = "pace", .argument = "RATE",
		.parse = options_bitrate, .max = UINT64_MAX,
		START_OPTION(pace_bps),
		.help = "rate that no stream of tcp exceeds (default: none)",
	}, {
		.keyword = "tos", .argument = "N", .parse = options_count,
		.max = UINT8_MAX, START_OPTION(tos),
		.help = "IPv4 type of service or IPv6 traffic class "
			"(default 0)",
	}, {
		.keyword = "priority", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		START_OPTION(priority),
		.help = "priority of the sockets or frames, 0 to 6 (default 0)",
	}, {
		.keyword = "link", .argument = "ethernet|atm|atm-vc|atm-lane",
		.parse = options_choice, .choices = links, START_OPTION(link),
		.help = "what the path is, for its ceiling: Ethernet, or ATM "
			"with classical IP, with a virtual channel for IP, or "
			"with LAN emulation (default ethernet)",
	}, {
		.keyword = "link-rate", .argument = "RATE",
		.parse = options_bitrate, .min = 1, .max = UINT64_MAX,
		START_OPTION(link_rate_bps),
		.help = "rate of the path, for its ceiling (default: what the "
			"device tells; with ATM 149.76mbit, OC-3)",
	},
	RUN_OPTION_CPUS("CPUs of the source (default: all; with a sink on this "
			"host the lower half)"),
	{
		.keyword = "sink-cpus", .argument = "LIST",
		.parse = options_cpus, START_OPTION(sink_cpus),
		.help = "CPUs of the sink (default: those that the source "
			"does not have)",
	},
	RUN_OPTION_TIME("how long, after the warm-up; an upper limit beside "
			"bytes or messages (default 10s without them)"),
	{
		.keyword = "bytes", .argument = "SIZE",
		.parse = options_size, .min = 1, .max = UINT64_MAX,
		START_OPTION(bytes),
		.help = "how much, all streams and the warm-up together",
	}, {
		.keyword = "messages", .argument = "N",
		.parse = options_count, .min = 1, .max = UINT64_MAX,
		START_OPTION(messages),
		.help = "how many messages, all streams and the warm-up "
			"together",
	}, {
		.keyword = "warmup", .argument = "TIME",
		.parse = options_time, .max = KTPUT_MAX_TIME,
		START_OPTION(warmup_ns),
		.help = "time at the beginning that the result leaves out "
			"(default 0)",
	},
	RUN_OPTION_INTERVAL,
	{
		.keyword = "drain-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(drain_ns),
		.help = "time that the rest may take to leave and to arrive "
			"(default 10s)",
	}, {
		.keyword = "connect-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(connect_ns),
		.help = "time within which all streams must be connected "
			"(default 5s)",
	},
	{
		.keyword = "repeat", .argument = "N", .parse = options_count,
		.min = 1, .max = REPEAT_MAX, START_OPTION(repeat.count),
		.help = "make N runs, and sum up; with until N at most "
			"(default 10)",
	}, {
		.keyword = "until ci", .argument = "PERCENT",
		.parse = options_percent, START_OPTION(repeat.ci_percent),
		.help = "repeat the run, 3 times or more, until the 95% "
			"confidence interval of the mean goodput is within "
			"+-PERCENT of it",
	},
	{
		.keyword = "profile", .parse = options_set, .value = 1,
		START_OPTION(profile),
		.help = "sample meanwhile what each CPU does, and print where "
			"its cycles go",
	},
	RUN_OPTION_DETACH,
	RUN_OPTION_UNTIL_EOF("end when standard input does"),
	RUN_OPTION_RECORD,
};

const struct options_table start_options_table = {
	.entry = entries, .count = COUNT(entries),
};

/**
 * start_options_method_out() - the module's name for a choice of "out"
 * @choice: index of the choice
 *
 * Return: method of enum ktput_method, or one of CONFIG_METHOD_...
 */
int start_options_method_out(unsigned int choice)
{
	return methods_out[choice];
}

/**
 * start_options_frames() - whether the source sends frames
 * @options: what the words say
 *
 * Return: true for a source below the socket layer.
 */
bool start_options_frames(const struct start_options *options)
{
	return options->layer == KTPUT_LAYER_QUEUE ||
	       options->layer == KTPUT_LAYER_DRIVER;
}
