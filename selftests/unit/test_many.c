// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of many CPUs and streams whose counters all differ: each row and each sum is
 * that of sums made here, a number of the text is that of the document, and the order
 * in which CPUs and streams come makes no difference.
 */
#include <stdarg.h>

#include "../../tools/analysis/attribution.h"
#include "draw.h"
#include "result.h"

#define CPUS	4
#define STREAMS	3
#define INTERVALS	(SNAPSHOTS - 1)

/* None is at its own index. */
static const uint32_t ids[CPUS] = { 6, 3, 0, 1 };
/* Indexes of the CPUs of the streams of both ends. */
static const int served[2][STREAMS] = { { 0, 1, 3 }, { 2, 3, 1 } };

struct many {
	struct fixture of;
	struct client_cpu cpus[2][SNAPSHOTS][CPUS];
	struct client_stream streams[2][SNAPSHOTS][STREAMS];
	struct histogram latency[SNAPSHOTS];
};

static uint64_t between(uint64_t least, uint64_t most)
{
	return least + (uint64_t)(draw_uniform() * (most - least));
}

/* The time of an interval on a CPU, of which a source reads less than a sink. */
static void run_cpu(struct client_cpu *cpu, int end)
{
	const uint64_t ns = SECOND + between(0, 2000000) - end * 1000000;
	const uint64_t idle = between(ns / 10, ns / 2);
	uint64_t left = 2 * (ns - idle);

	cpu->time_ns += ns;
	cpu->cycles += 2 * ns;
	cpu->idle_ns += idle;
	/* A little of it is of interrupts. */
	cpu->contexts.cycles[KTPUT_A_CONTEXTS_IDLE] += 2 * idle - 1000;
	left += 1000;
	for (int i = CONTEXTS_FIRST; i < CONTEXTS_LAST; i++) {
		const uint64_t part = between(left / 20, left / 4);

		cpu->contexts.cycles[i] += part;
		left -= part;
	}
	cpu->contexts.cycles[KTPUT_A_CONTEXTS_USER] += left;
	for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++)
		cpu->events.count[i] += between(1000, 1000000000);
}

static void move(struct many *of, int i, int stream, bool udp)
{
	const uint64_t messages = between(10000, 20000);

	for (int end = 0; end < 2; end++) {
		struct client_cpu *cpu = &of->cpus[end][i][served[end][stream]];
		struct client_stream *to = &of->streams[end][i][stream];
		const struct client_counters part = {
			.bytes = 1000 * messages,
			.messages = !udp && end ? 0 : messages,
			.calls = between(1, messages),
			.would_blocks = between(1, messages),
			.call_cycles = between(1000000, 100000000),
		};
		struct tcpinfo *tcp = &to->tcp;

		for (int j = 0; j < KTPUT_COUNTERS; j++) {
			cpu->counters.each[j] += part.each[j];
			to->counters.each[j] += part.each[j];
		}
		to->last_cycles = cpu->cycles - between(1000, 1000000);
		tcp->retransmissions += between(1, 100);
		tcp->busy_us += between(700000, 900000);
		tcp->receive_window_limited_us += between(1000, 300000);
		tcp->send_buffer_limited_us += between(1000, 300000);
		tcp->rtt_us = between(200, 900);
		tcp->rtt_min_us = between(50, 190);
		tcp->congestion_window = between(10, 1000);
		tcp->segments_out += 2 * messages;
		tcp->send_window_bytes = between(1000000, 2000000);
		/* TCP counts the SYN. */
		tcp->bytes_acked = to->counters.bytes + 1;
		tcp->bytes_sent = to->counters.bytes;
		tcp->bytes_received = to->counters.bytes;
		if (!udp)
			continue;
		to->datagrams.received += messages;
		if (!end)
			continue;
		to->datagrams.reordered += between(1, 1000);
		to->datagrams.jitter_ns = between(100, 100000);
		to->datagrams.delay_min_ns = between(1000, 10000);
		to->datagrams.delay_max_ns = between(100000, 1000000);
		to->datagrams.delay_sum_ns += between(10000, 100000) * messages;
	}
}

static void set_up_many(struct many *to, bool udp, enum output_form form)
{
	set_up(&to->of, udp, form);
	draw_state = 20;
	memset(to->cpus, 0, sizeof(to->cpus));
	memset(to->streams, 0, sizeof(to->streams));
	for (int i = 0; i < SNAPSHOTS; i++) {
		for (int end = 0; end < 2; end++) {
			struct client_snapshot *snapshot = &to->of.snapshots[end][i];

			snapshot->cpus = to->cpus[end][i];
			snapshot->cpu_count = CPUS;
			snapshot->streams = to->streams[end][i];
			snapshot->stream_count = STREAMS;
			snapshot->run.streams = STREAMS;
			snapshot->run.accepted = STREAMS;
			if (i) {
				memcpy(to->cpus[end][i], to->cpus[end][i - 1],
				       sizeof(to->cpus[end][i]));
				memcpy(to->streams[end][i], to->streams[end][i - 1],
				       sizeof(to->streams[end][i]));
			}
			for (int j = 0; j < CPUS; j++) {
				struct client_cpu *cpu = &to->cpus[end][i][j];

				cpu->id = ids[j];
				cpu->idle_known = true;
				memset(cpu->contexts.known, 1, sizeof(cpu->contexts.known));
				memset(cpu->events.known, 1, sizeof(cpu->events.known));
				cpu->time_ns += i ? 0 : ORIGIN;
				cpu->cycles += i ? 0 : 2 * ORIGIN;
				if (i)
					run_cpu(cpu, end);
			}
			for (int j = 0; j < STREAMS; j++) {
				struct client_stream *stream = &to->streams[end][i][j];

				stream->id = 10 + j;
				stream->cpu = ids[served[end][j]];
				stream->state = KTPUT_STATE_ENDED;
				stream->first_cycles = 2 * ORIGIN + 20000000;
				stream->tcp.timestamps = true;
				stream->tcp.send_mss_bytes = 1448;
				stream->datagrams.present = udp;
				stream->datagrams.delay_known = udp && end;
			}
		}
		for (int j = 0; i && j < STREAMS; j++)
			move(to, i, j, udp);
	}
}

/* Which session: of UDP, of which ends, on how many hosts, of round trips. */
struct kind {
	const char *name;
	bool udp, no_source, no_sink, two_hosts, trips;
};

static const struct kind kinds[] = {
	{ "TCP", .udp = false },
	{ "UDP", .udp = true },
	{ "TCP, two hosts", .two_hosts = true },
	{ "UDP, two hosts", .udp = true, .two_hosts = true },
	{ "TCP, a source alone", .no_sink = true },
	{ "TCP, a sink alone", .no_source = true },
	{ "round trips", .udp = true, .trips = true },
	{ "round trips, two hosts", .udp = true, .two_hosts = true, .trips = true },
};

/* As many are timed as are counted, each differently. */
static void set_up_trips(struct many *to)
{
	make_pingpong(&to->of);
	to->of.session.warmup_ns = 0;
	for (int i = 0; i < SNAPSHOTS; i++) {
		uint64_t trips = 0;

		histogram_init(&to->latency[i]);
		for (int j = 0; j < CPUS; j++)
			trips += to->cpus[0][i][j].counters.messages;
		for (uint64_t j = 0; j < trips; j++)
			histogram_add(&to->latency[i], 1000 + j);
		to->latency[i].timeouts = 3 * i;
		to->of.snapshots[0][i].latency = &to->latency[i];
	}
}

static void set_up_kind(struct many *to, const struct kind *kind, enum output_form form)
{
	set_up_many(to, kind->udp, form);
	if (kind->trips)
		set_up_trips(to);
	to->of.session.source.present = !kind->no_source;
	to->of.session.sink.present = !kind->no_sink;
	config_set(&to->of.session.source.config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SOURCE);
	config_set(&to->of.session.sink.config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	if (kind->two_hosts)
		to->of.session.sink.host = "far";
}

__attribute__((format(printf, 2, 3)))
static double at(const struct many *of, const char *path, ...)
{
	char text[80];
	va_list args;

	va_start(args, path);
	vsnprintf(text, sizeof(text), path, args);
	va_end(args);
	return number(of->of.json, text);
}

#define expect_about(of, kind, want, by, ...)				\
	do {								\
		const double have_ = at(of, __VA_ARGS__), want_ = (want); \
									\
		if (!(fabs(have_ - want_) <= (by) * fabs(want_))) {	\
			TEST_FAIL("%s: have %.15g, want %.15g", (kind)->name, \
				  have_, want_);			\
			printf("# " __VA_ARGS__);			\
			printf("\n");					\
		}							\
	} while (0)
#define expect(of, kind, want, ...)	expect_about(of, kind, want, 1e-9, __VA_ARGS__)

/* What a member of a CPU, or of a stream, has grown by from one reading to another. */
static double grown(uint64_t from, uint64_t to)
{
	return (double)(to - from);
}

#define GREW(from, to, member)	grown((from)[0].member, (to)[0].member)

/* The end that counts, and the one whose readings of CPUs are shown first. */
static int counting(const struct kind *kind)
{
	return !kind->no_sink;
}

static int reading(const struct kind *kind)
{
	return kind->two_hosts ? 0 : counting(kind);
}

/* Cycles that a CPU was busy from one reading to another, and those of the run itself. */
static double busy_cycles(const struct client_cpu *from, const struct client_cpu *to)
{
	return 2 * (GREW(from, to, time_ns) - GREW(from, to, idle_ns));
}

static double own_cycles(const struct client_cpu *from, const struct client_cpu *to)
{
	return GREW(from, to, cycles) -
	       GREW(from, to, contexts.cycles[KTPUT_A_CONTEXTS_KERNEL]) -
	       GREW(from, to, contexts.cycles[KTPUT_A_CONTEXTS_USER]) -
	       GREW(from, to, contexts.cycles[KTPUT_A_CONTEXTS_IDLE]);
}

static void check_intervals(const struct many *of, const struct kind *kind)
{
	for (int i = 0; i < INTERVALS; i++) {
		const struct client_cpu *from = of->cpus[counting(kind)][i];
		const struct client_cpu *to = of->cpus[counting(kind)][i + 1];
		double bytes = 0, messages = 0, window = 0, busy_share = 0;
		double again = 0, busy = 0, own = 0, most = 0;

		for (int j = 0; j < CPUS; j++) {
			const double part = GREW(&from[j], &to[j], counters.bytes);

			bytes += part;
			messages += GREW(&from[j], &to[j], counters.messages);
			window += part * GREW(&from[j], &to[j], time_ns);
			busy_share += busy_cycles(&from[j], &to[j]) /
				      GREW(&from[j], &to[j], cycles) / CPUS;
		}
		window /= bytes;
		for (int end = reading(kind); end <= counting(kind); end++)
			for (int j = 0; j < CPUS; j++) {
				from = &of->cpus[end][i][j];
				to = &of->cpus[end][i + 1][j];
				busy += busy_cycles(from, to) * window /
					GREW(from, to, time_ns);
				own += own_cycles(from, to) * window /
				       GREW(from, to, time_ns);
				most = fmax(most, own_cycles(from, to) /
						  GREW(from, to, cycles));
			}
		expect(of, kind, i * 1e9, "intervals.%d.from_ns", i);
		expect(of, kind, (i + 1) * 1e9, "intervals.%d.to_ns", i);
		expect(of, kind, bytes, "intervals.%d.bytes", i);
		expect(of, kind, 8 * bytes, "intervals.%d.goodput_bps", i);
		expect(of, kind, busy_share, "intervals.%d.busy_share", i);
		expect(of, kind, busy, "intervals.%d.busy_cycles", i);
		/* Each part is of whole cycles. */
		expect_about(of, kind, most, 1e-7, "intervals.%d.own_share", i);
		expect_about(of, kind, own, 1e-7, "intervals.%d.own_cycles", i);
		if (kind->udp) {
			expect(of, kind, messages, "intervals.%d.packets", i);
			expect(of, kind, messages, "intervals.%d.packets_per_s", i);
			expect(of, kind, 0, "intervals.%d.lost_datagrams", i);
			continue;
		}
		if (kind->no_source)
			continue;
		for (int j = 0; j < STREAMS; j++) {
			const struct client_stream *before = &of->streams[0][i][j];
			const struct client_stream *now = &of->streams[0][i + 1][j];

			again += GREW(before, now, tcp.retransmissions);
#define TCP_GREW(key)	expect(of, kind, GREW(before, now, tcp.key),	\
			       "intervals.%d.tcp.%d." #key, i, j)
#define TCP_IS(key, member)						\
	expect(of, kind, grown(0, now->tcp.member), "intervals.%d.tcp.%d." #key, i, j)
			expect(of, kind, now->id, "intervals.%d.tcp.%d.id", i, j);
			TCP_GREW(retransmissions);
			TCP_GREW(busy_us);
			TCP_GREW(receive_window_limited_us);
			TCP_GREW(send_buffer_limited_us);
			TCP_IS(rtt_us, rtt_us);
			TCP_IS(rtt_min_us, rtt_min_us);
			TCP_IS(congestion_window_segments, congestion_window);
			TCP_IS(slow_start_threshold_segments, slow_start_threshold);
			TCP_IS(send_window_bytes, send_window_bytes);
			TCP_IS(in_flight_segments, in_flight);
			TCP_IS(delivery_bytes_per_s, delivery_rate);
		}
		expect(of, kind, again, "intervals.%d.retransmissions", i);
	}
}

/* Rows of CPUs and their sums, over what was counted meanwhile. */
static void check_cpus(const struct many *of, const struct kind *kind)
{
	const int last = SNAPSHOTS - 1, counted = counting(kind);
	double bytes = 0, busy = 0, calls[2] = { 0 }, events[EVENTS_LAST + 1] = { 0 };
	int row = 0;

	for (int j = 0; j < CPUS; j++)
		bytes += GREW(&of->cpus[counted][1][j], &of->cpus[counted][last][j],
			      counters.bytes);
	for (int read = reading(kind); read <= counted; read++)
		for (int j = 0; j < CPUS; j++, row++) {
			const struct client_cpu *from = &of->cpus[read][1][j];
			const struct client_cpu *to = &of->cpus[read][last][j];
			const double spent = busy_cycles(from, to);

			busy += spent;
			expect(of, kind, ids[j], "result.cpus.%d.cpu", row);
			expect(of, kind, GREW(from, to, time_ns),
			       "result.cpus.%d.elapsed_ns", row);
			expect(of, kind, GREW(from, to, cycles), "result.cpus.%d.cycles",
			       row);
			expect(of, kind, spent, "result.cpus.%d.busy_cycles", row);
			expect(of, kind, spent / GREW(from, to, cycles),
			       "result.cpus.%d.busy_share", row);
			expect(of, kind, spent / bytes,
			       "result.cpus.%d.busy_cycles_per_byte", row);
			for (int end = 0; end < 2; end++) {
				const bool here = kind->two_hosts ? end == read :
						  end ? !kind->no_sink : !kind->no_source;
				const double part = here ?
					GREW(&of->cpus[end][1][j], &of->cpus[end][last][j],
					     counters.call_cycles) : 0;

				calls[end] += part;
				expect(of, kind, part, "result.cpus.%d.%s_call_cycles",
				       row, end ? "sink" : "source");
			}
			for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
				expect(of, kind, GREW(from, to, contexts.cycles[i]),
				       "result.cpus.%d.contexts.%s", row, contexts_key(i));
			for (int i = EVENTS_FIRST; i <= EVENTS_LAST; i++) {
				expect(of, kind, GREW(from, to, events.count[i]),
				       "result.cpus.%d.events.%s", row, events_key(i));
				events[i] += GREW(from, to, events.count[i]);
			}
		}
	expect(of, kind, bytes, "result.cpu_bytes");
	expect(of, kind, busy / bytes, "result.busy_cycles_per_byte");
	if (!kind->no_source)
		expect(of, kind, calls[0] / bytes, "result.source_call_cycles_per_byte");
	if (!kind->no_sink)
		expect(of, kind, calls[1] / bytes, "result.sink_call_cycles_per_byte");
	for (int i = EVENTS_FIRST; i <= KTPUT_A_EVENTS_INSTRUCTIONS; i++)
		expect(of, kind, events[i] / bytes, "result.%s_per_byte", events_key(i));
}

/* Rows of streams and their sums. */
static void check_streams(const struct many *of, const struct kind *kind)
{
	const int last = SNAPSHOTS - 1;
	double again = 0, rtt = 0, least = INFINITY, received = 0, reordered = 0;
	double jitter = 0, delay = 0, shortest = INFINITY, longest = 0;

	for (int end = kind->no_source; end <= counting(kind); end++)
		for (int j = 0; j < STREAMS; j++) {
			const struct client_stream *stream = &of->streams[end][last][j];

#define COLUMN(key, member)						\
	expect(of, kind, grown(0, stream[0].member), "result.%s_streams.%d." #key, \
	       end ? "sink" : "source", j)
			COLUMN(stream, id);
			COLUMN(bytes, counters.bytes);
			if (!kind->udp || !end) {
				COLUMN(cpu, cpu);
				COLUMN(calls, counters.calls);
				COLUMN(would_blocks, counters.would_blocks);
			}
			if (!kind->udp) {
				COLUMN(retransmissions, tcp.retransmissions);
				COLUMN(rtt_us, tcp.rtt_us);
				COLUMN(send_mss_bytes, tcp.send_mss_bytes);
				COLUMN(congestion_window_segments, tcp.congestion_window);
			} else if (end) {
				COLUMN(received, datagrams.received);
				COLUMN(reordered, datagrams.reordered);
				COLUMN(jitter_ns, datagrams.jitter_ns);
			} else {
				COLUMN(datagrams, counters.messages);
			}
		}
	for (int j = 0; j < STREAMS; j++) {
		const struct client_stream *source = &of->streams[0][last][j];
		const struct client_datagrams *sink = &of->streams[1][last][j].datagrams;

		again += GREW(&of->streams[0][1][j], source, tcp.retransmissions);
		rtt += source->tcp.rtt_us / (double)STREAMS;
		least = fmin(least, source->tcp.rtt_min_us);
		received += sink->received;
		reordered += sink->reordered;
		jitter += sink->jitter_ns / (double)STREAMS;
		delay += sink->delay_sum_ns;
		shortest = fmin(shortest, sink->delay_min_ns);
		longest = fmax(longest, sink->delay_max_ns);
	}
	if (kind->udp) {
		expect(of, kind, received, "result.datagrams.sent");
		expect(of, kind, received, "result.datagrams.received");
		expect(of, kind, reordered, "result.datagrams.reordered");
		expect(of, kind, jitter, "result.datagrams.jitter_ns");
		expect(of, kind, delay / received, "result.datagrams.delay_mean_ns");
		expect(of, kind, shortest, "result.datagrams.delay_min_ns");
		expect(of, kind, longest, "result.datagrams.delay_max_ns");
	} else if (!kind->no_source) {
		expect(of, kind, again, "result.retransmissions");
		expect(of, kind, rtt, "result.rtt_us");
		expect(of, kind, least, "result.rtt_min_us");
	}
}

/* Round trips: of intervals, and what each costs on which CPU. */
static void check_trips(const struct many *of, const struct kind *kind)
{
	const int last = SNAPSHOTS - 1;
	double trips = of->latency[last].count, busy = 0, own = 0;
	int row = 0;

	for (int i = 0; i < INTERVALS; i++) {
		const double part = of->latency[i + 1].count - of->latency[i].count;

		expect(of, kind, part, "intervals.%d.round_trips", i);
		expect(of, kind, part, "intervals.%d.round_trips_per_s", i);
		expect(of, kind, 3, "intervals.%d.timeouts", i);
	}
	for (int read = reading(kind); read < 2; read++)
		for (int j = 0; j < CPUS; j++, row++) {
			const struct client_cpu *from = &of->cpus[read][0][j];
			const struct client_cpu *to = &of->cpus[read][last][j];

			busy += busy_cycles(from, to);
			own += own_cycles(from, to);
			expect(of, kind, ids[j], "result.cpus.%d.cpu", row);
			expect(of, kind, GREW(from, to, cycles), "result.cpus.%d.cycles",
			       row);
			expect(of, kind, GREW(from, to, time_ns),
			       "result.cpus.%d.elapsed_ns", row);
			expect(of, kind, GREW(from, to, contexts.cycles[CONTEXTS_LAST]),
			       "result.cpus.%d.attribution.idle_cycles", row);
			expect(of, kind, busy_cycles(from, to) / trips,
			       "result.cpus.%d.busy_cycles_per_round_trip", row);
			for (int end = 0; end < 2; end++) {
				to = &of->cpus[end][last][j];
				if (!kind->two_hosts || end == read)
					expect(of, kind, to->counters.call_cycles / trips,
					       "result.cpus.%d.%s_cycles_per_round_trip",
					       row, end ? "sink" : "source");
			}
		}
	expect(of, kind, trips, "result.round_trips");
	expect(of, kind, busy / trips, "result.busy_cycles_per_round_trip");
	expect_about(of, kind, own / trips, 1e-7, "result.own_cycles_per_round_trip");
	expect(of, kind, 3 * last, "result.timeouts");
}

/* Where the bottleneck is named it is one place of the chain. */
static void check_chain(const struct many *of, const struct kind *kind)
{
	struct json_object *chain = json_at(of->of.json, "result.chain");
	const char *binding = json_text(of->of.json, "result.binding");
	size_t here = 0;

	for (size_t i = 0; i < json_object_array_length(chain); i++)
		here += json_is(json_object_array_get_idx(chain, i), "bottleneck");
	TEST_U64(kind->name, here, binding && strcmp(binding, "none"));
}

static void sums(void)
{
	static struct many many;

	for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
		set_up_kind(&many, &kinds[i], OUTPUT_JSON);
		play(&many.of);
		if (kinds[i].trips) {
			check_trips(&many, &kinds[i]);
		} else {
			check_intervals(&many, &kinds[i]);
			check_cpus(&many, &kinds[i]);
			check_streams(&many, &kinds[i]);
		}
		if (!kinds[i].trips)
			check_chain(&many, &kinds[i]);
		tear_down(&many.of);
	}
}

/* One blank for many, so that columns may have any width. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' ' && to[-1] != '\n')) {
			if (*from == '\n' && to > text && to[-1] == ' ')
				to--;
			*to++ = *from;
		}
	*to = '\0';
}

/* A line of the text has these words. */
#define LINE(...)							\
	do {								\
		char line_[200];					\
									\
		line_[0] = '\n';					\
		snprintf(line_ + 1, sizeof(line_) - 1, __VA_ARGS__);	\
		TEST_CONTAINS(kind->name, text->of.text, line_);	\
	} while (0)

/* Lines of CPUs are rows of the document. */
static void check_text_cpus(const struct many *text, const struct many *json,
			    const struct kind *kind)
{
	const int rows = kind->two_hosts ? 2 * CPUS : CPUS;

	for (int i = 0; i < rows; i++) {
		const char *end = !kind->two_hosts ? "" : i < CPUS ? "source " : "sink ";
		const uint32_t id = ids[i % CPUS];
		const double cycles = at(json, "result.cpus.%d.cycles", i);
		const double core = at(json, "result.cpus.%d.events.core_cycles", i);
		const double made = at(json, "result.cpus.%d.events.instructions", i);
		char list[160] = "";
		int length = 0;

		LINE("%s%u %.1f%% %.0f %.0f %.0f %.4f\n", end, id,
		     100 * at(json, "result.cpus.%d.busy_share", i),
		     at(json, "result.cpus.%d.source_call_cycles", i),
		     at(json, "result.cpus.%d.sink_call_cycles", i),
		     at(json, "result.cpus.%d.busy_cycles", i),
		     at(json, "result.cpus.%d.busy_cycles_per_byte", i));
		for (int j = 0; j < ATTRIBUTION_PARTS; j++)
			length += snprintf(list + length, sizeof(list) - length, " %.1f%%",
				100 * at(json, "result.cpus.%d.attribution.%s", i,
					 attribution_key(j)) / cycles);
		LINE("%s%u%s\n", end, id, list);
		length = 0;
		for (int j = CONTEXTS_FIRST; j <= CONTEXTS_LAST; j++)
			length += snprintf(list + length, sizeof(list) - length, " %.1f",
				100 * at(json, "result.cpus.%d.contexts.%s", i,
					 contexts_key(j)) / cycles);
		LINE("%u%s\n", id, list);
		LINE("%u %.0f %.0f %.2f %.0f %.0f\n", id, core, made, made / core,
		     at(json, "result.cpus.%d.events.context_switches", i),
		     at(json, "result.cpus.%d.events.cpu_migrations", i));
	}
}

/* Lines of round trips likewise. */
static void check_text_trips(const struct many *text, const struct many *json,
			     const struct kind *kind)
{
	for (int i = 0; i < INTERVALS; i++)
		LINE("%.2f-%.2f %.0f %s %.2f %.2f %.2f %.0f\n",
		     at(json, "intervals.%d.from_ns", i) / 1e9,
		     at(json, "intervals.%d.to_ns", i) / 1e9,
		     at(json, "intervals.%d.round_trips", i),
		     units_show_count(at(json, "intervals.%d.round_trips_per_s", i)).text,
		     at(json, "intervals.%d.latency_mean_ns", i) / 1e3,
		     at(json, "intervals.%d.latency_p50_ns", i) / 1e3,
		     at(json, "intervals.%d.latency_p99_ns", i) / 1e3,
		     at(json, "intervals.%d.timeouts", i));
	for (int i = 0; i < (kind->two_hosts ? 2 * CPUS : CPUS); i++) {
		const bool sink = i >= CPUS;
		char calls[2][24];

		for (int end = 0; end < 2; end++) {
			double cycles = at(json, "result.cpus.%d.%s_cycles_per_round_trip",
					   i, end ? "sink" : "source");

			snprintf(calls[end], sizeof(calls[end]), "-");
			if (!kind->two_hosts || sink == end)
				sprintf(calls[end], "%.0f", cycles);
		}
		LINE("%s%u %.1f%% %s %s %.0f\n", !kind->two_hosts ? "" :
		     sink ? "sink " : "source ", ids[i % CPUS],
		     100 * at(json, "result.cpus.%d.busy_share", i), calls[0], calls[1],
		     at(json, "result.cpus.%d.busy_cycles_per_round_trip", i));
	}
	LINE("Own cycles %.0f per round trip", at(json, "result.own_cycles_per_round_trip"));
	LINE("Busy cycles %.0f per round trip",
	     at(json, "result.busy_cycles_per_round_trip"));
	LINE("Given up %.0f requests", at(json, "result.timeouts"));
}

/* Lines of streams, of intervals and of sums likewise. */
static void check_text(const struct many *text, const struct many *json,
		       const struct kind *kind)
{
	static const struct { const char *title, *key; } sums[] = {
		{ "Own cycles", "own_cycles" }, { "Busy cycles", "busy_cycles" },
		{ "Source calls", "source_call_cycles" },
		{ "Sink calls", "sink_call_cycles" },
		{ "Core cycles", "core_cycles" }, { "Instructions", "instructions" },
	};
	static const char *const keys[3][12] = {
		{ "bytes", "calls", "would_blocks", "send_mss_bytes",
		  "congestion_window_segments", "rtt_us", "retransmissions" },
		{ "bytes", "datagrams", "calls", "would_blocks", "drops", "busy",
		  "stopped" },
		{ "bytes", "received", "lost", "reordered", "duplicates", "late",
		  "socket_drops" },
	};

	for (int end = kind->no_source; end <= counting(kind); end++)
		for (int j = 0; j < STREAMS; j++) {
			const char *name = end ? "sink" : "source";
			char list[160] = "";
			int length = 0;

			if (!kind->udp || !end)
				length = sprintf(list, " %u", ids[served[end][j]]);
			length += sprintf(list + length, " ended");
			for (int i = 0; i < 7; i++)
				length += sprintf(list + length, " %.0f",
						  at(json, "result.%s_streams.%d.%s", name, j,
						     keys[kind->udp ? 1 + end : 0][i]));
			LINE("%d%s\n", 10 + j, list);
		}
	for (int i = 0; i < INTERVALS; i++) {
		const double bps = at(json, "intervals.%d.goodput_bps", i);
		char rest[80];

		if (kind->udp)
			snprintf(rest, sizeof(rest), "%s %.0f",
				 units_show_count(at(json, "intervals.%d.packets_per_s",
						     i)).text,
				 at(json, "intervals.%d.lost_datagrams", i));
		else if (kind->no_source)
			snprintf(rest, sizeof(rest), "-");
		else
			sprintf(rest, "%.0f", at(json, "intervals.%d.retransmissions", i));
		/* The heading is before the first. */
		LINE("%.2f-%.2f %.0f %s %.1f%% %s%s\n",
		     at(json, "intervals.%d.from_ns", i) / 1e9,
		     at(json, "intervals.%d.to_ns", i) / 1e9,
		     at(json, "intervals.%d.bytes", i), units_show_bitrate(bps).text,
		     100 * at(json, "intervals.%d.own_share", i), rest,
		     i ? "" : " warm-up");
	}
	for (size_t i = 0; i < TEST_COUNT(sums); i++) {
		const double sum = at(json, "result.%s_per_byte", sums[i].key);

		if (isnan(sum))
			continue;
		if (kind->udp)
			LINE("%s %.4f per byte, %.1f per packet\n", sums[i].title, sum,
			     at(json, "result.%s_per_packet", sums[i].key));
		else
			LINE("%s %.4f per byte\n", sums[i].title, sum);
	}
	check_text_cpus(text, json, kind);
}

static void text(void)
{
	static struct many text, json;

	for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
		set_up_kind(&text, &kinds[i], OUTPUT_TEXT);
		play(&text.of);
		set_up_kind(&json, &kinds[i], OUTPUT_JSON);
		play(&json.of);
		squeeze(text.of.text);
		if (kinds[i].trips)
			check_text_trips(&text, &json, &kinds[i]);
		else
			check_text(&text, &json, &kinds[i]);
		tear_down(&text.of);
		tear_down(&json.of);
	}
}

/* The other way round. */
static void turn(void *array, size_t count, size_t size)
{
	char *at = array, kept[sizeof(struct client_stream) +
			       sizeof(struct client_cpu)];

	for (size_t i = 0; i < count / 2; i++) {
		char *one = at + i * size, *other = at + (count - 1 - i) * size;

		memcpy(kept, one, size);
		memcpy(one, other, size);
		memcpy(other, kept, size);
	}
}

/* The member of another array that has the number, else the place, of one. */
static struct json_object *partner(struct json_object *array, struct json_object *one,
				   size_t place)
{
	static const char *const keys[] = { "cpu", "stream", "id" };

	for (size_t i = 0; i < TEST_COUNT(keys); i++) {
		struct json_object *number, *other;

		if (!json_object_is_type(one, json_type_object) ||
		    !json_object_object_get_ex(one, keys[i], &number))
			continue;
		/* A CPU of the sink's host comes after those of the source's. */
		for (size_t j = place >= CPUS ? CPUS : 0;
		     j < json_object_array_length(array); j++)
			if (json_object_object_get_ex(json_object_array_get_idx(array, j),
						      keys[i], &other) &&
			    json_object_equal(number, other))
				return json_object_array_get_idx(array, j);
		return NULL;
	}
	return json_object_array_get_idx(array, place);
}

/* Two documents are alike, but for the order of rows that have numbers. */
static void alike(const char *name, const char *path, struct json_object *one,
		  struct json_object *other)
{
	char below[200];

	if (json_object_is_type(one, json_type_array)) {
		const size_t count = json_object_array_length(one);

		TEST_U64(path, other ? json_object_array_length(other) : 0, count);
		for (size_t i = 0; i < count; i++) {
			struct json_object *row = json_object_array_get_idx(one, i);

			snprintf(below, sizeof(below), "%s.%zu", path, i);
			alike(name, below, row, partner(other, row, i));
		}
	} else if (json_object_is_type(one, json_type_object)) {
		json_object_object_foreach(one, key, value) {
			snprintf(below, sizeof(below), "%s.%s", path, key);
			alike(name, below, value, json_at(other, key));
		}
	} else if (json_object_is_type(one, json_type_double)) {
		const double want = json_object_get_double(one);
		const double have = json_object_get_double(other);

		if (!(fabs(have - want) <= 1e-9 * fabs(want)))
			TEST_FAIL("%s: %s: %.15g and %.15g", name, path, want, have);
	} else if (!json_object_equal(one, other)) {
		TEST_FAIL("%s: %s: %s and %s", name, path,
			  json_object_to_json_string(one),
			  json_object_to_json_string(other));
	}
}

static void order(void)
{
	static const unsigned int masks[] = { 0x1f, 0x0a, 0x10 };
	static struct many one, other;

	for (size_t i = 0; i < TEST_COUNT(kinds) * TEST_COUNT(masks); i++) {
		const struct kind *kind = &kinds[i / TEST_COUNT(masks)];

		set_up_kind(&one, kind, OUTPUT_JSON);
		play(&one.of);
		set_up_kind(&other, kind, OUTPUT_JSON);
		for (int j = 0; j < 2 * SNAPSHOTS; j++)
			if (masks[i % TEST_COUNT(masks)] >> j / 2 & 1) {
				turn(other.cpus[j % 2][j / 2], CPUS,
				     sizeof(other.cpus[0][0][0]));
				turn(other.streams[j % 2][j / 2], STREAMS,
				     sizeof(other.streams[0][0][0]));
			}
		play(&other.of);
		alike(kind->name, "", one.of.json, other.of.json);
		tear_down(&one.of);
		tear_down(&other.of);
	}
}

static const struct test_case cases[] = {
	{ "rows and sums are those of all CPUs and streams", sums },
	{ "the text has what the document has", text },
	{ "in whatever order CPUs and streams come", order },
};

TEST_MAIN(cases)
