// SPDX-License-Identifier: GPL-2.0
/*
 * result: what ktput-ctl prints of sessions whose counters are known.
 *
 * All expected figures are by hand.
 */
#include <errno.h>

#include "../../tools/result/report.h"
#include "result.h"

/*
 * 450 MB in 3 s are 1.2 Gb/s; intervals of 0.8, 1.6 and 1.2. CPU 0 is busy 3/4 of
 * the time and CPU 1 2/5: 4.5e9 and 2.4e9 cycles, 15.333 a byte, and a CPU's
 * ceiling of 450 MB in 2.25 s. A segment of 1448 bytes takes 1538 on the wire.
 */
static void stream(void)
{
	static const struct figure want[] = {
		{ "intervals.0.goodput_bps", 0.4e9 },
		{ "intervals.0.busy_share", 0.575 },
		{ "intervals.0.warm_up", 1 },
		{ "intervals.1.from_ns", SECOND },
		{ "intervals.1.to_ns", 2 * SECOND },
		{ "intervals.1.bytes", 100000000 },
		{ "intervals.1.goodput_bps", 0.8e9 },
		{ "intervals.1.busy_share", 0.575 },
		{ "intervals.1.warm_up", 0 },
		{ "intervals.2.goodput_bps", 1.6e9 },
		{ "intervals.3.retransmissions", 7 },
		{ "intervals.3.tcp.0.retransmissions", 7 },
		{ "intervals.3.tcp.0.busy_us", 800000 },
		{ "intervals.3.tcp.0.receive_window_limited_us", 200000 },
		{ "intervals.3.tcp.0.send_buffer_limited_us", 40000 },
		{ "result.bytes", 450000000 },
		{ "result.span_ns", 3 * SECOND },
		{ "result.goodput_bps", 1.2e9 },
		{ "result.messages", 450000 },
		{ "result.messages_per_s", 150000 },
		{ "result.retransmissions", 15 },
		{ "result.rtt_us", 254 },
		{ "result.rtt_min_us", 100 },
		{ "result.copied_streams", 0 },
		{ "result.statistics.left_out.warm_up_intervals", 1 },
		{ "result.statistics.left_out.last_intervals", 0 },
		{ "result.statistics.goodput_bps.count", 3 },
		{ "result.statistics.goodput_bps.mean", 1.2e9 },
		{ "result.statistics.goodput_bps.sigma", 0.4e9 },
		{ "result.statistics.goodput_bps.min", 0.8e9 },
		{ "result.statistics.goodput_bps.median", 1.2e9 },
		{ "result.statistics.goodput_bps.max", 1.6e9 },
		/* 0.4 Gb/s more in two seconds, of 1.2. */
		{ "result.statistics.goodput_bps.steadiness_per_s", 1.0 / 6 },
		{ "result.statistics.busy_cycles_per_byte.max", 23 },
		{ "result.statistics.busy_cycles_per_byte.min", 11.5 },
		{ "result.wire.efficiency", 1448.0 / 1538 },
		{ "result.wire.rate_bps", 1.2e9 * 1538 / 1448 },
		{ "result.wire.ceiling_bps", 1e10 * 1448 / 1538 },
		{ "result.wire.share", 0.12 * 1538 / 1448 },
		{ "result.tcp.0.id", 0 },
		{ "result.tcp.0.goodput_bps", 1.2e9 },
		{ "result.tcp.0.busy_share", 0.8 },
		{ "result.tcp.0.receive_window_limited_share", 0.25 },
		{ "result.tcp.0.send_buffer_limited_share", 0.05 },
		/* CPU, send buffer, window, Ethernet and link. */
		{ "result.ceilings.1.ceiling_bps", 1.6e9 },
		{ "result.ceilings.1.share", 0.75 },
		{ "result.ceilings.1.binds", 0 },
		{ "result.ceilings.2.ceiling_bps", 196608 * 8e4 },
		{ "result.ceilings.2.binds", 0 },
		{ "result.ceilings.3.ceiling_bps", 8e10 },
		{ "result.ceilings.5.ceiling_bps", 1e10 * 1448 / 1538 },
		{ "result.ceilings.7.ceiling_bps", 1e10 },
		{ "result.ceilings.7.share", 0.12 },
		{ "result.cpus.0.busy_share", 0.75 },
		{ "result.cpus.0.cycles", 6e9 },
		{ "result.cpus.0.elapsed_ns", 3 * SECOND },
		{ "result.cpus.0.busy_cycles", 4.5e9 },
		{ "result.cpus.0.busy_cycles_per_byte", 10 },
		{ "result.cpus.0.source_call_cycles", 3.6e9 },
		{ "result.cpus.0.sink_call_cycles", 0 },
		{ "result.cpus.1.busy_share", 0.4 },
		{ "result.cpus.1.busy_cycles", 2.4e9 },
		{ "result.cpus.1.source_call_cycles", 0 },
		{ "result.cpus.1.sink_call_cycles", 1.35e9 },
		{ "result.cpu_bytes", 450000000 },
		{ "result.busy_cycles_per_byte", 6.9e9 / 450e6 },
		{ "result.source_call_cycles_per_byte", 8 },
		{ "result.sink_call_cycles_per_byte", 3 },
		{ "result.reconciliation.0.counted", 500000000 },
		{ "result.valid", 1 },
	};
	static const char *const text[] = {
		"1.00-2.00", "800.00 Mb/s",
		"Goodput          1.20 Gb/s, 450000000 bytes in 3.000000 s\n",
		"Messages         150.00 k/s\n",
		"3 of 1 s: mean 1.20 Gb/s, sigma 33%, median 1.20",
		"Wire rate        1.27 Gb/s as full Ethernet frames, 94.15%",
		"1448 bytes of payload per frame\n",
		"Retransmissions  15 segments\n",
		"Round-trip time  254 us smoothed, 100 us at least\n",
		"Zero copy        yes\n",
		"CPU                 1.60 Gb/s     75.00% reached, the least\n",
		"send buffer        15.73 Gb/s      7.63% reached\n",
		"window             80.00 Gb/s      1.50% reached\n",
		"Ethernet            9.41 Gb/s     12.75% reached\n",
		"link               10.00 Gb/s     12.00% reached\n",
		"Bottleneck       no single bottleneck; closest: sink (20% of the time)\n"
		"Try              use more streams, so that one sends while another waits\n",
		"  0  75.0%     3600000000            0   4500000000           10.0000\n",
		"  1  40.0%              0   1350000000   2400000000            5.3333\n",
		"Busy cycles      15.3333 per byte\n",
		"Source calls     8.0000 per byte\n",
		"Sink calls       3.0000 per byte\n",
	};
	static const enum output_form forms[] = { OUTPUT_JSON, OUTPUT_TEXT };

	for (size_t i = 0; i < TEST_COUNT(forms); i++) {
		struct fixture fixture;

		set_up(&fixture, false, forms[i]);
		config_set(&fixture.session.source.config,
			   KTPUT_A_CONFIG_SNDBUF, 65536);
		check(&fixture, forms[i], want, TEST_COUNT(want), text,
		      TEST_COUNT(text));
	}
}

/* Without a warm-up all counts; a stream that copied says so; a limit binds. */
static void stream_without_warm_up(void)
{
	static const struct figure want[] = {
		{ "result.bytes", 500000000 },
		{ "result.span_ns", 4 * SECOND - 10000000 },
		{ "result.goodput_bps", 4e9 / 3.99 },
		{ "result.messages", 500000 },
		{ "result.copied_streams", 1 },
		{ "result.statistics.left_out.warm_up_intervals", 0 },
		{ "result.statistics.goodput_bps.count", 4 },
		/* 1 Gb/s are asked for, and more was sent. */
		{ "result.ceilings.0.ceiling_bps", 1e9 },
		{ "result.ceilings.0.share", 4 / 3.99 },
		{ "result.ceilings.0.binds", 1 },
		{ "result.ceilings.1.binds", 0 },
	};
	static const char *const text[] = {
		"Zero copy        no: the kernel copied the pages of 1 stream\n",
		"rate                1.00 Gb/s    100.25% reached, the least\n",
		"Bottleneck       rate: 100.25% of it is reached\n",
		"TCP              paced: 1.00 Gb/s are what was asked for\n",
	};
	static const enum output_form forms[] = { OUTPUT_JSON, OUTPUT_TEXT };

	for (size_t i = 0; i < TEST_COUNT(forms); i++) {
		struct fixture fixture;

		set_up(&fixture, false, forms[i]);
		fixture.session.warmup_ns = 0;
		/* The snapshot comes after the first payload. */
		memcpy(fixture.counted_at_begin, fixture.cpus[1][0],
		       sizeof(fixture.counted_at_begin));
		fixture.counted_at_begin[1].counters.bytes = 1000000;
		fixture.streams[0][SNAPSHOTS - 1][0].copied = true;
		config_set(&fixture.session.source.config,
			   KTPUT_A_CONFIG_PACE, 125000000);
		check(&fixture, forms[i], want, TEST_COUNT(want), text,
		      TEST_COUNT(text));
	}
}

/* What TCP says of a stream is in the intervals of a source alone, too. */
static void source_alone(void)
{
	static const struct figure want[] = {
		{ "intervals.1.tcp.0.retransmissions", 3 },
		{ "intervals.3.tcp.0.retransmissions", 7 },
		{ "intervals.3.tcp.0.busy_us", 800000 },
	};
	struct fixture fixture;

	set_up(&fixture, false, OUTPUT_JSON);
	fixture.session.sink.present = false;
	check(&fixture, OUTPUT_JSON, want, TEST_COUNT(want), NULL, 0);
}

/* Of 500,000 the sink lacks 1000, of which 3 came twice; its socket dropped 600. */
static void lose_some(struct fixture *of)
{
	for (int j = 0; j < SNAPSHOTS; j++) {
		struct client_cpu *cpu = &of->cpus[1][j][1];
		bool last = j == SNAPSHOTS - 1;

		of->streams[0][j][0].datagrams.present = true;
		cpu->counters.messages -= last ? 1000 : 0;
		cpu->counters.bytes -= last ? 1000000 : 0;
		of->streams[1][j][0].counters = cpu->counters;
		of->streams[1][j][0].datagrams =
			(struct client_datagrams) {
			.present = true,
			.received = cpu->counters.messages,
			.lost = last ? 1000 : j == 3 ? 400 : 0,
			.reordered = 5,
			.duplicates = 3, .late = 2, .drops = 600,
			.jitter_ns = 700, .delay_known = true,
			.delay_min_ns = 1500, .delay_max_ns = 90000,
			.delay_sum_ns = 4000 * cpu->counters.messages,
		};
	}
}

/* As many datagrams of 1000 bytes, all of which come. */
static void send_few(struct fixture *of, uint64_t count)
{
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < SNAPSHOTS; j++) {
			struct client_cpu *cpu = &of->cpus[i][j][i];

			cpu->counters.messages = j ? count : 0;
			cpu->counters.bytes = j ? count * 1000 : 0;
			of->streams[i][j][0].counters = cpu->counters;
			of->streams[i][j][0].datagrams = (struct client_datagrams) {
				.present = true, .received = cpu->counters.messages,
			};
		}
	}
}

/* Between 100 datagrams there are 99 gaps: a gap more would not show. */
static void few(void)
{
	static const struct { uint64_t count; const char *want; } rows[] = {
		{ 99, "are of 99 datagrams over the 98 gaps between, and may be 1.0% too high" },
		{ 100, NULL },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct fixture fixture;

		set_up(&fixture, true, OUTPUT_JSON);
		fixture.session.warmup_ns = 0;
		send_few(&fixture, rows[i].count);
		play(&fixture);
		fflush(fixture.err);
		if (rows[i].want)
			TEST_CONTAINS("warning", fixture.said, rows[i].want);
		else
			TEST_STRING("no warning", fixture.said, "");
		tear_down(&fixture);
	}
}

/* Datagrams of 1000 bytes: 1066 with all that is around them. */
static void udp(void)
{
	static const struct figure want[] = {
		{ "intervals.1.packets_per_s", 100000 },
		{ "intervals.2.lost_datagrams", 400 },
		{ "intervals.3.lost_datagrams", 603 },
		{ "result.packets", 449000 },
		{ "result.packets_per_s", 449000 / 3.0 },
		{ "result.wire.rate_bps", 449e6 / 3 * 8 * 1.066 },
		{ "result.wire.frame_rate_bps", 449e6 / 3 * 8 * 1.046 },
		{ "result.wire.frames_per_s", 449000 / 3.0 },
		{ "result.wire.frame_bytes_mean", 1046 },
		{ "result.wire.ceiling_packets_per_s", 1e10 / 8 / 1066 },
		{ "result.wire.ceiling_bps", 1e10 / 1.066 },
		{ "result.wire.share", 449000 / 3.0 / (1e10 / 8 / 1066) },
		{ "result.datagrams.sent", 500000 },
		{ "result.datagrams.received", 499000 },
		{ "result.datagrams.lost", 1003 },
		{ "result.datagrams.loss_share", 1003 / 500000.0 },
		{ "result.datagrams.socket_drops", 600 },
		{ "result.datagrams.unaccounted", 403 },
		{ "result.datagrams.reordered", 5 },
		{ "result.datagrams.duplicates", 3 },
		{ "result.datagrams.late", 2 },
		{ "result.datagrams.delay_mean_ns", 4000 },
		{ "result.datagrams.delay_min_ns", 1500 },
		{ "result.datagrams.delay_max_ns", 90000 },
		{ "result.datagrams.jitter_ns", 700 },
		/* 200,000 packets/s of 1000 bytes are asked for. */
		{ "result.ceilings.0.ceiling_bps", 1.6e9 },
		{ "result.ceilings.5.ceiling_bps", 1e10 / 1.066 },
		{ "result.cpu_packets", 449000 },
		{ "result.busy_cycles_per_packet", 6.9e9 / 449e3 },
		{ "result.source_call_cycles_per_packet", 3.6e9 / 449e3 },
		{ "result.sink_call_cycles_per_packet", 1.35e9 / 449e3 },
		{ "result.statistics.packets_per_s.max", 200000 },
	};
	static const char *const text[] = {
		"Packets          149.67 k/s, 449000 datagrams\n",
		"Wire rate        1.28 Gb/s at layer 1, 1.25 Gb/s at layer 2\n",
		"149.67 k frames/s of 1046 bytes with FCS",
		"Sent             500000 datagrams\n",
		"Received         499000 datagrams\n",
		"Lost             1003 (0.2006%)\n",
		"Lost by          the path, or a place without a drop counter: 403; the sink's\n"
		"                 sockets, whose buffers were full: 600. Try a greater rcvbuf,",
		"Bottleneck       loss: 0.20% of the datagrams were lost, most by the sink's\n",
		"Order            5 reordered, 3 duplicates, 2 late\n",
		"One-way delay    4.0 us, 1.5 to 90.0 us, jitter 0.7 us\n",
		"Busy cycles      15.3675 per byte, 15367.5 per packet\n",
	};
	static const enum output_form forms[] = { OUTPUT_JSON, OUTPUT_TEXT };

	for (size_t i = 0; i < TEST_COUNT(forms); i++) {
		struct fixture fixture;

		set_up(&fixture, true, forms[i]);
		lose_some(&fixture);
		config_set(&fixture.session.source.config,
			   KTPUT_A_CONFIG_PACKET_RATE, 200000);
		check(&fixture, forms[i], want, TEST_COUNT(want), text,
		      TEST_COUNT(text));
	}
}

/* A clock that is set leaves no delay; what reading it errs by does. */
static void clock_set(void)
{
	static const struct {
		const char *what;
		struct clock_offset source[2], sink[2];
		const char *want;
	} rows[] = {
		{ "not read", .want = NULL },
		{ "not read after the end", .source = { { true, SECOND } } },
		{ "not read before the start", .sink = { [1] = { true, SECOND } } },
		{ "read late",
		  .source = { { true, ORIGIN }, { true, ORIGIN + 1000000 } },
		  .sink = { { true, ORIGIN }, { true, ORIGIN - 1000000 } } },
		{ "forward",
		  .sink = { { true, ORIGIN }, { true, ORIGIN + 3600 * SECOND } },
		  .want = "the clock of this host was set during the run, by +3600 s" },
		{ "back",
		  .source = { { true, ORIGIN }, { true, ORIGIN - 1000001 } },
		  .sink = { { true, ORIGIN }, { true, ORIGIN - 1000001 } },
		  .want = "the clock of this host was set during the run, by -0.001 s" },
	};
	static const enum output_form forms[] = { OUTPUT_JSON, OUTPUT_TEXT };

	for (size_t i = 0; i < 2 * TEST_COUNT(rows); i++) {
		const enum output_form form = forms[i % 2];
		const char *want = rows[i / 2].want;
		struct fixture fixture;
		struct session_end *source = &fixture.session.source;
		struct session_end *sink = &fixture.session.sink;
		char line[120];

		set_up(&fixture, true, form);
		lose_some(&fixture);
		source->clock_begin = rows[i / 2].source[0];
		source->clock_last = rows[i / 2].source[1];
		sink->clock_begin = rows[i / 2].sink[0];
		sink->clock_last = rows[i / 2].sink[1];
		play(&fixture);
		if (form == OUTPUT_JSON) {
			struct json_object *told =
				json_at(fixture.json, "result.datagrams");

			const char *because =
				json_text(told, "no_delay_because");

			TEST_STRING(rows[i / 2].what, because ? because : "",
				    want ? want : "");
			TEST_TRUE(rows[i / 2].what,
				  !json_at(told, "delay_mean_ns") == !!want);
			TEST_TRUE(rows[i / 2].what,
				  !json_at(told, "jitter_ns") == !!want);
		} else {
			snprintf(line, sizeof(line), "One-way delay    %s",
				 want ? want : "4.0 us");
			TEST_CONTAINS(rows[i / 2].what, fixture.text, line);
		}
		tear_down(&fixture);
	}
}

/* Of two directions: the sum, and for how much of the longer both ran. */
static void both_ways(void)
{
	static const struct {
		uint64_t sooner_ns, later_ns;
		const char *share, *because;
	} rows[] = {
		{ 0, 0, "they overlapped 100.0% of the time\n", "" },
		{ 0, SECOND, "they overlapped 75.0% of the time\n", "" },
		{ 4 * SECOND, 0, "they overlapped 50.0% of the time\n", "" },
		{ 0, 3 * SECOND, "they overlapped 25.0% of the time\n",
		  "the result is not valid: the directions overlapped only 25.0% of the time" },
		{ 0, 4 * SECOND, "they overlapped 0.0% of the time\n",
		  "the result is not valid: the directions overlapped only 0.0% of the time" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct fixture there, here;
		struct client_run *run;

		set_up(&there, false, OUTPUT_JSON);
		play(&there);
		json_object_object_add(json_at(there.json, "route"), "mtu_bytes",
				       json_object_new_int(1500));
		set_up(&here, false, OUTPUT_TEXT);
		play(&here);
		run = &here.session.source.last.run;
		run->begun_ns += rows[i].later_ns;
		run->begun_ns -= rows[i].sooner_ns;
		record_print_other(&here.session, there.json, &err);
		fflush(here.file);
		TEST_STRING(rows[i].share, err.text, rows[i].because);
		TEST_CONTAINS("share", here.text, rows[i].share);
		TEST_CONTAINS("sum", here.text, "Both directions  2.40 Gb/s; they");
		tear_down(&there);
		tear_down(&here);
	}
}

/* Of a sink that turned some away: why, by its places and not by those of the source. */
static void turned_away(void)
{
	static const struct {
		uint64_t refused, places;
		unsigned int layer;
		const char *want;
	} rows[] = {
		{ 0, 9, KTPUT_LAYER_USER, NULL },
		{ 1, 1, KTPUT_LAYER_USER, "Refused          1 connection: all places" },
		{ 1, 9, KTPUT_LAYER_USER, "Refused          1 connection: no descriptor" },
		{ 2, 9, KTPUT_LAYER_SOCKET, "Refused          2 connections: all places" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct fixture fixture;

		set_up(&fixture, false, OUTPUT_TEXT);
		fixture.snapshots[1][SNAPSHOTS - 1].run.refused = rows[i].refused;
		config_set(&fixture.session.sink.config, KTPUT_A_CONFIG_LAYER,
			   rows[i].layer);
		config_set(&fixture.session.sink.config, KTPUT_A_CONFIG_STREAMS,
			   rows[i].places);
		play(&fixture);
		if (rows[i].want)
			TEST_CONTAINS("refused", fixture.text, rows[i].want);
		else
			TEST_TRUE("none", !strstr(fixture.text, "Refused"));
		tear_down(&fixture);
	}
}

/* What makes a result none. */
static void invalid(void)
{
	static struct histogram latency;
	struct fixture fixture;

	set_up(&fixture, false, OUTPUT_JSON);
	fixture.snapshots[0][SNAPSHOTS - 1].run.reason = KTPUT_REASON_ERROR;
	fixture.snapshots[0][SNAPSHOTS - 1].run.error = ECONNRESET;
	play_invalid(&fixture, "the result is not valid: a call failed: Connection reset by peer");
	TEST_TRUE("not valid", !number(fixture.json, "result.valid"));
	tear_down(&fixture);

	set_up(&fixture, false, OUTPUT_JSON);
	fixture.streams[1][SNAPSHOTS - 1][0].counters.bytes--;
	play_invalid(&fixture, "the result is not valid: sink: the streams count "
		     "499999999 bytes, the CPUs 500000000");
	tear_down(&fixture);

	/* With -s it is named below the table, which fits into 80 columns. */
	set_up(&fixture, false, OUTPUT_TEXT);
	fixture.streams[1][SNAPSHOTS - 1][0].counters.bytes--;
	play_invalid(&fixture, "the result is not valid: sink: the streams count "
		     "499999999 bytes, the CPUs 500000000");
	TEST_CONTAINS("row", fixture.text, ">  499999999  sink\n");
	TEST_CONTAINS("text", fixture.text, "\nDisagreement     sink\n");
	tear_down(&fixture);

	for (int i = 0; i < 3; i++) {
		const char *const because[] = {
			"the result is not valid: no request was answered",
			"the result is not valid: CPUs count 7 round trips, streams 7, and 0 have been timed",
			"the result is not valid: the sink has answered 6 requests, and the source has 7 responses",
		};

		set_up(&fixture, false, OUTPUT_JSON);
		make_pingpong(&fixture);
		fixture.session.warmup_ns = 0;
		histogram_init(&latency);
		for (int trip = 0; i == 2 && trip < 7; trip++)
			histogram_add(&latency, 1000);
		for (int j = 0; j < SNAPSHOTS; j++) {
			const uint64_t trips = i ? 7 : 0;

			fixture.cpus[0][j][0].counters.messages = trips;
			fixture.cpus[1][j][1].counters.messages = i ? 6 : 0;
			fixture.streams[0][j][0].counters.messages = trips;
			fixture.snapshots[0][j].latency = &latency;
		}
		play_invalid(&fixture, because[i]);
		tear_down(&fixture);
	}
}

/* What a screen has to be: its lines, of 80 columns at most. */
static void is_screen(struct fixture *of, const char *const *line,
		      size_t count)
{
	static const char intervals_end[] = "\n\n";
	char *text;

	of->context.statistics = false;
	play(of);
	text = strstr(of->text, intervals_end);
	text = text ? text + strlen(intervals_end) : of->text;
	for (size_t i = 0; i < count; i++) {
		size_t length = strcspn(text, "\n");

		TEST_TRUE("80 columns", length <= 80);
		if (strncmp(text, line[i], length) || line[i][length])
			TEST_FAIL("have '%.*s', want '%s'", (int)length, text,
				  line[i]);
		text += length + (text[length] == '\n');
	}
	TEST_STRING("no more", text, "");
	tear_down(of);
}

/* Cycles of the run itself on a CPU of the result, which is that of three intervals. */
static double own_of_result(const struct fixture *of, int cpu)
{
	static const char *const parts[] = {
		"source_cycles", "sink_cycles", "worker_cycles", "own_softirq_cycles",
	};
	double sum = 0;

	for (size_t i = 0; i < TEST_COUNT(parts); i++) {
		char path[64];

		snprintf(path, sizeof(path), "result.cpus.%d.attribution.%s", cpu,
			 parts[i]);
		sum += number(of->json, path);
	}
	return sum;
}

/* The own share of an interval is the greatest of the CPUs, its cycles are their sum. */
static void own_of_interval(void)
{
	for (int swap = 0; swap < 2; swap++) {
		struct fixture fixture;
		double own[2], share, cycles;

		set_up(&fixture, false, OUTPUT_JSON);
		add_contexts(&fixture, swap);
		for (int i = 0; swap && i < SNAPSHOTS; i++)
			for (int end = 0; end < 2; end++) {
				struct client_cpu *cpus = fixture.cpus[end][i];
				const uint64_t since = (uint64_t)i * SECOND;

				cpus[0].idle_ns = 7 * SECOND + since * 60 / 100;
				cpus[1].idle_ns = 7 * SECOND + since * 25 / 100;
			}
		play(&fixture);
		for (int cpu = 0; cpu < 2; cpu++)
			own[cpu] = own_of_result(&fixture, cpu);
		share = number(fixture.json, "intervals.2.own_share");
		cycles = number(fixture.json, "intervals.2.own_cycles");
		TEST_TRUE("one CPU has more", (own[swap] > 1.5 * own[!swap]));
		TEST_TRUE("the greatest share", fabs(share / (own[swap] / 6e9) - 1) <
						0.01);
		TEST_TRUE("the sum of the cycles", fabs(cycles * 3 /
					(own[0] + own[1]) - 1) < 0.01);
		tear_down(&fixture);
	}
}

/* Without detail: what there is to say, and no line more. */
static void screen(void)
{
	static const char *const tcp[] = {
		"Goodput          1.20 Gb/s, 450000000 bytes in 3.000000 s",
		"Retransmissions  15 segments",
		"Source           CPU 0: 75.0% busy, 10.0 cycles/byte",
		"Sink             CPU 1: 40.0% busy, 5.333 cycles/byte",
		"Bottleneck       no single bottleneck; closest: sink (20% of the time)",
		"Try              use more streams, so that one sends while another waits",
	};
	static const char *const contexts[] = {
		"Goodput          1.20 Gb/s, 450000000 bytes in 3.000000 s",
		"Retransmissions  15 segments",
		"Zero copy        no: the kernel copied the pages of 1 stream",
		"Source           CPU 0: 74.0% run, 9.873 cycles/byte: calls 60%, softirqs 14%",
		"Sink             CPU 1: 39.0% run, 1% other, 5.200 cycles/byte: softirqs 30%",
		"Bottleneck       rate: 109.09% of it is reached",
		"Try              a higher pace, or none",
	};
	static const char *const udp[] = {
		"Goodput          1.20 Gb/s, 449000000 bytes in 3.000000 s",
		"Packets          149.67 k/s, 449000 datagrams",
		"Lost             1003 datagrams (0.2006%)",
		"Source           CPU 0: 75.0% busy, 10022 cycles/packet",
		"Sink             CPU 1: 40.0% busy, 5345 cycles/packet",
		"Bottleneck       loss: 0.20% of the datagrams were lost, most by the sink's",
		"                 sockets, whose buffers were full (confidence: low)",
		"Try              a greater rcvbuf, more streams, or a lower rate",
	};
	struct fixture fixture;

	set_up(&fixture, false, OUTPUT_TEXT);
	is_screen(&fixture, tcp, TEST_COUNT(tcp));

	set_up(&fixture, false, OUTPUT_TEXT);
	fixture.streams[0][SNAPSHOTS - 1][0].copied = true;
	config_set(&fixture.session.source.config, KTPUT_A_CONFIG_PACE,
		   137500000);
	add_contexts(&fixture, false);
	is_screen(&fixture, contexts, TEST_COUNT(contexts));

	set_up(&fixture, true, OUTPUT_TEXT);
	lose_some(&fixture);
	is_screen(&fixture, udp, TEST_COUNT(udp));
}

static const struct test_case cases[] = {
	{ "what is not valid", invalid },
	{ "TCP after a warm-up", stream },
	{ "TCP without a warm-up, paced, and copied", stream_without_warm_up },
	{ "TCP, a source alone", source_alone },
	{ "datagrams, some lost", udp },
	{ "few datagrams", few },
	{ "a clock that is set", clock_set },
	{ "two directions", both_ways },
	{ "what an interval has of the run itself", own_of_interval },
	{ "connections that were turned away", turned_away },
	{ "the screen", screen },
};

TEST_MAIN(cases)
