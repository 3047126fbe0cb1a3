// SPDX-License-Identifier: GPL-2.0
/* parse: parse messages of the ktput module. */
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "dump.h"

/* Parse the attributes nested in attribute @type of @message. */
static int open_nest(struct nlmsghdr *message, int type, struct nlattr **tb,
		     int max)
{
	struct nlattr *outer[KTPUT_A_MESSAGE_MAX + 1];

	if (genlmsg_parse(message, 0, outer, KTPUT_A_MESSAGE_MAX, NULL) ||
	    !outer[type] || nla_parse_nested(tb, max, outer[type], NULL))
		return -1;
	return 0;
}

static uint32_t get_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint64_t get_u64(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static uint16_t get_u16(struct nlattr *attr)
{
	return attr ? nla_get_u16(attr) : 0;
}

int parse_module(struct nlmsghdr *message, struct client_module *module)
{
	struct nlattr *tb[KTPUT_A_MODULE_MAX + 1];

	if (open_nest(message, KTPUT_A_MESSAGE_MODULE, tb, KTPUT_A_MODULE_MAX))
		return -1;
	*module = (struct client_module) {
		.clock_hz = get_u64(tb[KTPUT_A_MODULE_CLOCK_HZ]),
		.transmit_layers = get_u32(tb[KTPUT_A_MODULE_TRANSMIT_LAYERS]),
		.receive_layers = get_u32(tb[KTPUT_A_MODULE_RECEIVE_LAYERS]),
		.transmit_methods =
			get_u32(tb[KTPUT_A_MODULE_TRANSMIT_METHODS]),
		.receive_methods = get_u32(tb[KTPUT_A_MODULE_RECEIVE_METHODS]),
		.transports = get_u32(tb[KTPUT_A_MODULE_TRANSPORTS]),
		.max_streams = get_u32(tb[KTPUT_A_MODULE_MAX_STREAMS]),
		.max_runs = get_u32(tb[KTPUT_A_MODULE_MAX_RUNS]),
		.max_message_bytes = get_u32(tb[KTPUT_A_MODULE_MAX_MESSAGE]),
		.max_buffer_bytes = get_u32(tb[KTPUT_A_MODULE_MAX_BUFFER]),
	};
	if (tb[KTPUT_A_MODULE_VERSION])
		nla_strlcpy(module->version, tb[KTPUT_A_MODULE_VERSION],
			    sizeof(module->version));
	if (tb[KTPUT_A_MODULE_CLOCK])
		nla_strlcpy(module->clock, tb[KTPUT_A_MODULE_CLOCK],
			    sizeof(module->clock));
	return 0;
}

int parse_run(struct nlmsghdr *message, struct client_run *run)
{
	struct nlattr *tb[KTPUT_A_RUN_MAX + 1];

	if (open_nest(message, KTPUT_A_MESSAGE_RUN, tb, KTPUT_A_RUN_MAX))
		return -1;
	*run = (struct client_run) {
		.id = get_u32(tb[KTPUT_A_RUN_ID]),
		.role = get_u32(tb[KTPUT_A_RUN_ROLE]),
		.state = get_u32(tb[KTPUT_A_RUN_STATE]),
		.reason = get_u32(tb[KTPUT_A_RUN_REASON]),
		.error = (int)get_u32(tb[KTPUT_A_RUN_ERROR]),
		.now_ns = get_u64(tb[KTPUT_A_RUN_NOW]),
		.begun_ns = get_u64(tb[KTPUT_A_RUN_BEGUN]),
		.ended_ns = get_u64(tb[KTPUT_A_RUN_ENDED]),
		.streams = get_u32(tb[KTPUT_A_RUN_STREAMS]),
		.accepted = get_u64(tb[KTPUT_A_RUN_ACCEPTED]),
		.refused = get_u64(tb[KTPUT_A_RUN_REFUSED]),
		.closed = get_u64(tb[KTPUT_A_RUN_CLOSED]),
		.local_port = get_u16(tb[KTPUT_A_RUN_LOCAL_PORT]),
	};
	if (tb[KTPUT_A_RUN_REFUSAL])
		nla_strlcpy(run->refusal, tb[KTPUT_A_RUN_REFUSAL],
			    sizeof(run->refusal));
	return 0;
}

int parse_listing(struct nlmsghdr *message, struct client_listing *listing)
{
	struct nlattr *tb[KTPUT_A_MESSAGE_MAX + 1];

	if (parse_run(message, &listing->run) ||
	    genlmsg_parse(message, 0, tb, KTPUT_A_MESSAGE_MAX, NULL) ||
	    !tb[KTPUT_A_MESSAGE_CONFIG])
		return -1;
	config_get(&listing->config, tb[KTPUT_A_MESSAGE_CONFIG]);
	return 0;
}

static struct client_counters get_counters(struct nlattr *nest)
{
	struct nlattr *tb[KTPUT_A_COUNTERS_MAX + 1];
	struct client_counters counters = { 0 };

	if (!nest || nla_parse_nested(tb, KTPUT_A_COUNTERS_MAX, nest, NULL))
		return counters;
	for (int i = 0; i < KTPUT_COUNTERS; i++)
		counters.each[i] = get_u64(tb[KTPUT_A_COUNTERS_BYTES + i]);
	return counters;
}

static struct contexts get_contexts(struct nlattr *nest)
{
	struct nlattr *tb[KTPUT_A_CONTEXTS_MAX + 1];
	struct contexts contexts = { 0 };

	if (!nest || nla_parse_nested(tb, KTPUT_A_CONTEXTS_MAX, nest, NULL))
		return contexts;
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		contexts.known[i] = tb[i];
		contexts.cycles[i] = get_u64(tb[i]);
	}
	return contexts;
}

static struct events get_events(struct nlattr *counts, struct nlattr *errors)
{
	struct nlattr *tb[KTPUT_A_EVENTS_MAX + 1];
	struct events events = { 0 };

	if (counts && !nla_parse_nested(tb, KTPUT_A_EVENTS_MAX, counts, NULL)) {
		for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
			events.known[i] = tb[i];
			events.count[i] = get_u64(tb[i]);
		}
	}
	if (errors && !nla_parse_nested(tb, KTPUT_A_EVENT_ERRORS_MAX, errors,
					NULL))
		for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++)
			if (tb[i])
				events.reason[i] = events_reason(get_u32(tb[i]));
	return events;
}

int parse_cpu(struct nlmsghdr *message, struct client_cpu *cpu)
{
	struct nlattr *tb[KTPUT_A_CPU_MAX + 1];

	if (open_nest(message, KTPUT_A_MESSAGE_CPU, tb, KTPUT_A_CPU_MAX))
		return -1;
	*cpu = (struct client_cpu) {
		.id = get_u32(tb[KTPUT_A_CPU_ID]),
		.time_ns = get_u64(tb[KTPUT_A_CPU_TIME]),
		.cycles = get_u64(tb[KTPUT_A_CPU_CYCLES]),
		.idle_ns = get_u64(tb[KTPUT_A_CPU_IDLE]),
		.idle_known = tb[KTPUT_A_CPU_IDLE],
		.counters = get_counters(tb[KTPUT_A_CPU_COUNTERS]),
		.contexts = get_contexts(tb[KTPUT_A_CPU_CONTEXTS]),
		.events = get_events(tb[KTPUT_A_CPU_EVENTS],
				     tb[KTPUT_A_CPU_EVENT_ERRORS]),
		.thread_ns = get_u64(tb[KTPUT_A_CPU_THREAD_TIME]),
		.delay_known = tb[KTPUT_A_CPU_THREAD_DELAY],
		.delay_ns = get_u64(tb[KTPUT_A_CPU_THREAD_DELAY]),
	};
	return 0;
}

static void get_address(struct address *address, struct nlattr *ipv4,
			struct nlattr *ipv6, struct nlattr *port)
{
	struct nlattr *attr = ipv6 ? ipv6 : ipv4;

	if (!attr)
		return;
	address->storage.ss_family = ipv6 ? AF_INET6 : AF_INET;
	nla_memcpy((void *)address_bytes(address), attr,
		   address_length(address));
	address_set_port(address, get_u16(port));
}

static struct client_datagrams get_datagrams(struct nlattr *nest)
{
	struct nlattr *tb[KTPUT_A_DATAGRAM_MAX + 1];

	if (!nest || nla_parse_nested(tb, KTPUT_A_DATAGRAM_MAX, nest, NULL))
		return (struct client_datagrams) { 0 };
	return (struct client_datagrams) {
		.present = true,
		.received = get_u64(tb[KTPUT_A_DATAGRAM_DATAGRAMS]),
		.lost = get_u64(tb[KTPUT_A_DATAGRAM_LOST]),
		.reordered = get_u64(tb[KTPUT_A_DATAGRAM_REORDERED]),
		.duplicates = get_u64(tb[KTPUT_A_DATAGRAM_DUPLICATES]),
		.late = get_u64(tb[KTPUT_A_DATAGRAM_LATE]),
		.foreign = get_u64(tb[KTPUT_A_DATAGRAM_FOREIGN]),
		.drops = get_u64(tb[KTPUT_A_DATAGRAM_DROPS]),
		.refusals = get_u64(tb[KTPUT_A_DATAGRAM_REFUSALS]),
		.failures = get_u64(tb[KTPUT_A_DATAGRAM_SEND_FAILURES]),
		.failure = get_u32(tb[KTPUT_A_DATAGRAM_SEND_FAILURE]),
		.jitter_ns = get_u64(tb[KTPUT_A_DATAGRAM_JITTER]),
		.delay_known = tb[KTPUT_A_DATAGRAM_DELAY_MIN],
		.delay_min_ns = get_u64(tb[KTPUT_A_DATAGRAM_DELAY_MIN]),
		.delay_max_ns = get_u64(tb[KTPUT_A_DATAGRAM_DELAY_MAX]),
		.delay_sum_ns = get_u64(tb[KTPUT_A_DATAGRAM_DELAY_SUM]),
	};
}

int parse_stream(struct nlmsghdr *message, struct client_stream *stream)
{
	struct nlattr *tb[KTPUT_A_STREAM_MAX + 1];

	if (open_nest(message, KTPUT_A_MESSAGE_STREAM, tb, KTPUT_A_STREAM_MAX))
		return -1;
	*stream = (struct client_stream) {
		.id = get_u32(tb[KTPUT_A_STREAM_ID]),
		.cpu = get_u32(tb[KTPUT_A_STREAM_CPU]),
		.state = get_u32(tb[KTPUT_A_STREAM_STATE]),
		.error = (int)get_u32(tb[KTPUT_A_STREAM_ERROR]),
		.first_cycles = get_u64(tb[KTPUT_A_STREAM_FIRST_CYCLES]),
		.last_cycles = get_u64(tb[KTPUT_A_STREAM_LAST_CYCLES]),
		.copied = tb[KTPUT_A_STREAM_COPIED],
		.counters = get_counters(tb[KTPUT_A_STREAM_COUNTERS]),
		.datagrams = get_datagrams(tb[KTPUT_A_STREAM_DATAGRAM]),
		.unreturned = get_u32(tb[KTPUT_A_STREAM_UNRETURNED]),
		.recycled = tb[KTPUT_A_STREAM_RECYCLED],
	};
	get_address(&stream->local, tb[KTPUT_A_STREAM_LOCAL_IPV4],
		    tb[KTPUT_A_STREAM_LOCAL_IPV6],
		    tb[KTPUT_A_STREAM_LOCAL_PORT]);
	get_address(&stream->remote, tb[KTPUT_A_STREAM_REMOTE_IPV4],
		    tb[KTPUT_A_STREAM_REMOTE_IPV6],
		    tb[KTPUT_A_STREAM_REMOTE_PORT]);
	if (tb[KTPUT_A_STREAM_TCP_INFO])
		tcpinfo_parse(&stream->tcp,
			      nla_data(tb[KTPUT_A_STREAM_TCP_INFO]),
			      nla_len(tb[KTPUT_A_STREAM_TCP_INFO]));
	return 0;
}

int parse_peer(struct nlmsghdr *message, struct client_peer *peer)
{
	struct nlattr *tb[KTPUT_A_PEER_MAX + 1];

	if (open_nest(message, KTPUT_A_MESSAGE_PEER, tb, KTPUT_A_PEER_MAX))
		return -1;
	*peer = (struct client_peer) {
		.id = get_u32(tb[KTPUT_A_PEER_ID]),
		.stream = get_u32(tb[KTPUT_A_PEER_STREAM]),
		.first_ns = get_u64(tb[KTPUT_A_PEER_FIRST]),
		.last_ns = get_u64(tb[KTPUT_A_PEER_LAST]),
		.bytes = get_u64(tb[KTPUT_A_PEER_BYTES]),
		.datagrams = get_u64(tb[KTPUT_A_PEER_DATAGRAMS]),
		.lost = get_u64(tb[KTPUT_A_PEER_LOST]),
	};
	get_address(&peer->remote, tb[KTPUT_A_PEER_IPV4],
		    tb[KTPUT_A_PEER_IPV6], tb[KTPUT_A_PEER_PORT]);
	return 0;
}

int parse_latency(struct nlmsghdr *message, struct histogram *latency)
{
	struct nlattr *tb[KTPUT_A_LATENCY_MAX + 1];
	struct nlattr *counts;
	size_t first, count;

	if (open_nest(message, KTPUT_A_MESSAGE_LATENCY, tb,
		      KTPUT_A_LATENCY_MAX))
		return -1;
	histogram_init(latency);
	latency->sum_ns = get_u64(tb[KTPUT_A_LATENCY_SUM]);
	latency->timeouts = get_u64(tb[KTPUT_A_LATENCY_TIMEOUTS]);
	latency->late = get_u64(tb[KTPUT_A_LATENCY_LATE]);
	if (tb[KTPUT_A_LATENCY_UNANSWERED])
		latency->unanswered = get_u64(tb[KTPUT_A_LATENCY_UNANSWERED]);
	if (tb[KTPUT_A_LATENCY_LEAST])
		latency->least_ns = get_u64(tb[KTPUT_A_LATENCY_LEAST]);
	latency->greatest_ns = get_u64(tb[KTPUT_A_LATENCY_GREATEST]);
	counts = tb[KTPUT_A_LATENCY_COUNTS];
	if (!counts)
		return 0;
	first = get_u32(tb[KTPUT_A_LATENCY_FIRST]);
	count = nla_len(counts) / sizeof(uint64_t);
	for (size_t i = 0; i < count && first + i < KTPUT_HISTOGRAM_BUCKETS;
	     i++) {
		uint64_t *bucket = &latency->bucket[first + i];

		memcpy(bucket, (uint64_t *)nla_data(counts) + i,
		       sizeof(*bucket));
		latency->count += *bucket;
	}
	return 0;
}
