/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_options: keywords of "start", "sink", "pingpong" and "reply".
 *
 * Each keyword has one row: the commands that have it, the layers and transports
 * it applies to, the attribute and end it sets, its bounds, choices and help.
 * Parsing, refusals, configuration and help are loops over the rows.
 */
#ifndef KTPUT_CTL_RUN_OPTIONS_H
#define KTPUT_CTL_RUN_OPTIONS_H

#include <linux/ktput.h>

#include "../base/command.h"
#include "../ceilings/ceiling_atm.h"
#include "../host/address.h"
#include "../module/config.h"
#include "../module/framesize.h"

/* Maximum number of runs if "until" is given alone; netperf's -I has the same. */
#define REPEAT_DEFAULT	10
#define REPEAT_MAX	10000

/**
 * struct repeat_options - how often a run is repeated
 * @count: number of runs, a maximum if @ci_percent is set; 0 for a single run
 * @ci_percent: half width of the confidence interval relative to the mean at which
 *	to stop; 0 to ignore it
 */
struct repeat_options {
	uint64_t count;
	double ci_percent;
};

/* Default share of a CPU that others may use before a result is disturbed. */
#define RUN_OPTIONS_DISTURBED_PERCENT	5
/* Default share of a run that following its messages may cost: all of it is followed. */
#define RUN_OPTIONS_STAGES_PERCENT	100
/* Default port of a sink. */
#define RUN_OPTIONS_PORT	5010
/* Default address of a sink: this host, over loopback. */
#define RUN_OPTIONS_TO		"127.0.0.1"
/* The first of the dynamic ports, RFC 6335 6. */
#define RUN_OPTIONS_FROM_PORT	49152
/* An interval longer than any run. */
#define RUN_OPTIONS_NO_INTERVAL	(INT64_MAX / 4)

/* Commands, one bit each. */
#define RUN_START		0x1
#define RUN_SINK		0x2
#define RUN_PINGPONG		0x4
#define RUN_REPLY		0x8
/* A command with a sink alone, and those of round trips. */
#define RUN_SINKS		(RUN_SINK | RUN_REPLY)
#define RUN_TRIPS		(RUN_PINGPONG | RUN_REPLY)

/* Ends that have an attribute, one bit each. */
#define RUN_END_SOURCE		0x1
#define RUN_END_SINK		0x2
#define RUN_END_BOTH		(RUN_END_SOURCE | RUN_END_SINK)

/**
 * struct run_sizes - range of sizes of a sweep
 * @first: smallest size in bytes
 * @last: largest size in bytes
 */
struct run_sizes {
	uint64_t first;
	uint64_t last;
};

/**
 * struct run_options - parsed options
 * @number: values that are only copied to the attribute of the same number,
 *	KTPUT_A_CONFIG_...
 * @transport: of enum ktput_transport
 * @to: address or name of the sink, or NULL
 * @on: address that a sink listens on, or NULL
 * @port: port of the sink
 * @alone: 1 to start no sink
 * @unchecked: 1 to send datagrams even without a receiver
 * @from: address to send from, or NULL for the route's
 * @from_port: first port to send from
 * @netns: network namespace as netns_enter() takes it, or NULL for this one
 * @sink_netns: network namespace of the sink, or NULL
 * @device: name of the source's device, or NULL
 * @sink_device: name of the sink's device, or NULL
 * @remote: host of the other end as ssh(1) takes it, or NULL for this one
 * @reverse: 1 if the other end is the source
 * @bidir: not 0 for a run each way at one time, see bidir.h
 * @exclusive: 1 for no other such run on either host
 * @engine: what makes the traffic
 * @layer: layer of the source, of enum ktput_layer
 * @sink_layer: layer of the sink, likewise
 * @streams: streams of a source, or connections that a sink serves at a time
 * @size: bytes of a call, a datagram or a frame
 * @segments: datagrams of a call
 * @batch: calls of a system call
 * @rate: maximum rate of all streams together
 * @burst: frames handed to the driver at a time
 * @queues: transmit queues
 * @reuse: 1 to send one frame over and over
 * @pace_only: 1 to wait for frames and send none
 * @mac: MAC address that frames go to
 * @from_mac: MAC address that frames come from
 * @vlan: tag control information of a tag
 * @vlan_inner: likewise, of a tag within it
 * @ports: ports that each stream sends to
 * @from_ports: ports that each stream sends from
 * @addresses: number of destination addresses
 * @from_addresses: number of source addresses
 * @flow_seed: what the order of random ports and addresses follows from
 * @cookie: number at the start of each datagram
 * @method: method of sending payload, of enum ktput_method
 * @sink_method: method of receiving payload, likewise
 * @send_buffer: SO_SNDBUF of a source in bytes, before it is doubled
 * @receive_buffer: SO_RCVBUF of a sink in bytes, before it is doubled
 * @congestion: TCP congestion control, or NULL for the kernel's
 * @no_delay: 1 for no Nagle algorithm
 * @pace_bps: maximum bit/s of each stream
 * @request: bytes of requests
 * @response: bytes of responses
 * @sizes: sizes of a sweep
 * @thin: each how many of the sizes of a sweep is measured
 * @outstanding: requests of a stream in flight at a time
 * @think_ns: from a response to the next request
 * @request_rate: requests per second of all streams together
 * @reply: of enum ktput_reply
 * @wait: of enum config_wait
 * @busy_poll_ns: SO_BUSY_POLL
 * @reconnect: 1 for a connection for each request
 * @timeout_ns: timeout of a request
 * @link: type of the path, of enum ceiling_atm_kind
 * @link_rate_bps: bit/s of the path
 * @cpus: CPUs of the source
 * @sink_cpus: CPUs of the sink
 * @time_ns: duration, after the warm-up of a source; 0 for a sink without end
 * @bytes: bytes to transfer
 * @messages: number of messages or requests
 * @once: 1 for a sink that ends when its peers have closed
 * @warmup_ns: warm-up, excluded from the result
 * @interval_ns: time between two lines
 * @drain_ns: time to wait for data in flight at the end
 * @connect_ns: time to connect
 * @repeat: how often the run is repeated
 * @disturbed_percent: share of a CPU of the run that other work may use
 * @profile: 1 to sample the CPUs during the run
 * @drops: 1 to watch what the kernel drops, else 0
 * @stages: 1 to follow messages, else 0
 * @stages_percent: share of the run that this may cost
 * @trace: file for the messages that are followed, or NULL
 * @detach: 1 to leave the runs running, else 0
 * @until_eof: 1 to end when standard input does, else 0
 * @record: file that the record goes to, or NULL
 * @json_stream: 1 to print each interval as JSON when it ends, else 0
 * @replace: 1 to replace the content of that file with the record, else 0
 *
 * A member without a default in the command is valid only if its keyword was
 * given.
 */
struct run_options {
	uint64_t number[KTPUT_A_CONFIG_MAX + 1];
	unsigned int transport;
	const char *to;
	const char *on;
	uint64_t port;
	unsigned int alone;
	unsigned int unchecked;
	const char *from;
	uint64_t from_port;
	const char *netns;
	const char *sink_netns;
	const char *device;
	const char *sink_device;
	const char *remote;
	unsigned int reverse;
	unsigned int bidir;
	unsigned int exclusive;
	unsigned int engine;
	unsigned int layer;
	unsigned int sink_layer;
	uint64_t streams;
	struct framesize size;
	uint64_t segments;
	uint64_t batch;
	struct units_rate rate;
	uint64_t burst;
	struct units_cpus queues;
	unsigned int reuse;
	unsigned int pace_only;
	struct ethernet_mac mac;
	struct ethernet_mac from_mac;
	uint64_t vlan;
	uint64_t vlan_inner;
	uint64_t ports;
	uint64_t from_ports;
	uint64_t addresses;
	uint64_t from_addresses;
	uint64_t flow_seed;
	uint64_t cookie;
	unsigned int method;
	unsigned int sink_method;
	uint64_t send_buffer;
	uint64_t receive_buffer;
	const char *congestion;
	unsigned int no_delay;
	uint64_t pace_bps;
	uint64_t request;
	uint64_t response;
	struct run_sizes sizes;
	uint64_t thin;
	uint64_t outstanding;
	uint64_t think_ns;
	uint64_t request_rate;
	unsigned int reply;
	unsigned int wait;
	uint64_t busy_poll_ns;
	unsigned int reconnect;
	uint64_t timeout_ns;
	unsigned int link;
	uint64_t link_rate_bps;
	struct units_cpus cpus;
	struct units_cpus sink_cpus;
	uint64_t time_ns;
	uint64_t bytes;
	uint64_t messages;
	unsigned int once;
	uint64_t warmup_ns;
	uint64_t interval_ns;
	uint64_t drain_ns;
	uint64_t connect_ns;
	struct repeat_options repeat;
	double disturbed_percent;
	unsigned int profile;
	unsigned int drops;
	unsigned int stages;
	double stages_percent;
	const char *trace;
	unsigned int detach;
	unsigned int until_eof;
	const char *record;
	unsigned int replace;
	unsigned int json_stream;
};

/* The tables of the commands: each selects from the same rows. */
extern const struct options_table run_options_start;
extern const struct options_table run_options_sink;
extern const struct options_table run_options_pingpong;
extern const struct options_table run_options_reply;

/* What people type who come from iperf3 and netperf. */
extern const struct options_habit run_options_habits[];

/* Defaults of the commands that have a source. */
extern const struct run_options run_options_defaults;

/* Whether the keyword of a member of struct run_options was given. */
#define RUN_GIVEN(context, field)					\
	options_given((context)->options, (context)->given,		\
		      offsetof(struct run_options, field))

bool run_options_sockets(unsigned int layer);
bool run_options_frames(const struct run_options *options);
uint32_t run_options_cookie(void);
int run_options_check(const struct command_context *context, const void *data,
		      struct units_error *err);
int run_options_check_sink(const struct command_context *context,
			   const char *to, struct units_error *err);
int run_options_configure(const struct command_context *context,
			  const struct run_options *options, unsigned int end,
			  struct config *config, struct units_error *err);

/* run_words: the words that keywords of a run take, and their parsers. */
extern const struct options_choice run_words_layers[];
extern const struct options_choice run_words_sink_layers[];
extern const struct options_choice run_words_methods[];
extern const struct options_choice run_words_sink_methods[];
extern const struct options_choice run_words_waits[];
extern const struct options_choice run_words_engines[];
extern const struct options_choice run_words_replies[];
extern const struct options_choice run_words_links[];

/* Parsers of entries. */
int run_words_framesize(const char *word, const struct options_entry *entry,
			void *target, struct units_error *err);
int run_words_mac(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err);
int run_words_tag(const char *word, const struct options_entry *entry,
		  void *target, struct units_error *err);
int run_words_host(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err);
int run_words_dscp(const char *word, const struct options_entry *entry,
		   void *target, struct units_error *err);
int run_words_sweep(const char *word, const struct options_entry *entry,
		    void *target, struct units_error *err);

int dscp_parse(const char *word, uint64_t *tos, struct units_error *err);

#endif
