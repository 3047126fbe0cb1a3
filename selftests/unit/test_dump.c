// SPDX-License-Identifier: GPL-2.0
/* dump: messages as the module sends them, and what the tools make of them. */
#include <netinet/tcp.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdlib.h>

#include "../../tools/module/dump.h"
#include "test.h"

/* More CPUs and streams than there is room for at first. */
#define ELEMENTS	20

/* An attribute of @bytes, 0 for a flag, and the member that it becomes. */
struct row {
	const char *name;
	int attribute;
	size_t bytes;
	size_t offset;
	size_t size;
};

#define ROW(of, member, bytes, attribute)				\
	{ #of "." #member, KTPUT_A_##attribute, bytes,			\
	  offsetof(struct of, member), sizeof(((struct of *)0)->member) }

static const struct row module_rows[] = {
	ROW(client_module, clock_hz, 8, MODULE_CLOCK_HZ),
	ROW(client_module, transmit_layers, 4, MODULE_TRANSMIT_LAYERS),
	ROW(client_module, receive_layers, 4, MODULE_RECEIVE_LAYERS),
	ROW(client_module, transmit_methods, 4, MODULE_TRANSMIT_METHODS),
	ROW(client_module, receive_methods, 4, MODULE_RECEIVE_METHODS),
	ROW(client_module, transports, 4, MODULE_TRANSPORTS),
	ROW(client_module, max_streams, 4, MODULE_MAX_STREAMS),
	ROW(client_module, max_runs, 4, MODULE_MAX_RUNS),
	ROW(client_module, max_message_bytes, 4, MODULE_MAX_MESSAGE),
	ROW(client_module, max_buffer_bytes, 4, MODULE_MAX_BUFFER),
};

static const struct row run_rows[] = {
	ROW(client_run, id, 4, RUN_ID),
	ROW(client_run, role, 4, RUN_ROLE),
	ROW(client_run, state, 4, RUN_STATE),
	ROW(client_run, reason, 4, RUN_REASON),
	ROW(client_run, error, 4, RUN_ERROR),
	ROW(client_run, now_ns, 8, RUN_NOW),
	ROW(client_run, begun_ns, 8, RUN_BEGUN),
	ROW(client_run, ended_ns, 8, RUN_ENDED),
	ROW(client_run, streams, 4, RUN_STREAMS),
	ROW(client_run, accepted, 8, RUN_ACCEPTED),
	ROW(client_run, refused, 8, RUN_REFUSED),
	ROW(client_run, closed, 8, RUN_CLOSED),
	ROW(client_run, local_port, 2, RUN_LOCAL_PORT),
};

static const struct row counters_rows[] = {
	ROW(client_counters, bytes, 8, COUNTERS_BYTES),
	ROW(client_counters, messages, 8, COUNTERS_MESSAGES),
	ROW(client_counters, calls, 8, COUNTERS_CALLS),
	ROW(client_counters, would_blocks, 8, COUNTERS_WOULD_BLOCKS),
	ROW(client_counters, wake_ups, 8, COUNTERS_WAKE_UPS),
	ROW(client_counters, call_cycles, 8, COUNTERS_CALL_CYCLES),
	ROW(client_counters, drops, 8, COUNTERS_DROPS),
	ROW(client_counters, busy, 8, COUNTERS_BUSY),
	ROW(client_counters, stopped, 8, COUNTERS_STOPPED),
};

static const struct row contexts_rows[] = {
	ROW(contexts, cycles[KTPUT_A_CONTEXTS_SOURCE], 8, CONTEXTS_SOURCE),
	ROW(contexts, cycles[KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE], 8,
	    CONTEXTS_SOFTIRQ_RECEIVE),
	ROW(contexts, cycles[KTPUT_A_CONTEXTS_IDLE], 8, CONTEXTS_IDLE),
};

static const struct row events_rows[] = {
	ROW(events, count[KTPUT_A_EVENTS_CORE_CYCLES], 8, EVENTS_CORE_CYCLES),
	ROW(events, count[KTPUT_A_EVENTS_CPU_MIGRATIONS], 8,
	    EVENTS_CPU_MIGRATIONS),
};

static const struct row cpu_rows[] = {
	ROW(client_cpu, id, 4, CPU_ID),
	ROW(client_cpu, time_ns, 8, CPU_TIME),
	ROW(client_cpu, cycles, 8, CPU_CYCLES),
	ROW(client_cpu, idle_ns, 8, CPU_IDLE),
	ROW(client_cpu, thread_ns, 8, CPU_THREAD_TIME),
	ROW(client_cpu, delay_ns, 8, CPU_THREAD_DELAY),
};

static const struct row stream_rows[] = {
	ROW(client_stream, id, 4, STREAM_ID),
	ROW(client_stream, cpu, 4, STREAM_CPU),
	ROW(client_stream, state, 4, STREAM_STATE),
	ROW(client_stream, error, 4, STREAM_ERROR),
	ROW(client_stream, first_cycles, 8, STREAM_FIRST_CYCLES),
	ROW(client_stream, last_cycles, 8, STREAM_LAST_CYCLES),
	ROW(client_stream, copied, 0, STREAM_COPIED),
	ROW(client_stream, unreturned, 4, STREAM_UNRETURNED),
	ROW(client_stream, recycled, 0, STREAM_RECYCLED),
};

static const struct row datagrams_rows[] = {
	ROW(client_datagrams, received, 8, DATAGRAM_DATAGRAMS),
	ROW(client_datagrams, lost, 8, DATAGRAM_LOST),
	ROW(client_datagrams, reordered, 8, DATAGRAM_REORDERED),
	ROW(client_datagrams, duplicates, 8, DATAGRAM_DUPLICATES),
	ROW(client_datagrams, late, 8, DATAGRAM_LATE),
	ROW(client_datagrams, foreign, 8, DATAGRAM_FOREIGN),
	ROW(client_datagrams, drops, 8, DATAGRAM_DROPS),
	ROW(client_datagrams, refusals, 8, DATAGRAM_REFUSALS),
	ROW(client_datagrams, failures, 8, DATAGRAM_SEND_FAILURES),
	ROW(client_datagrams, failure, 4, DATAGRAM_SEND_FAILURE),
	ROW(client_datagrams, jitter_ns, 8, DATAGRAM_JITTER),
	ROW(client_datagrams, delay_min_ns, 8, DATAGRAM_DELAY_MIN),
	ROW(client_datagrams, delay_max_ns, 8, DATAGRAM_DELAY_MAX),
	ROW(client_datagrams, delay_sum_ns, 8, DATAGRAM_DELAY_SUM),
};

static const struct row peer_rows[] = {
	ROW(client_peer, id, 4, PEER_ID),
	ROW(client_peer, stream, 4, PEER_STREAM),
	ROW(client_peer, first_ns, 8, PEER_FIRST),
	ROW(client_peer, last_ns, 8, PEER_LAST),
	ROW(client_peer, bytes, 8, PEER_BYTES),
	ROW(client_peer, datagrams, 8, PEER_DATAGRAMS),
	ROW(client_peer, lost, 8, PEER_LOST),
};

static const struct row latency_rows[] = {
	ROW(histogram, sum_ns, 8, LATENCY_SUM),
	ROW(histogram, least_ns, 8, LATENCY_LEAST),
	ROW(histogram, greatest_ns, 8, LATENCY_GREATEST),
	ROW(histogram, timeouts, 8, LATENCY_TIMEOUTS),
	ROW(histogram, late, 8, LATENCY_LATE),
	ROW(histogram, unanswered, 8, LATENCY_UNANSWERED),
};

/* Every attribute of every element has a value of its own; every other has a flag. */
static uint64_t value(const struct row *row, int element)
{
	return row->bytes ? 1000 * (element + 1) + 10 * row->attribute :
			    element % 2;
}

static void put(struct nl_msg *msg, const struct row *row, size_t count,
		int element)
{
	for (; count--; row++) {
		const uint64_t number = value(row, element);

		if (row->bytes == 8)
			nla_put_u64(msg, row->attribute, number);
		else if (row->bytes == 4)
			nla_put_u32(msg, row->attribute, number);
		else if (row->bytes == 2)
			nla_put_u16(msg, row->attribute, number);
		else if (number)
			nla_put_flag(msg, row->attribute);
	}
}

static void put_nest(struct nl_msg *msg, int type, const struct row *row,
		     size_t count, int element)
{
	struct nlattr *nest = nla_nest_start(msg, type);

	put(msg, row, count, element);
	nla_nest_end(msg, nest);
}

static void check(const void *of, const struct row *row, size_t count,
		  int element)
{
	for (; count--; row++) {
		const void *member = (const char *)of + row->offset;
		const uint64_t have = row->size == 8 ? *(uint64_t *)member :
				      row->size == 4 ? *(uint32_t *)member :
				      row->size == 2 ? *(uint16_t *)member :
						       *(bool *)member;

		TEST_U64(row->name, have, value(row, element));
	}
}

#define PUT(msg, rows, element)		put(msg, rows, TEST_COUNT(rows), element)
#define PUT_NEST(msg, type, rows, element)				\
	put_nest(msg, KTPUT_A_##type, rows, TEST_COUNT(rows), element)
#define CHECK(of, rows, element)	check(of, rows, TEST_COUNT(rows), element)

static struct nl_msg *message(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, 0x10, 0, 0, KTPUT_CMD_COUNTERS_GET, 1);
	return msg;
}

/* A message that begins with a nest; hand_over() ends both. */
struct sending {
	struct nl_msg *msg;
	struct nlattr *nest;
};

static struct sending begin(int type)
{
	struct nl_msg *msg = message();

	return (struct sending) { msg, nla_nest_start(msg, type) };
}

static void hand_over(struct sending of, struct dump_snapshot *to)
{
	nla_nest_end(of.msg, of.nest);
	dump_take_part(nlmsg_hdr(of.msg), to);
	nlmsg_free(of.msg);
}

/* IPv4 and IPv6 by turns. */
static void put_address(struct nl_msg *msg, int ipv4, int ipv6, int port,
			int element)
{
	const uint8_t bytes[16] = { 192, 0, 2, element + 1 };

	if (element % 2)
		nla_put(msg, ipv6, sizeof(bytes), bytes);
	else
		nla_put(msg, ipv4, 4, bytes);
	nla_put_u16(msg, port, 5000 + port);
}

static void check_address(const char *name, const struct address *address,
			  int port, int element)
{
	char text[64];

	if (element % 2)
		snprintf(text, sizeof(text), "[c000:2%02x::]:%d", element + 1,
			 5000 + port);
	else
		snprintf(text, sizeof(text), "192.0.2.%d:%d", element + 1,
			 5000 + port);
	TEST_STRING(name, address_show_port(address).text, text);
}

static void send_cpu(struct dump_snapshot *to, int element)
{
	struct sending cpu = begin(KTPUT_A_MESSAGE_CPU);
	struct nlattr *errors;

	PUT(cpu.msg, cpu_rows, element);
	PUT_NEST(cpu.msg, CPU_COUNTERS, counters_rows, element);
	PUT_NEST(cpu.msg, CPU_CONTEXTS, contexts_rows, element);
	PUT_NEST(cpu.msg, CPU_EVENTS, events_rows, element);
	errors = nla_nest_start(cpu.msg, KTPUT_A_CPU_EVENT_ERRORS);
	nla_put_u32(cpu.msg, KTPUT_A_EVENT_ERRORS_INSTRUCTIONS, 2);
	nla_nest_end(cpu.msg, errors);
	hand_over(cpu, to);
}

static void send_stream(struct dump_snapshot *to, int element)
{
	const struct tcp_info info = {
		.tcpi_options = element % 2 ? TCPI_OPT_TIMESTAMPS : 0,
		.tcpi_snd_mss = element + 1, .tcpi_rtt = element + 2,
		.tcpi_total_retrans = element + 3,
	};
	/* A kernel may have less than the tools know. */
	const int size = element % 3 ? sizeof(info) :
			 offsetof(struct tcp_info, tcpi_total_retrans);
	struct sending stream = begin(KTPUT_A_MESSAGE_STREAM);

	PUT(stream.msg, stream_rows, element);
	PUT_NEST(stream.msg, STREAM_COUNTERS, counters_rows, element);
	put_address(stream.msg, KTPUT_A_STREAM_LOCAL_IPV4,
		    KTPUT_A_STREAM_LOCAL_IPV6, KTPUT_A_STREAM_LOCAL_PORT, element);
	put_address(stream.msg, KTPUT_A_STREAM_REMOTE_IPV4,
		    KTPUT_A_STREAM_REMOTE_IPV6, KTPUT_A_STREAM_REMOTE_PORT,
		    element + 1);
	if (element % 2)
		PUT_NEST(stream.msg, STREAM_DATAGRAM, datagrams_rows, element);
	nla_put(stream.msg, KTPUT_A_STREAM_TCP_INFO, size, &info);
	hand_over(stream, to);
}

static void send_peer(struct dump_snapshot *to, int element)
{
	struct sending peer = begin(KTPUT_A_MESSAGE_PEER);

	PUT(peer.msg, peer_rows, element);
	put_address(peer.msg, KTPUT_A_PEER_IPV4, KTPUT_A_PEER_IPV6,
		    KTPUT_A_PEER_PORT, element);
	hand_over(peer, to);
}

static void check_cpu(const struct client_cpu *cpu, int element)
{
	CHECK(cpu, cpu_rows, element);
	CHECK(&cpu->counters, counters_rows, element);
	CHECK(&cpu->contexts, contexts_rows, element);
	CHECK(&cpu->events, events_rows, element);
	TEST_TRUE("idle", cpu->idle_known);
	TEST_TRUE("run delay", cpu->delay_known);
	TEST_TRUE("a context", cpu->contexts.known[KTPUT_A_CONTEXTS_IDLE]);
	TEST_TRUE("none", !cpu->contexts.known[KTPUT_A_CONTEXTS_SINK]);
	TEST_TRUE("an event", cpu->events.known[KTPUT_A_EVENTS_CORE_CYCLES]);
	TEST_TRUE("none", !cpu->events.known[KTPUT_A_EVENTS_INSTRUCTIONS]);
	TEST_STRING("why", cpu->events.reason[KTPUT_A_EVENTS_INSTRUCTIONS],
		    events_reason(2));
	TEST_TRUE("of no other", !cpu->events.reason[KTPUT_A_EVENTS_CORE_CYCLES]);
}

static void check_stream(const struct client_stream *stream, int element)
{
	CHECK(stream, stream_rows, element);
	CHECK(&stream->counters, counters_rows, element);
	check_address("local", &stream->local, KTPUT_A_STREAM_LOCAL_PORT, element);
	check_address("remote", &stream->remote, KTPUT_A_STREAM_REMOTE_PORT,
		      element + 1);
	TEST_U64("datagrams", stream->datagrams.present, element % 2);
	TEST_U64("delays", stream->datagrams.delay_known, element % 2);
	if (element % 2)
		CHECK(&stream->datagrams, datagrams_rows, element);
	TEST_U64("timestamps", stream->tcp.timestamps, element % 2);
	TEST_U64("segment", stream->tcp.send_mss_bytes, element + 1);
	TEST_U64("round trip", stream->tcp.rtt_us, element + 2);
	TEST_U64("retransmissions", stream->tcp.retransmissions,
		 element % 3 ? element + 3 : 0);
}

/* Nothing of any element is lost, or another's. */
static void snapshot(void)
{
	struct client_snapshot have = { 0 };
	struct dump_snapshot dump = { .snapshot = &have };
	struct sending run = begin(KTPUT_A_MESSAGE_RUN);

	PUT(run.msg, run_rows, 0);
	nla_put_string(run.msg, KTPUT_A_RUN_REFUSAL, "why");
	hand_over(run, &dump);
	for (int i = 0; i < ELEMENTS; i++) {
		send_cpu(&dump, i);
		send_stream(&dump, i);
		send_peer(&dump, i);
	}
	TEST_TRUE("memory", !dump.no_memory);
	CHECK(&have.run, run_rows, 0);
	TEST_STRING("refusal", have.run.refusal, "why");
	TEST_U64("CPUs", have.cpu_count, ELEMENTS);
	TEST_U64("streams", have.stream_count, ELEMENTS);
	TEST_U64("peers", have.peer_count, ELEMENTS);
	TEST_TRUE("no histogram", !have.latency);
	for (int i = 0; i < ELEMENTS; i++) {
		check_cpu(&have.cpus[i], i);
		check_stream(&have.streams[i], i);
		CHECK(&have.peers[i], peer_rows, i);
		check_address("peer", &have.peers[i].remote, KTPUT_A_PEER_PORT, i);
	}
	client_snapshot_free(&have);
}

static void send_latency(struct dump_snapshot *to, uint32_t first,
			 const uint64_t *counts, size_t count, int element)
{
	struct sending part = begin(KTPUT_A_MESSAGE_LATENCY);

	nla_put_u32(part.msg, KTPUT_A_LATENCY_CPU, element);
	PUT(part.msg, latency_rows, element);
	nla_put_u32(part.msg, KTPUT_A_LATENCY_FIRST, first);
	nla_put(part.msg, KTPUT_A_LATENCY_COUNTS, count * sizeof(*counts), counts);
	hand_over(part, to);
}

/* The histograms of all CPUs are one. */
static void latency(void)
{
	static const uint64_t counts[] = { 1, 20, 300 };
	const int last = KTPUT_HISTOGRAM_BUCKETS - 1;
	struct client_snapshot have = { 0 };
	struct dump_snapshot dump = { .snapshot = &have };
	struct sending rest = begin(KTPUT_A_MESSAGE_LATENCY);

	send_latency(&dump, 5, counts, TEST_COUNT(counts), 0);
	CHECK(have.latency, latency_rows, 0);
	send_latency(&dump, 6, counts, TEST_COUNT(counts), 1);
	/* No bucket is beyond the last. */
	send_latency(&dump, last, counts, TEST_COUNT(counts), 2);
	/* The rest of the counts of a CPU comes without its sums. */
	nla_put_u32(rest.msg, KTPUT_A_LATENCY_FIRST, 0);
	nla_put(rest.msg, KTPUT_A_LATENCY_COUNTS, sizeof(counts[2]), &counts[2]);
	hand_over(rest, &dump);

	TEST_U64("one CPU", have.latency->bucket[5], 1);
	TEST_U64("two", have.latency->bucket[6], 20 + 1);
	TEST_U64("two", have.latency->bucket[7], 300 + 20);
	TEST_U64("the other", have.latency->bucket[8], 300);
	TEST_U64("none", have.latency->bucket[9], 0);
	TEST_U64("the last", have.latency->bucket[last], 1);
	TEST_U64("the first", have.latency->bucket[0], 300);
	TEST_U64("all", have.latency->count, 321 + 321 + 1 + 300);
	for (size_t i = 0; i < TEST_COUNT(latency_rows); i++) {
		struct row row = latency_rows[i];
		uint64_t want = value(&row, 0) + value(&row, 1) + value(&row, 2);

		if (row.attribute == KTPUT_A_LATENCY_LEAST)
			want = value(&row, 0);
		if (row.attribute == KTPUT_A_LATENCY_GREATEST)
			want = value(&row, 2);
		TEST_U64(row.name, *(uint64_t *)((char *)have.latency + row.offset),
			 want);
	}
	TEST_U64("CPUs", have.cpu_count, 0);
	client_snapshot_free(&have);
}

/* A run without its configuration is none. */
static void listing(void)
{
	struct dump_listing have = { 0 };

	for (int i = 0; i < 4; i++) {
		struct nl_msg *msg = message();
		struct config config = { 0 };

		config_set(&config, KTPUT_A_CONFIG_STREAMS, 10 + i);
		PUT_NEST(msg, MESSAGE_RUN, run_rows, i);
		if (i < 3)
			config_put(msg, &config);
		dump_take_run(nlmsg_hdr(msg), &have);
		nlmsg_free(msg);
	}
	TEST_U64("runs", have.count, 3);
	for (int i = 0; i < 3; i++) {
		const struct config *config = &have.list[i].config;

		CHECK(&have.list[i].run, run_rows, i);
		TEST_U64("streams", config->number[KTPUT_A_CONFIG_STREAMS], 10 + i);
	}
	free(have.list);
}

static void module(void)
{
	struct client_module have;
	struct nl_msg *msg = message();
	struct nlattr *nest;

	TEST_TRUE("another message", parse_module(nlmsg_hdr(msg), &have));
	nest = nla_nest_start(msg, KTPUT_A_MESSAGE_MODULE);
	PUT(msg, module_rows, 0);
	nla_put_string(msg, KTPUT_A_MODULE_VERSION, "1.2");
	nla_put_string(msg, KTPUT_A_MODULE_CLOCK, "tsc");
	nla_nest_end(msg, nest);
	TEST_TRUE("of it", !parse_module(nlmsg_hdr(msg), &have));
	CHECK(&have, module_rows, 0);
	TEST_STRING("version", have.version, "1.2");
	TEST_STRING("clock", have.clock, "tsc");
	nlmsg_free(msg);
}

static const struct test_case cases[] = {
	{ "a snapshot", snapshot },
	{ "histograms of several CPUs", latency },
	{ "a list of runs", listing },
	{ "what the module can do", module },
};

TEST_MAIN(cases)
