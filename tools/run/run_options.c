// SPDX-License-Identifier: GPL-2.0
/* run_options: keywords of "start", "sink", "pingpong" and "reply". */
#include <stdio.h>

#include "../engines/user/settings.h"
#include "run_where.h"

/* Longest SO_BUSY_POLL. */
#define MAX_BUSY_POLL_NS	UNITS_NSEC_PER_SEC

#define RUN_SOURCES	(RUN_START | RUN_PINGPONG)

const struct run_options run_options_defaults = {
	.ports = 1,
	.thin = 1,
	.time_ns = 10 * UNITS_NSEC_PER_SEC,
	.interval_ns = UNITS_NSEC_PER_SEC,
	.drain_ns = 10 * UNITS_NSEC_PER_SEC,
	.disturbed_percent = RUN_OPTIONS_DISTURBED_PERCENT,
	.stages_percent = RUN_OPTIONS_STAGES_PERCENT,
};

/* The parser and the field of a row, and the value's name if it has one. */
#define FIELD(field)	.target = offsetof(struct run_options, field)
#define FLAG(field)	.parse = options_set, .value = 1, FIELD(field)
#define WORD(name, field) \
	.argument = name, .parse = options_word, FIELD(field)
#define LIST(field) \
	.argument = "LIST", .parse = options_cpus,			\
	.values = OPTIONS_CPUS, FIELD(field)
#define COUNT_OF(name, field) \
	.argument = name, .parse = options_count, FIELD(field)
#define SIZE(field)	.argument = "SIZE", .parse = options_size, FIELD(field)
#define TIME(field)	.argument = "TIME", .parse = options_time, FIELD(field)
#define NUMBER(name)	number[KTPUT_A_CONFIG_##name]
#define CHOICE(words, field) \
	.parse = options_choice, .choices = words, FIELD(field)

/*
 * Bounds of the specification. Where they depend on other keywords, these are the
 * widest, and the engine refuses what is invalid with those keywords.
 */
#define BOUNDS(low, high)	.min = low, .max = high

/* Bounds that the specification states for the attribute. */
#define BOUNDS_OF(name)		BOUNDS_TWO(CONFIG_BOUNDS_##name)
#define BOUNDS_TWO(bounds)	BOUNDS(bounds)

/* How a sink takes payload, under the keyword of a command with one end or both. */
#define SINK_METHOD							\
	CHOICE(run_words_sink_methods, sink_method), SINK_HAS(METHOD),		\
	.where = WHERE_SINK_SOCKETS,					\
	.help = "how a sink takes payload",				\
	.otherwise = "zerocopy, in user space copy"

/* Attribute of a row, and its ends if the command has both. */
#define SOURCE_HAS(name) \
	.attribute = KTPUT_A_CONFIG_##name, .ends = RUN_END_SOURCE
#define SINK_HAS(name) \
	.attribute = KTPUT_A_CONFIG_##name, .ends = RUN_END_SINK
#define BOTH_HAVE(name) \
	.attribute = KTPUT_A_CONFIG_##name, .ends = RUN_END_BOTH

/* Attributes that the command derives from a row in other code, and their end. */
#define SOURCE_MAKES(...) \
	.made = (const int[]){ __VA_ARGS__, 0 }, .made_of = RUN_END_SOURCE
#define SINK_MAKES(...) \
	.made = (const int[]){ __VA_ARGS__, 0 }, .made_of = RUN_END_SINK
#define BOTH_MAKE(...) \
	.made = (const int[]){ __VA_ARGS__, 0 }, .made_of = RUN_END_BOTH
#define ATTR(name)	KTPUT_A_CONFIG_##name

static const struct options_entry entries[] = {
	{
		.group = "Ends", .keyword = "tcp", .parse = options_set,
		.value = KTPUT_TRANSPORT_TCP, FIELD(transport),
		.help = "TCP (default)",
	}, {
		.keyword = "udp", .parse = options_set,
		.value = KTPUT_TRANSPORT_UDP, FIELD(transport),
		.help = "UDP",
	}, {
		.keyword = "to", WORD("ADDRESS", to), .commands = RUN_SOURCES,
		BOTH_MAKE(ATTR(REMOTE_IPV4), ATTR(REMOTE_IPV6)),
		.help = "address or name of the sink; if it is on this host, "
			"the sink is started too",
		.otherwise = RUN_OPTIONS_TO,
	}, {
		.keyword = "on", WORD("ADDRESS", on), .commands = RUN_SINKS,
		SINK_MAKES(ATTR(LOCAL_IPV4), ATTR(LOCAL_IPV6)),
		.help = "address to listen on",
		.otherwise = "any, IPv4 and IPv6",
	}, {
		.keyword = "port", COUNT_OF("P", port), BOUNDS(1, UINT16_MAX),
		BOTH_MAKE(ATTR(REMOTE_PORT), ATTR(LOCAL_PORT)),
		.commands = RUN_SOURCES,
		.help = "port of the sink, with UDP of its first stream",
		.otherwise = "a free one if it is started too, else 5010",
	}, {
		.keyword = "port", COUNT_OF("P", port), BOUNDS(0, UINT16_MAX),
		SINK_MAKES(ATTR(LOCAL_PORT)),
		.commands = RUN_SINKS,
		.help = "port to listen on, 0 for a free one; with udp that "
			"of the first stream",
		.otherwise = "5010",
	}, {
		.keyword = "alone", FLAG(alone), .commands = RUN_SOURCES,
		.where = WHERE_OWN | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "do not start a sink: one is already listening on this "
			"host",
	}, {
		.keyword = "unchecked", FLAG(unchecked), .commands = RUN_START,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "continue even if ICMP reports that nobody listens",
	}, {
		.keyword = "from", WORD("ADDRESS", from),
		SOURCE_MAKES(ATTR(LOCAL_IPV4), ATTR(LOCAL_IPV6)),
		.commands = RUN_SOURCES, .where = WHERE_OWN | WHERE_IPERF3,
		.help = "address to send from",
		.otherwise = "the route's",
	}, {
		.keyword = "from-port", .argument = "P",
		.parse = options_port, FIELD(from_port), SOURCE_HAS(LOCAL_PORT),
		.commands = RUN_START, .where = WHERE_OWN,
		.help = "first of the ports to send from, one for each stream",
		.otherwise = "free ones; below the socket from 49152",
	}, {
		.keyword = "netns", WORD("NAME", netns),
		.values = OPTIONS_NAMESPACES,
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	}, {
		.keyword = "sink-netns", WORD("NAME", sink_netns),
		.values = OPTIONS_NAMESPACES,
		.commands = RUN_SOURCES,
		.help = "network namespace of the sink; it is started too",
	}, {
		.keyword = "remote", .argument = "HOST", .parse = run_words_host,
		.target = offsetof(struct run_options, remote),
		.commands = RUN_SOURCES, .where = WHERE_OWN,
		.help = "host of the sink, as ssh(1) takes it; the sink is "
			"started there through ssh",
		.otherwise = "this one",
	}, {
		.keyword = "reverse", FLAG(reverse), .commands = RUN_START,
		.where = WHERE_OWN,
		.help = "the source is on the host of remote, and the sink on "
			"this one",
	}, {
		.keyword = "bidir", FLAG(bidir), .commands = RUN_START,
		.where = WHERE_SOCKETS,
		.help = "send both ways at one time, each with as many streams",
	}, {
		.keyword = "exclusive", FLAG(exclusive),
		.commands = RUN_SOURCES, .where = WHERE_OWN,
		.help = "refuse to run beside another such run on either host",
	}, {
		.keyword = "dev", WORD("DEVICE", device),
		.values = OPTIONS_DEVICES,
		SOURCE_MAKES(ATTR(DEV)),
		.commands = RUN_SOURCES, .where = WHERE_OWN,
		.help = "device that the sockets are bound to",
	}, {
		.keyword = "dev", WORD("DEVICE", sink_device),
		.values = OPTIONS_DEVICES,
		SINK_MAKES(ATTR(DEV)),
		.commands = RUN_SINKS,
		.help = "device that the sockets are bound to",
	}, {
		.keyword = "sink-dev", WORD("DEVICE", sink_device),
		.values = OPTIONS_DEVICES,
		SINK_MAKES(ATTR(DEV)),
		.ends = RUN_END_SINK, .commands = RUN_SOURCES,
		.where = WHERE_SINK_OWN,
		.help = "device of the sink",
		.otherwise = "any, and at the ingress hook the one that has "
			"the address",
	}, {
		.keyword = "layer", CHOICE(run_words_layers, layer),
		.commands = RUN_START,
		.help = "where the source injects",
		.otherwise = "socket",
	}, {
		.keyword = "engine", CHOICE(run_words_engines, engine),
		.commands = RUN_START,
		.help = "what makes the traffic: ktput, or iperf3 or nuttcp "
			"at both ends, at layer user",
		.otherwise = "ktput",
	}, {
		.keyword = "layer", CHOICE(run_words_layers, layer),
		.commands = RUN_TRIPS, .where = WHERE_OWN,
		.help = "where both ends are; frames are turned round at the "
			"ingress hook",
		.otherwise = "socket",
	}, {
		.keyword = "layer", CHOICE(run_words_sink_layers, sink_layer),
		.commands = RUN_SINK,
		.help = "where to consume",
		.otherwise = "socket",
	}, {
		.keyword = "sink-layer", CHOICE(run_words_sink_layers, sink_layer),
		SINK_MAKES(ATTR(LAYER)),
		.ends = RUN_END_SINK, .commands = RUN_START,
		.where = WHERE_SINK_OWN,
		.help = "where the sink consumes",
		.otherwise = "socket",
	}, {
		.keyword = "streams", COUNT_OF("N", streams),
		SOURCE_HAS(STREAMS), BOUNDS_OF(STREAMS),
		.commands = RUN_SOURCES,
		.where = WHERE_OWN | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "connections, or flows of UDP",
		.otherwise = "1",
		.changes = "more less",
	}, {
		.keyword = "streams", COUNT_OF("N", streams),
		SINK_HAS(STREAMS), BOUNDS_OF(STREAMS),
		.commands = RUN_SINKS,
		.help = "connections that are served at a time; with udp "
			"ports in a row",
		.otherwise = "1024, with once or udp 1",
	}, {
		.group = "Payload", .keyword = "size", .argument = "SIZE",
		.parse = run_words_framesize, FIELD(size),
		.commands = RUN_START,
		BOTH_MAKE(ATTR(SIZE), ATTR(SIZE_MIN),
			  ATTR(SIZE_MAX), ATTR(MIX)),
		.help = "bytes that one call sends or asks for; with udp of a "
			"datagram's payload; at layers queue and driver of a "
			"frame without FCS, and there also FIRST-LAST, "
			"SIZE:WEIGHT,... or imix",
		.otherwise = "128K, with udp 1448, of frames 60",
		.words = "imix",
		.changes = "more less",
	}, {
		.keyword = "size", SIZE(size.first), SINK_HAS(SIZE),
		BOUNDS(1, KTPUT_MAX_MESSAGE),
		.commands = RUN_SINK, .where = WHERE_SINK_SOCKETS,
		.help = "bytes that one call asks for",
		.otherwise = "128K, with udp all that there is",
	}, {
		.keyword = "size", SIZE(request), BOTH_HAVE(REQUEST),
		BOUNDS(1, KTPUT_MAX_MESSAGE),
		.commands = RUN_TRIPS,
		.help = "bytes of requests and of responses",
		.otherwise = "64",
	}, {
		.keyword = "request", SIZE(request), BOTH_HAVE(REQUEST),
		BOUNDS(1, KTPUT_MAX_MESSAGE),
		.commands = RUN_TRIPS,
		.help = "bytes of requests",
		.otherwise = "64",
	}, {
		.keyword = "response", SIZE(response),
		BOTH_HAVE(RESPONSE), BOUNDS(1, KTPUT_MAX_MESSAGE),
		.commands = RUN_TRIPS,
		.help = "bytes of responses",
		.otherwise = "those of requests",
	}, {
		.keyword = "sizes", .argument = "FIRST..LAST",
		.parse = run_words_sweep, FIELD(sizes), .commands = RUN_PINGPONG,
		.help = "sweep sizes of both, each with its neighbours 3 "
			"bytes below and above; time and messages are of each "
			"size",
		.otherwise = "200 round trips",
	}, {
		.keyword = "thin", COUNT_OF("N", thin), BOUNDS(1, UINT8_MAX),
		.commands = RUN_PINGPONG,
		.help = "of the sizes, leave out all but each Nth with its "
			"neighbours",
		.otherwise = "1, all of them",
	}, {
		.keyword = "engine", CHOICE(run_words_engines, engine),
		.commands = RUN_PINGPONG,
		.help = "what measures the sizes: ktput, or NPtcp of NetPIPE, "
			"whose settings are the CPUs, the namespaces, port "
			"and messages",
		.otherwise = "ktput",
	}, {
		.keyword = "method", CHOICE(run_words_methods, method), SOURCE_HAS(METHOD),
		.commands = RUN_START,
		.where = WHERE_SOCKETS | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "how a source sends",
		.otherwise = "zerocopy, with udp and in user space copy",
		.changes = "other",
	}, {
		.keyword = "method", CHOICE(run_words_methods, method), BOTH_HAVE(METHOD),
		.commands = RUN_TRIPS, .where = WHERE_TCP | WHERE_OWN,
		.help = "how messages of tcp are sent",
		.otherwise = "zerocopy",
	}, {
		.keyword = "sink-method", SINK_METHOD, .commands = RUN_START,
		.changes = "other",
	}, {
		.keyword = "method", SINK_METHOD, .commands = RUN_SINK,
	}, {
		.group = "Requests and responses", .keyword = "wait",
		CHOICE(run_words_waits, wait), .commands = RUN_TRIPS,
		.where = WHERE_USER,
		.help = "how an application waits",
		.otherwise = "epoll",
		.changes = "other",
	}, {
		.keyword = "busy-poll",
		TIME(busy_poll_ns), BOUNDS(1000, MAX_BUSY_POLL_NS),
		.commands = RUN_TRIPS, .where = WHERE_USER,
		.help = "SO_BUSY_POLL of an application's sockets, in whole "
			"microseconds",
		.otherwise = "net.core.busy_read",
	}, {
		.keyword = "connect-per-request", FLAG(reconnect),
		SOURCE_HAS(CONNECT_PER_REQUEST), .commands = RUN_PINGPONG,
		.where = WHERE_TCP,
		.help = "requests of tcp have a connection each, whose "
			"handshake counts",
	}, {
		.keyword = "outstanding",
		COUNT_OF("N", outstanding),
		SOURCE_HAS(OUTSTANDING), BOUNDS(1, KTPUT_MAX_OUTSTANDING),
		.commands = RUN_PINGPONG,
		.where = WHERE_OWN,
		.help = "requests of a stream under way at a time",
		.otherwise = "1",
	}, {
		.keyword = "think", TIME(think_ns),
		SOURCE_HAS(THINK), BOUNDS(0, KTPUT_MAX_TIME),
		.commands = RUN_PINGPONG,
		.where = WHERE_OWN,
		.help = "time from a response to the next request",
		.otherwise = "0",
	}, {
		.keyword = "rate",
		COUNT_OF("N", request_rate), BOUNDS(1, UINT64_MAX),
		SOURCE_MAKES(ATTR(PACKET_RATE)),
		.commands = RUN_PINGPONG, .where = WHERE_OWN,
		.help = "requests per second, all streams together; latency "
			"counts from when each is due",
		.otherwise = "no limit",
	}, {
		.keyword = "reply", CHOICE(run_words_replies, reply), BOTH_HAVE(REPLY),
		.commands = RUN_TRIPS, .where = WHERE_SOCKET | WHERE_DRIVER,
		.help = "from where messages are answered",
		.otherwise = "worker",
		.changes = "other",
	}, {
		.keyword = "timeout", TIME(timeout_ns),
		SOURCE_HAS(TIMEOUT),
		BOUNDS(KTPUT_MIN_TIMEOUT, KTPUT_MAX_CONNECT_TIME),
		.commands = RUN_PINGPONG,
		.where = WHERE_UDP,
		.help = "time after which a request of udp is given up",
		.otherwise = "1s",
	}, {
		.group = "Datagrams", .keyword = "cookie",
		COUNT_OF("N", cookie), BOUNDS(0, UINT32_MAX),
		.commands = RUN_SOURCES, .where = WHERE_UDP | WHERE_OWN,
		.help = "number that datagrams begin with, the same at both "
			"ends",
		.otherwise = "at random",
	}, {
		.keyword = "cookie", COUNT_OF("N", cookie), BOUNDS(0, UINT32_MAX),
		.commands = RUN_SINKS, .where = WHERE_UDP,
		.help = "number that datagrams begin with, the same at both "
			"ends",
		.otherwise = "at random, and printed",
	}, {
		.keyword = "rate", .argument = "RATE", .parse = options_rate,
		FIELD(rate), .commands = RUN_START, .where = WHERE_UDP,
		SOURCE_MAKES(ATTR(PACKET_RATE), ATTR(PACE)),
		.help = "upper limit for all streams together (UDP), in payload "
			"(10mbit) or packets (1mpps)",
		.otherwise = "no limit", .instead = "pace",
	}, {
		.keyword = "segments", COUNT_OF("N", segments),
		SOURCE_HAS(SEGMENTS), BOUNDS(1, KTPUT_MAX_SEGMENTS),
		.commands = RUN_START,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "datagrams that one call hands over (UDP_SEGMENT), "
			"and that the sink takes at once",
		.otherwise = "1",
		.changes = "more less",
	}, {
		.keyword = "segments", COUNT_OF("N", segments),
		SINK_HAS(SEGMENTS), BOUNDS(1, KTPUT_MAX_SEGMENTS),
		.commands = RUN_SINK,
		.where = WHERE_UDP | WHERE_SINK_SOCKETS,
		.help = "more than 1: take several datagrams at once (UDP_GRO)",
		.otherwise = "1",
	}, {
		.keyword = "batch", COUNT_OF("N", batch), BOUNDS(1, USER_BATCH_MAX),
		.commands = RUN_START | RUN_SINK,
		.where = WHERE_UDP | WHERE_USER | WHERE_SINK_USER,
		.help = "calls that one sendmmsg() or recvmmsg() makes, in "
			"user space with udp",
		.otherwise = "1",
		.changes = "more less",
	}, {
		.group = "Frames", .keyword = "mac", .argument = "ADDRESS",
		.parse = run_words_mac, FIELD(mac), .commands = RUN_SOURCES,
		SOURCE_MAKES(ATTR(MAC)),
		.where = WHERE_FRAMES,
		.help = "MAC address that frames go to",
		.otherwise = "the neighbour's on the route",
	}, {
		.keyword = "from-mac", .argument = "ADDRESS",
		.parse = run_words_mac, FIELD(from_mac), .commands = RUN_START,
		SOURCE_MAKES(ATTR(FROM_MAC)),
		.where = WHERE_FRAMES,
		.help = "MAC address that frames come from",
		.otherwise = "the device's",
	}, {
		.keyword = "burst", COUNT_OF("N", burst),
		SOURCE_HAS(BURST), BOUNDS(1, KTPUT_MAX_BURST),
		.commands = RUN_START,
		.where = WHERE_DRIVER | WHERE_XDP,
		.help = "frames that the driver gets at a time",
		.otherwise = "1",
	}, {
		.keyword = "queues", LIST(queues), .commands = RUN_START,
		.where = WHERE_QUEUE | WHERE_DRIVER,
		.help = "transmit queues with a stream each, such as 0-3,5, "
			"or all",
		.otherwise = "0 and up, as many as streams",
	}, {
		.keyword = "reuse", FLAG(reuse), SOURCE_HAS(REUSE),
		.commands = RUN_START, .where = WHERE_DRIVER,
		.help = "give the driver one frame over and over",
	}, {
		.keyword = "pace-only", FLAG(pace_only), SOURCE_HAS(PACE_ONLY),
		.commands = RUN_START, .where = WHERE_DRIVER,
		.help = "wait for each frame of a rate, and send none",
	}, {
		.keyword = "vlan", .argument = "ID[:PRIO]",
		.parse = run_words_tag, FIELD(vlan), SOURCE_HAS(VLAN),
		.commands = RUN_START, .where = WHERE_FRAMES,
		.help = "VLAN tag of frames",
		.otherwise = "none",
	}, {
		.keyword = "vlan-inner", .argument = "ID[:PRIO]",
		.parse = run_words_tag, FIELD(vlan_inner), SOURCE_HAS(VLAN_INNER),
		.commands = RUN_START, .where = WHERE_FRAMES,
		.help = "VLAN tag within that one",
		.otherwise = "none",
	}, {
		.keyword = "ports", COUNT_OF("N", ports), BOUNDS(1, KTPUT_MAX_FLOWS),
		SOURCE_HAS(PORTS), .commands = RUN_START,
		.where = WHERE_FRAMES,
		.help = "ports from 'port' on that frames of each stream go to",
		.otherwise = "1",
	}, {
		.keyword = "from-ports",
		COUNT_OF("N", from_ports), BOUNDS(1, KTPUT_MAX_FLOWS),
		SOURCE_HAS(FROM_PORTS), .commands = RUN_START,
		.where = WHERE_FRAMES,
		.help = "ports from 'from-port' on that frames of each stream "
			"come from",
		.otherwise = "1",
	}, {
		.keyword = "addresses",
		COUNT_OF("N", addresses), BOUNDS(1, KTPUT_MAX_FLOWS),
		SOURCE_HAS(ADDRESSES), .commands = RUN_START,
		.where = WHERE_FRAMES,
		.help = "addresses from 'to' on that frames go to",
		.otherwise = "1",
	}, {
		.keyword = "from-addresses",
		COUNT_OF("N", from_addresses), BOUNDS(1, KTPUT_MAX_FLOWS),
		SOURCE_HAS(FROM_ADDRESSES), .commands = RUN_START,
		.where = WHERE_FRAMES,
		.help = "addresses from 'from' on that frames come from",
		.otherwise = "1",
	}, {
		.keyword = "flow-seed", COUNT_OF("N", flow_seed), BOUNDS(0, UINT32_MAX),
		SOURCE_HAS(FLOW_SEED), .commands = RUN_START,
		.where = WHERE_FRAMES,
		.help = "draw ports and addresses of each frame at random from their "
			"ranges, in an order that follows from N",
		.otherwise = "each combination in turn",
	}, {
		.group = "Sockets", .keyword = "sndbuf", SIZE(send_buffer),
		SOURCE_HAS(SNDBUF), BOUNDS_OF(SNDBUF),
		.commands = RUN_START,
		.where = WHERE_SOCKETS | WHERE_IPERF3,
		.help = "send buffer of the source's sockets, as SO_SNDBUF sets "
			"it; with iperf3 send and receive buffers of both ends",
		.otherwise = "the kernel's",
		.changes = "more less none",
	}, {
		.keyword = "rcvbuf", SIZE(receive_buffer),
		SINK_HAS(RCVBUF), BOUNDS_OF(RCVBUF),
		.commands = RUN_START | RUN_SINK,
		.where = WHERE_SINK_SOCKETS | WHERE_IPERF3,
		.help = "receive buffer of the sink's sockets, as SO_RCVBUF sets "
			"it",
		.otherwise = "tuned by the kernel",
		.changes = "more less none",
	}, {
		.keyword = "sndbuf", SIZE(send_buffer),
		BOTH_HAVE(SNDBUF), BOUNDS_OF(SNDBUF),
		.commands = RUN_TRIPS,
		.where = WHERE_SOCKETS | WHERE_NPTCP,
		.help = "send buffer of both ends' sockets, as SO_SNDBUF sets it",
		.otherwise = "the kernel's",
	}, {
		.keyword = "rcvbuf", SIZE(receive_buffer),
		BOTH_HAVE(RCVBUF), BOUNDS_OF(RCVBUF),
		.commands = RUN_TRIPS,
		.where = WHERE_SOCKETS | WHERE_NPTCP,
		.help = "receive buffer of both ends' sockets, as SO_RCVBUF sets "
			"it; with engine nptcp the same as sndbuf",
		.otherwise = "tuned by the kernel",
	}, {
		.keyword = "rcvlowat", SIZE(NUMBER(RCVLOWAT)),
		SINK_HAS(RCVLOWAT), BOUNDS_OF(RCVLOWAT),
		.commands = RUN_START | RUN_SINK,
		.where = WHERE_TCP | WHERE_SINK_SOCKETS,
		.help = "bytes below which the sink's sockets do not wake it "
			"(SO_RCVLOWAT); at most half of the receive buffer",
		.otherwise = "1",
	}, {
		.keyword = "congestion", WORD("NAME", congestion),
		.values = OPTIONS_CONGESTION,
		SOURCE_HAS(CONGESTION), .commands = RUN_SOURCES,
		.where = WHERE_TCP | WHERE_OWN | WHERE_IPERF3,
		.help = "TCP congestion control",
		.otherwise = "the kernel's",
		.changes = "other",
	}, {
		.keyword = "congestion", WORD("NAME", congestion),
		.values = OPTIONS_CONGESTION,
		SINK_HAS(CONGESTION), .commands = RUN_SINKS,
		.where = WHERE_TCP,
		.help = "TCP congestion control",
		.otherwise = "the kernel's",
	}, {
		.keyword = "mss", COUNT_OF("N", NUMBER(MSS)),
		SOURCE_HAS(MSS), BOUNDS_OF(MSS),
		.commands = RUN_SOURCES | RUN_SINK,
		.where = WHERE_TCP,
		.help = "largest TCP segment in bytes",
		.otherwise = "from the route",
	}, {
		.keyword = "nodelay", FLAG(no_delay), SOURCE_HAS(NODELAY),
		.commands = RUN_START, .where = WHERE_TCP,
		.help = "send small segments at once (no Nagle algorithm)",
		.changes = "on",
	}, {
		.keyword = "pace", .argument = "RATE",
		.parse = options_bitrate, BOUNDS(8, UINT64_MAX), FIELD(pace_bps),
		SOURCE_HAS(PACE), .divisor = 8, .commands = RUN_START,
		.where = WHERE_TCP | WHERE_OWN | WHERE_IPERF3,
		.help = "rate that no stream of tcp exceeds",
		.otherwise = "none", .instead = "rate",
	}, {
		.keyword = "tos", COUNT_OF("N", NUMBER(TOS)), BOUNDS(0, UINT8_MAX),
		SOURCE_HAS(TOS), .commands = RUN_SOURCES,
		.where = WHERE_OWN | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "IPv4 type of service or IPv6 traffic class",
		.otherwise = "0",
	}, {
		.keyword = "dscp", .argument = "NAME|N",
		.parse = run_words_dscp, FIELD(NUMBER(TOS)),
		SOURCE_HAS(TOS), .commands = RUN_SOURCES,
		.where = WHERE_OWN | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "differentiated services code point, as ef, af41, cs1 "
			"or a number up to 63: the upper six bits of that",
		.words = "ef af41 cs1",
	}, {
		.keyword = "priority",
		COUNT_OF("N", NUMBER(PRIORITY)),
		SOURCE_HAS(PRIORITY), BOUNDS_OF(PRIORITY),
		.commands = RUN_SOURCES,
		.where = WHERE_OWN,
		.help = "priority of the source's sockets or frames",
		.otherwise = "0",
	}, {
		.group = "Placement", .keyword = "cpus", LIST(cpus),
		.commands = RUN_SOURCES,
		.help = "CPUs of the source",
		.otherwise = "all; with a sink on this host the lower half",
		.changes = "apart together",
	}, {
		.keyword = "cpus", LIST(sink_cpus), SINK_HAS(CPUS),
		.commands = RUN_SINKS,
		.where = WHERE_SINK_SOCKETS,
		.help = "CPUs of the sink",
		.otherwise = "all",
	}, {
		.keyword = "sink-cpus", LIST(sink_cpus), .ends = RUN_END_SINK,
		SINK_MAKES(ATTR(CPUS)),
		.commands = RUN_SOURCES,
		.where = WHERE_SINK_SOCKETS | WHERE_SINK_OTHER,
		.help = "CPUs of the sink",
		.otherwise = "those that the source does not have",
	}, {
		.group = "Measuring", .keyword = "time",
		TIME(time_ns), .commands = RUN_START,
		SOURCE_MAKES(ATTR(TIME)), BOUNDS(1, KTPUT_MAX_TIME),
		.help = "how long, after the warm-up; an upper limit beside "
			"bytes or messages",
		.otherwise = "10s without them",
	}, {
		.keyword = "time", TIME(time_ns),
		.commands = RUN_PINGPONG, .where = WHERE_OWN,
		SOURCE_MAKES(ATTR(TIME)), BOUNDS(1, KTPUT_MAX_TIME),
		.help = "how long; an upper limit beside messages",
		.otherwise = "10s without it",
	}, {
		.keyword = "time", TIME(time_ns),
		SINK_HAS(TIME), BOUNDS(1, KTPUT_MAX_TIME),
		.commands = RUN_SINKS,
		.help = "how long",
		.otherwise = "until Ctrl-C",
	}, {
		.keyword = "bytes", .argument = "SIZE",
		.parse = options_size, BOUNDS(1, INT64_MAX),
		FIELD(bytes), SOURCE_HAS(BYTES), .commands = RUN_START,
		.help = "how much, all streams and the warm-up together",
	}, {
		.keyword = "bytes", .argument = "SIZE",
		.parse = options_size, BOUNDS(1, INT64_MAX),
		FIELD(bytes), SOURCE_MAKES(ATTR(MESSAGES)),
		.commands = RUN_PINGPONG,
		.help = "how much of requests for each of the sizes, in 3 to "
			"200 round trips",
	}, {
		.keyword = "messages",
		COUNT_OF("N", messages), BOUNDS(1, UINT64_MAX),
		SOURCE_HAS(MESSAGES), .commands = RUN_START,
		.where = WHERE_OWN,
		.help = "how many messages, all streams and the warm-up "
			"together",
	}, {
		.keyword = "messages", COUNT_OF("N", messages), BOUNDS(1, UINT64_MAX),
		SOURCE_HAS(MESSAGES), .commands = RUN_PINGPONG,
		.help = "how many requests, all streams together",
	}, {
		.keyword = "once", FLAG(once), SINK_HAS(ONCE),
		.commands = RUN_SINK, .where = WHERE_TCP,
		.help = "serve one peer, or as many as 'streams' says, and end "
			"when they have closed",
	}, {
		.keyword = "warmup", TIME(warmup_ns), BOUNDS(0, KTPUT_MAX_TIME),
		.commands = RUN_START, .where = WHERE_OWN | WHERE_IPERF3,
		.help = "time at the beginning that the result leaves out",
		.otherwise = "0",
	}, {
		.keyword = "interval",
		TIME(interval_ns), BOUNDS(10000000, KTPUT_MAX_TIME),
		.commands = RUN_SOURCES, .where = WHERE_OWN | WHERE_IPERF3,
		.help = "time between two lines",
		.otherwise = "1s",
	}, {
		.keyword = "interval",
		TIME(interval_ns), BOUNDS(10000000, KTPUT_MAX_TIME),
		.commands = RUN_SINKS,
		.help = "time between two lines",
		.otherwise = "1s",
	}, {
		.keyword = "drain-timeout", TIME(drain_ns),
		SOURCE_HAS(DRAIN_TIMEOUT), BOUNDS(0, KTPUT_MAX_TIME),
		.commands = RUN_SOURCES,
		.where = WHERE_OWN | WHERE_IPERF3 | WHERE_NUTTCP,
		.help = "time that the rest may take to leave and to arrive, "
			"or responses to come, at the end",
		.otherwise = "10s",
	}, {
		.keyword = "connect-timeout", TIME(connect_ns),
		SOURCE_HAS(CONNECT_TIMEOUT),
		BOUNDS(1, KTPUT_MAX_CONNECT_TIME),
		.commands = RUN_SOURCES,
		.where = WHERE_TCP | WHERE_OWN | WHERE_IPERF3,
		.help = "time within which all streams must be connected",
		.otherwise = "5s",
	}, {
		.keyword = "link", CHOICE(run_words_links, link), .commands = RUN_START,
		.help = "what the path is, for its ceiling",
		.otherwise = "ethernet",
	}, {
		.keyword = "link-rate", .argument = "RATE",
		.parse = options_bitrate, BOUNDS(1, UINT64_MAX),
		FIELD(link_rate_bps), .commands = RUN_START,
		.help = "rate of the path, for its ceiling",
		.otherwise = "what the device tells; with ATM 149.76mbit, OC-3",
	}, {
		.keyword = "repeat",
		COUNT_OF("N", repeat.count), BOUNDS(1, REPEAT_MAX),
		.commands = RUN_SOURCES,
		.help = "make N runs, and sum up; with until N at most",
		.otherwise = "1, with until 10",
	}, {
		.keyword = "until ci", .argument = "PERCENT",
		.parse = options_percent, FIELD(repeat.ci_percent),
		.commands = RUN_SOURCES,
		.help = "repeat the run, 5 times or more, until the 95% "
			"confidence interval of the mean goodput, or of the "
			"mean of median round trips, is within +-PERCENT of "
			"it; the runs are taken to be independent",
	}, {
		.keyword = "disturbed-above", .argument = "PERCENT",
		.parse = options_percent, FIELD(disturbed_percent),
		.commands = RUN_SOURCES | RUN_SINKS,
		.where = WHERE_OWN | WHERE_SINK_OWN,
		.help = "mark the result as disturbed if other work used more "
			"of a CPU of the run",
		.otherwise = "5",
	}, {
		.keyword = "profile", FLAG(profile), .commands = RUN_START,
		.help = "sample what each CPU does, and print where "
			"its cycles go",
	}, {
		.keyword = "drops", FLAG(drops), .commands = RUN_START,
		.where = WHERE_UDP | WHERE_OWN,
		.help = "watch what this kernel drops, and say for which of its "
			"reasons datagrams were lost",
	}, {
		.keyword = "stages", FLAG(stages), .commands = RUN_START,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "follow some datagrams through this kernel, and say in "
			"which stage their time passed, that of the slowest too",
	}, {
		.keyword = "stages", FLAG(stages), .commands = RUN_PINGPONG,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "follow some requests and their responses through this "
			"kernel, and say in which stage the time of round trips "
			"passed, that of the slowest too",
	}, {
		.keyword = "stages-share", .argument = "PERCENT",
		.parse = options_percent, FIELD(stages_percent),
		.commands = RUN_SOURCES,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "with stages: what of the run that may cost; below 100 "
			"a run of 5 s or more is followed in windows, so that "
			"it costs no more, and the result says how much",
		.otherwise = "100, all of it is followed",
	}, {
		.keyword = "trace", WORD("FILE", trace),
		.values = OPTIONS_FILES, .commands = RUN_SOURCES,
		.where = WHERE_UDP | WHERE_SOCKETS,
		.help = "with stages: write what was followed to FILE, for "
			"ui.perfetto.dev or chrome://tracing",
	}, {
		.keyword = "detach", FLAG(detach), BOTH_HAVE(DETACH),
		.commands = RUN_START, .where = WHERE_OWN,
		.help = "start, print the number of each run, and leave "
			"them running",
	}, {
		.keyword = "detach", FLAG(detach), SINK_HAS(DETACH),
		.commands = RUN_SINKS,
		.help = "start, print the number of each run, and leave "
			"them running",
	}, {
		.keyword = "until-eof", FLAG(until_eof), .commands = RUN_START,
		.help = "end when standard input does",
	}, {
		.keyword = "until-eof", FLAG(until_eof), .commands = RUN_SINKS,
		.help = "end when standard input does; with -j print "
			"first, on a line for itself, where it listens",
	}, {
		.keyword = "json-stream", FLAG(json_stream),
		.commands = RUN_START | RUN_SINKS,
		.where = WHERE_OWN | WHERE_SINK_OWN,
		.help = "with -j: print each interval when it ends, an object "
			"interval on a line, before the result",
	}, {
		.keyword = "record", WORD("FILE", record),
		.values = OPTIONS_FILES,
		.help = "add the whole record to FILE, as JSON on one line",
	}, {
		.keyword = "replace", FLAG(replace),
		.help = "with record: instead of what is in FILE",
	},
};

/* Of iperf3(1); with a value, and -H, of netperf. */
const struct options_habit run_options_habits[] = {
	{ "-t TCP_STREAM", NULL, "ktput-ctl start" },
	{ "-t TCP_SENDFILE", NULL, "method sendfile with layer user" },
	{ "-t TCP_MAERTS", NULL, "reverse with remote HOST" },
	{ "-t TCP_RR", NULL, "ktput-ctl pingpong" },
	{ "-t TCP_CRR", NULL, "ktput-ctl pingpong connect-per-request" },
	{ "-t UDP_STREAM", NULL, "udp" },
	{ "-t UDP_RR", NULL, "ktput-ctl pingpong udp" },
	{ "-4", "--version4", "to ADDRESS" },
	{ "-6", "--version6", "to ADDRESS" },
	{ "-A", "--affinity", "cpus CPU sink-cpus CPU" },
	{ "-B", "--bind", "from ADDRESS" },
	{ "-C", "--congestion", "congestion NAME" },
	{ "-D", "--daemon", "detach" },
	{ "-F", "--file", "method sendfile" },
	{ "-H", NULL, "to ADDRESS" },
	{ "-J", "--json", "ktput-ctl -j" },
	{ "-M", "--set-mss", "mss BYTES" },
	{ "-N", "--no-delay", "nodelay" },
	{ "-O", "--omit", "warmup TIME" },
	{ "-P", "--parallel", "streams N" },
	{ "-R", "--reverse", "reverse with remote HOST" },
	{ "-S", "--tos", "tos N" },
	{ "-Z", "--zerocopy", "method zerocopy, or sendfile with layer user" },
	{ "-b", "--bitrate", "rate RATE with udp, pace RATE with tcp" },
	{ "-c", "--client", "to ADDRESS" },
	{ "-i", "--interval", "interval TIME" },
	{ "-k", "--blockcount", "messages N" },
	{ "-l", "--length", "size SIZE, of netperf time TIME" },
	{ "-n", "--bytes", "bytes SIZE" },
	{ "-p", "--port", "port P" },
	{ "-t", "--time", "time TIME" },
	{ "-u", "--udp", "udp" },
	{ "-w", "--window", "sndbuf SIZE rcvbuf SIZE" },
	{ NULL, "--bandwidth", "rate RATE with udp, pace RATE with tcp" },
	{ NULL, "--bidir", "bidir with remote HOST" },
	{ NULL, "--dscp", "dscp NAME|N" },
	{ NULL, "--fq-rate", "pace RATE" },
	{ NULL, "--get-server-output", "remote HOST" },
	{ NULL, "--logfile", "record FILE" },
	{ NULL, "--one-off", "sink once" },
	{ NULL, "--server", "ktput-ctl sink" },
	{ NULL, NULL, NULL }
};

#define TABLE(bit) { \
	.entry = entries, .count = COUNT(entries), .command = bit, \
	.places = run_where_places, .habits = run_options_habits, \
	.applies = run_where_applies }

const struct options_table run_options_start = TABLE(RUN_START);
const struct options_table run_options_sink = TABLE(RUN_SINK);
const struct options_table run_options_pingpong = TABLE(RUN_PINGPONG);
const struct options_table run_options_reply = TABLE(RUN_REPLY);
