// SPDX-License-Identifier: GPL-2.0
/* pingpong_options: keywords of "pingpong". */
#include <stdio.h>
#include <string.h>

#include "../lib/names.h"
#include "pingpong_options.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_BUSY_POLL_NS	UNITS_NSEC_PER_SEC

const struct pingpong_options pingpong_options_defaults = {
	.start = {
		.run = {
			.time_ns = 10 * UNITS_NSEC_PER_SEC,
			.interval_ns = UNITS_NSEC_PER_SEC,
		},
		.ports = 1,
		.drain_ns = 10 * UNITS_NSEC_PER_SEC,
	},
};

static const char *const outs[] = { "copy", "zerocopy", NULL };

static const char *const layers[] = { "socket", "driver", "user", NULL };

const char *const pingpong_engines[] = {
	[PINGPONG_KTPUT] = "ktput",
	[PINGPONG_NPTCP] = "nptcp",
	NULL
};

static const char *const replies[] = {
	[KTPUT_REPLY_WORKER] = "worker",
	[KTPUT_REPLY_CALLBACK] = "callback",
	NULL
};

/* FIRST..LAST */
static int parse_sizes(const char *word, const struct options_entry *entry,
		       void *target, struct units_error *err)
{
	const char *dots = strstr(word, "..");
	struct pingpong_sizes sizes;
	char first[32];

	(void)entry;
	if (!dots || (size_t)(dots - word) >= sizeof(first)) {
		units_refuse(err, "'%s' is not like 1..1M", word);
		return -1;
	}
	snprintf(first, sizeof(first), "%.*s", (int)(dots - word), word);
	if (units_parse_size(first, 1, KTPUT_MAX_MESSAGE, &sizes.first, err) ||
	    units_parse_size(dots + 2, 1, KTPUT_MAX_MESSAGE, &sizes.last, err))
		return -1;
	if (sizes.first > sizes.last) {
		units_refuse(err, "sizes '%s' run downwards", word);
		return -1;
	}
	*(struct pingpong_sizes *)target = sizes;
	return 0;
}

static int parse_mac(const char *word, const struct options_entry *entry,
		     void *target, struct units_error *err)
{
	(void)entry;
	return ethernet_parse_mac(word, target, err);
}

/* Frames are sent at the driver, and no other layer below the socket. */
static int parse_layer(const char *word, const struct options_entry *entry,
		       void *target, struct units_error *err)
{
	static const unsigned int numbers[] = {
		KTPUT_LAYER_SOCKET, KTPUT_LAYER_DRIVER, CONFIG_LAYER_USER,
	};
	unsigned int choice;

	if (options_choice(word, entry, &choice, err))
		return -1;
	*(unsigned int *)target = numbers[choice];
	return 0;
}

#define START_OPTION(field)	.target = offsetof(struct start_options, field)
#define PINGPONG_OPTION(field)						\
	.target = offsetof(struct pingpong_options, field)

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
		.help = "start no sink: something answers on this host already",
	}, {
		.keyword = "from", .argument = "ADDRESS",
		.parse = options_word, START_OPTION(from),
		.help = "address to send from (default: the route's)",
	},
	RUN_OPTION_NETNS,
	{
		.keyword = "sink-netns", .argument = "NAME",
		.parse = options_word, START_OPTION(sink_netns),
		.help = "network namespace of the sink; it is started too",
	},
	RUN_OPTION_DEVICE,
	{
		.keyword = "layer", .argument = "socket|driver|user",
		.parse = parse_layer, .choices = layers, START_OPTION(layer),
		.help = "sockets of the kernel, with udp frames that are sent "
			"at the driver and turned round at the ingress hook, "
			"or an application's sockets (default socket)",
	}, {
		.keyword = "wait", .argument = "epoll|block|spin",
		.parse = options_choice, .choices = names_waits,
		PINGPONG_OPTION(wait),
		.help = "how an application waits: asleep in epoll_wait(), "
			"asleep in recv(), or not, calling recv() over and "
			"over (default epoll)",
	}, {
		.keyword = "busy-poll", .argument = "TIME",
		.parse = options_time, .min = 1000, .max = MAX_BUSY_POLL_NS,
		PINGPONG_OPTION(busy_poll_ns),
		.help = "SO_BUSY_POLL of an application's sockets, in whole "
			"microseconds (default net.core.busy_read)",
	}, {
		.keyword = "connect-per-request", .parse = options_set,
		.value = 1, PINGPONG_OPTION(reconnect),
		.help = "requests of tcp have a connection each, whose "
			"handshake counts",
	}, {
		.keyword = "sink-dev", .argument = "DEVICE",
		.parse = options_word, START_OPTION(sink_device),
		.help = "device of the sink (default: any, and with layer "
			"driver the one that has the address)",
	}, {
		.keyword = "mac", .argument = "ADDRESS", .parse = parse_mac,
		START_OPTION(mac),
		.help = "MAC address that frames go to (default: the "
			"neighbour's on the route)",
	},
	RUN_OPTION_STREAMS("connections, or flows of UDP (default 1)"),
	{
		.keyword = "size", .argument = "SIZE", .parse = options_size,
		.max = UINT32_MAX, PINGPONG_OPTION(size),
		.help = "bytes of requests and of responses (default 64)",
	}, {
		.keyword = "request", .argument = "SIZE",
		.parse = options_size, .max = UINT32_MAX,
		PINGPONG_OPTION(request),
		.help = "bytes of requests (default 64)",
	}, {
		.keyword = "response", .argument = "SIZE",
		.parse = options_size, .max = UINT32_MAX,
		PINGPONG_OPTION(response),
		.help = "bytes of responses (default: those of requests)",
	}, {
		.keyword = "sizes", .argument = "FIRST..LAST",
		.parse = parse_sizes, PINGPONG_OPTION(sizes),
		.help = "sweep sizes of both, each with its neighbours 3 bytes "
			"below and above; time and count are of each size "
			"(default: 200 round trips)",
	}, {
		.keyword = "engine", .argument = "ktput|nptcp",
		.parse = options_choice, .choices = pingpong_engines,
		PINGPONG_OPTION(engine),
		.help = "what measures the sizes: ktput, or NPtcp of NetPIPE, "
			"whose settings are the CPUs, the namespaces, port and "
			"count (default ktput)",
	}, {
		.keyword = "outstanding", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		PINGPONG_OPTION(outstanding),
		.help = "requests of a stream under way at a time (default 1)",
	}, {
		.keyword = "think", .argument = "TIME", .parse = options_time,
		.max = UINT64_MAX, PINGPONG_OPTION(think_ns),
		.help = "time from a response to the next request (default 0)",
	}, {
		.keyword = "rate", .argument = "N", .parse = options_count,
		.min = 1, .max = UINT64_MAX, PINGPONG_OPTION(rate),
		.help = "requests a second, all streams together; latency "
			"counts from when each is due (default: no limit)",
	}, {
		.keyword = "reply", .argument = "worker|callback",
		.parse = options_choice, .choices = replies,
		PINGPONG_OPTION(reply),
		.help = "from where messages are answered: a thread that is "
			"woken, or the socket's callback (default worker)",
	}, {
		.keyword = "timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		PINGPONG_OPTION(timeout_ns),
		.help = "time after which a request of udp is given up "
			"(default 1s)",
	},
	RUN_OPTION_COOKIE("number that datagrams begin with, the same at both "
			  "ends (default: at random)"),
	{
		.keyword = "out", .argument = "copy|zerocopy",
		.parse = options_choice, .choices = outs, START_OPTION(out),
		.help = "how messages of tcp are sent: copied from a buffer, "
			"or as references to pages (default zerocopy)",
	},
	RUN_OPTION_CONGESTION,
	{
		.keyword = "tos", .argument = "N", .parse = options_count,
		.max = UINT8_MAX, START_OPTION(tos),
		.help = "IPv4 type of service or IPv6 traffic class "
			"(default 0)",
	}, {
		.keyword = "priority", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		START_OPTION(priority),
		.help = "priority of the source's sockets, 0 to 6 (default 0)",
	},
	RUN_OPTION_CPUS("CPUs of the source (default: all; with a sink on this "
			"host the lower half)"),
	{
		.keyword = "sink-cpus", .argument = "LIST",
		.parse = options_cpus, START_OPTION(sink_cpus),
		.help = "CPUs of the sink (default: those that the source "
			"does not have)",
	}, {
		.keyword = "count", .argument = "N", .parse = options_count,
		.min = 1, .max = UINT64_MAX, START_OPTION(messages),
		.help = "how many requests, all streams together",
	},
	RUN_OPTION_TIME("how long; an upper limit beside count (default 10s "
			"without it)"),
	RUN_OPTION_INTERVAL,
	{
		.keyword = "drain-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(drain_ns),
		.help = "time that responses may take at the end (default 10s)",
	}, {
		.keyword = "connect-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(connect_ns),
		.help = "time within which all streams must be connected "
			"(default 5s)",
	},
};

const struct options_table pingpong_options_table = {
	.entry = entries, .count = COUNT(entries),
};

static int refuse_one(const char *keyword, const char *with,
		      struct units_error *err)
{
	units_refuse(err, "'%s' contradicts '%s'", keyword, with);
	return -1;
}

static int check_transport(const struct command_context *context,
			   const struct pingpong_options *options,
			   struct units_error *err)
{
	const bool udp = options->start.run.transport == KTPUT_TRANSPORT_UDP;
	const char *refused = NULL;

	if (!udp && start_options_frames(&options->start)) {
		units_refuse(err, "'layer driver' is for udp");
		return -1;
	}
	if (!start_options_frames(&options->start) &&
	    PINGPONG_GIVEN(context, start.mac)) {
		units_refuse(err, "'mac' is for layer driver");
		return -1;
	}
	if (udp && PINGPONG_GIVEN(context, start.out))
		refused = "out";
	else if (udp && PINGPONG_GIVEN(context, start.run.congestion))
		refused = "congestion";
	else if (udp && PINGPONG_GIVEN(context, start.connect_ns))
		refused = "connect-timeout";
	else if (udp && options->reconnect)
		refused = "connect-per-request";
	else if (!udp && PINGPONG_GIVEN(context, timeout_ns))
		refused = "timeout";
	else if (!udp && PINGPONG_GIVEN(context, start.run.cookie))
		refused = "cookie";
	if (!refused)
		return 0;
	units_refuse(err, "'%s' is for %s", refused, udp ? "tcp" : "udp");
	return -1;
}

static int check_user(const struct command_context *context,
		      const struct pingpong_options *options,
		      struct units_error *err)
{
	const bool user = options->start.layer == CONFIG_LAYER_USER;
	const char *refused = NULL;

	if (!user && PINGPONG_GIVEN(context, wait))
		refused = "wait";
	else if (!user && PINGPONG_GIVEN(context, busy_poll_ns))
		refused = "busy-poll";
	else if (user && PINGPONG_GIVEN(context, reply))
		refused = "reply";
	if (!refused)
		return 0;
	units_refuse(err, "'%s' is for layer %s", refused,
		     user ? "socket" : "user");
	return -1;
}

/* NPtcp has no setting for them. */
static int check_engine(const struct command_context *context,
			const struct pingpong_options *options,
			struct units_error *err)
{
#define FOREIGN(field, keyword)						\
	{ offsetof(struct pingpong_options, field), keyword }
	static const struct {
		size_t target;
		const char *keyword;
	} foreign[] = {
		FOREIGN(start.alone, "alone"), FOREIGN(start.from, "from"),
		FOREIGN(start.run.device, "dev"), FOREIGN(start.layer, "layer"),
		FOREIGN(start.sink_device, "sink-dev"),
		FOREIGN(start.run.streams, "streams"),
		FOREIGN(outstanding, "outstanding"), FOREIGN(think_ns, "think"),
		FOREIGN(rate, "rate"), FOREIGN(reply, "reply"),
		FOREIGN(start.out, "out"), FOREIGN(start.tos, "tos"),
		FOREIGN(start.run.congestion, "congestion"),
		FOREIGN(start.priority, "priority"),
		FOREIGN(start.run.time_ns, "time"),
		FOREIGN(start.drain_ns, "drain-timeout"),
		FOREIGN(start.connect_ns, "connect-timeout"),
	};
#undef FOREIGN

	if (options->engine == PINGPONG_KTPUT)
		return 0;
	if (!PINGPONG_GIVEN(context, sizes)) {
		units_refuse(err, "'engine nptcp' needs 'sizes'");
		return -1;
	}
	if (options->start.run.transport == KTPUT_TRANSPORT_UDP)
		return refuse_one("engine nptcp", "udp", err);
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (options_given(context->options, context->given,
				  foreign[i].target))
			return refuse_one("engine nptcp", foreign[i].keyword,
					  err);
	return 0;
}

/**
 * pingpong_options_check() - refuse combinations
 * @context: what was given
 * @data: struct pingpong_options
 * @err: why they are refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int pingpong_options_check(const struct command_context *context,
			   const void *data, struct units_error *err)
{
	const struct pingpong_options *options = data;
	const bool sizes = PINGPONG_GIVEN(context, sizes);

	if (PINGPONG_GIVEN(context, size) && PINGPONG_GIVEN(context, request))
		return refuse_one("size", "request", err);
	if (PINGPONG_GIVEN(context, size) && PINGPONG_GIVEN(context, response))
		return refuse_one("size", "response", err);
	if (sizes && PINGPONG_GIVEN(context, size))
		return refuse_one("sizes", "size", err);
	if (sizes && PINGPONG_GIVEN(context, request))
		return refuse_one("sizes", "request", err);
	if (sizes && PINGPONG_GIVEN(context, response))
		return refuse_one("sizes", "response", err);
	if (sizes && PINGPONG_GIVEN(context, start.run.interval_ns))
		return refuse_one("sizes", "interval", err);
	if (PINGPONG_GIVEN(context, think_ns) && PINGPONG_GIVEN(context, rate))
		return refuse_one("think", "rate", err);
	if (options->reconnect && PINGPONG_GIVEN(context, start.connect_ns))
		return refuse_one("connect-per-request", "connect-timeout", err);
	if (options->start.alone && options->start.sink_netns)
		return refuse_one("alone", "sink-netns", err);
	if ((options->start.alone || options->start.sink_netns) &&
	    !options->start.to) {
		units_refuse(err, "'%s' needs 'to'", options->start.alone ?
			     "alone" : "sink-netns");
		return -1;
	}
	return check_engine(context, options, err) ||
	       check_user(context, options, err) ||
	       check_transport(context, options, err) ? -1 : 0;
}
