/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_options: keywords of the commands that start runs.
 *
 * A command's configuration begins with a struct run_options, and its table
 * is put together from the entries here, so that a keyword means the same
 * everywhere.
 */
#ifndef KTPUT_CTL_RUN_OPTIONS_H
#define KTPUT_CTL_RUN_OPTIONS_H

#include <linux/ktput.h>

#include "../user/settings.h"
#include "../lib/command.h"

/* The port of a sink that nothing else is said of. */
#define RUN_OPTIONS_PORT	5010

/**
 * struct run_options - keywords that sources and sinks have in common
 * @transport: of enum ktput_transport
 * @port: port of the sink
 * @device: name of the device that sockets are bound to, or NULL
 * @netns: network namespace as netns_enter() takes it, or NULL for this one
 * @streams: streams of a source, or connections that a sink serves at a time
 * @cookie: what datagrams begin with
 * @in: how a sink takes payload, an index into run_options_in
 * @receive_buffer: SO_RCVBUF of a sink in bytes, before it is doubled
 * @congestion: TCP congestion control, or NULL for the kernel's
 * @mss: largest TCP segment in bytes
 * @cpus: CPUs of the run, or of the source where a command starts both ends
 * @time_ns: how long, after the warm-up of a source; 0 for a sink without end
 * @interval_ns: time between two lines
 * @detach: 1 to leave the runs running, else 0
 * @until_eof: 1 to end when standard input does, else 0
 * @record: file that the record goes to, or NULL
 *
 * Members that the command gives no default say nothing unless their keyword
 * was given.
 */
struct run_options {
	unsigned int transport;
	uint64_t port;
	const char *device;
	const char *netns;
	uint64_t streams;
	uint64_t cookie;
	unsigned int in;
	uint64_t receive_buffer;
	const char *congestion;
	uint64_t mss;
	struct units_cpus cpus;
	uint64_t time_ns;
	uint64_t interval_ns;
	unsigned int detach;
	unsigned int until_eof;
	const char *record;
};

extern const char *const run_options_in[];
extern const char *const run_options_sink_layers[];

/* Datagrams' calls of one system call, in user space. */
#define RUN_OPTION_BATCH(field)						\
	{								\
		.keyword = "batch", .argument = "N",			\
		.parse = options_count, .min = 1, .max = USER_BATCH_MAX,	\
		field,							\
		.help = "calls that one sendmmsg() or recvmmsg() makes, in "	\
			"user space with udp (default 1)",		\
	}

int run_options_method_in(unsigned int choice);
int run_options_sink_layer(unsigned int choice);
bool run_options_sink_sockets(unsigned int choice);
uint32_t run_options_cookie(void);

#define RUN_OPTION(field)	.target = offsetof(struct run_options, field)

#define RUN_OPTION_TCP							\
	{								\
		.keyword = "tcp", .parse = options_set,			\
		RUN_OPTION(transport), .value = KTPUT_TRANSPORT_TCP,	\
		.help = "TCP (default)",				\
	}
#define RUN_OPTION_UDP							\
	{								\
		.keyword = "udp", .parse = options_set,			\
		RUN_OPTION(transport), .value = KTPUT_TRANSPORT_UDP,	\
		.help = "UDP",						\
	}
#define RUN_OPTION_COOKIE(text)						\
	{								\
		.keyword = "cookie", .argument = "N",			\
		.parse = options_count, .max = UINT32_MAX,		\
		RUN_OPTION(cookie), .help = text,			\
	}
#define RUN_OPTION_PORT(least, text)					\
	{								\
		.keyword = "port", .argument = "P",			\
		.parse = options_count, .min = least,			\
		.max = UINT16_MAX, RUN_OPTION(port),			\
		.help = text,						\
	}
#define RUN_OPTION_DEVICE						\
	{								\
		.keyword = "dev", .argument = "DEVICE",			\
		.parse = options_word, RUN_OPTION(device),		\
		.help = "device that the sockets are bound to",		\
	}
#define RUN_OPTION_NETNS						\
	{								\
		.keyword = "netns", .argument = "NAME",			\
		.parse = options_word, RUN_OPTION(netns),		\
		.help = "network namespace: a name of ip-netns(8), a path, "	\
			"or a process number (default: this one)",	\
	}
#define RUN_OPTION_STREAMS(text)					\
	{								\
		.keyword = "streams", .argument = "N",			\
		.parse = options_count, .max = UINT32_MAX,		\
		RUN_OPTION(streams), .help = text,			\
	}
#define RUN_OPTION_IN							\
	{								\
		.keyword = "in", .argument = "copy|trunc|zerocopy|io_uring",	\
		.parse = options_choice, .choices = run_options_in,	\
		RUN_OPTION(in),						\
		.help = "how a sink takes payload: into a buffer, by "	\
			"MSG_TRUNC, where it lies, or in user space into a "	\
			"buffer by io_uring (default zerocopy, in user "	\
			"space copy)",					\
	}
#define RUN_OPTION_RCVBUF						\
	{								\
		.keyword = "rcvbuf", .argument = "SIZE",		\
		.parse = options_size, .max = UINT32_MAX,		\
		RUN_OPTION(receive_buffer),				\
		.help = "receive buffer of the sink's sockets as "	\
			"socket(7) counts it (default: tuned by the kernel)",	\
	}
#define RUN_OPTION_CONGESTION						\
	{								\
		.keyword = "congestion", .argument = "NAME",		\
		.parse = options_word, RUN_OPTION(congestion),		\
		.help = "TCP congestion control (default: the kernel's)",	\
	}
#define RUN_OPTION_MSS							\
	{								\
		.keyword = "mss", .argument = "N",			\
		.parse = options_count, .max = UINT32_MAX,		\
		RUN_OPTION(mss),					\
		.help = "largest TCP segment in bytes (default: from the "	\
			"route)",					\
	}
#define RUN_OPTION_CPUS(text)						\
	{								\
		.keyword = "cpus", .argument = "LIST",			\
		.parse = options_cpus, RUN_OPTION(cpus), .help = text,	\
	}
#define RUN_OPTION_TIME(text)						\
	{								\
		.keyword = "time", .argument = "TIME",			\
		.parse = options_time, .min = 1, .max = UINT64_MAX / 2,	\
		RUN_OPTION(time_ns), .help = text,			\
	}
#define RUN_OPTION_INTERVAL						\
	{								\
		.keyword = "interval", .argument = "TIME",		\
		.parse = options_time, .min = 10000000, .max = KTPUT_MAX_TIME,	\
		RUN_OPTION(interval_ns),				\
		.help = "time between two lines, 10 ms or more (default 1s)",	\
	}
#define RUN_OPTION_DETACH						\
	{								\
		.keyword = "detach", .parse = options_set, .value = 1,	\
		RUN_OPTION(detach),					\
		.help = "start, print the number of each run, and leave "	\
			"them running",					\
	}
#define RUN_OPTION_UNTIL_EOF(text)					\
	{								\
		.keyword = "until-eof", .parse = options_set, .value = 1,	\
		RUN_OPTION(until_eof), .help = text,			\
	}
#define RUN_OPTION_RECORD						\
	{								\
		.keyword = "record", .argument = "FILE",		\
		.parse = options_word, RUN_OPTION(record),		\
		.help = "write the whole record to FILE, as JSON on one line",	\
	}

#endif
