/* SPDX-License-Identifier: GPL-2.0 */
/*
 * result: a session whose counters are known, and what is printed of it.
 *
 * A second has 2e9 cycles on each CPU.
 */
#ifndef KTPUT_SELFTESTS_RESULT_H
#define KTPUT_SELFTESTS_RESULT_H

#include <math.h>
#include <stdlib.h>

#include "../../tools/base/json.h"
#include "../../tools/result/record.h"
#include "../../tools/result/record_read.h"
#include "../../tools/result/report.h"
#include "test.h"

static void read_back_same(struct json_object *one, struct json_object *other,
			   const char *key)
{
	struct json_object *first = json_at(one, key);
	struct json_object *second = json_at(other, key);

	TEST_TRUE(key, first);
	TEST_STRING(key, json_object_to_json_string(second),
		    json_object_to_json_string(first));
}

/* The configurations, as report_begin() records them. */
static inline void read_back_record(const struct session *session)
{
	const struct session_end *ends[] = { &session->source, &session->sink };

	for (int i = 0; i < 2; i++) {
		if (!ends[i]->present)
			continue;
		output_object_begin(session->out, i ? "sink" : "source");
		if (ends[i]->host)
			output_data_string(session->out, "host", ends[i]->host);
		record_config(session->out, "config", &ends[i]->config);
		record_snapshot(session->out, "begin", &ends[i]->begin,
				session->detail);
		output_object_end(session->out);
	}
	/* The one that read_back() is given. */
	output_object_begin(session->out, "route");
	output_object_end(session->out);
}

/* The readings and the result of a record are those of the session read back. */
static inline void read_back(struct json_object *record,
			     const struct route *route,
			     const struct command_context *context)
{
	struct units_error err = { "" };
	struct json_object *again;
	struct record_read read;
	struct output *out;
	size_t size = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	TEST_U64("read", record_read(record, &read, &err), 0);
	TEST_STRING("read", err.text, "");
	out = output_new(file, stderr, OUTPUT_JSON, "test");
	read.session.out = out;
	read.session.context = context;
	if (read.session.pingpong)
		pingpong_report_end(&read.session, &err);
	else
		report_end(&read.session, route, &err);
	TEST_U64("written", output_free(out), 0);
	fclose(file);
	again = json_tokener_parse(text);
	read_back_same(record, again, "readings");
	read_back_same(record, again, "result");
	json_object_put(again);
	record_read_free(&read);
	free(text);
}

#define SECOND		1000000000ULL
#define ORIGIN		(10 * SECOND)
#define SNAPSHOTS	5

/*
 * CPU 0 sends, CPU 1 receives. Snapshots are a second apart; the first interval
 * is warm-up. Counters grow by what @bytes says for each.
 */
struct fixture {
	struct client_cpu cpus[2][SNAPSHOTS][2];
	struct client_stream streams[2][SNAPSHOTS][1];
	struct client_snapshot snapshots[2][SNAPSHOTS];
	struct client_cpu counted_at_begin[2];
	struct command_context context;
	struct session session;
	struct route route;
	char *text;
	size_t size;
	FILE *file;
	/* What is said beside it. */
	char *said;
	size_t said_size;
	FILE *err;
	struct json_object *json;
};

static const uint64_t bytes[SNAPSHOTS] = {
	0, 50000000, 150000000, 350000000, 500000000,
};

static inline void set_up_end(struct fixture *to, int end, bool udp)
{
	for (uint64_t i = 0; i < SNAPSHOTS; i++) {
		struct client_cpu *cpus = to->cpus[end][i];
		struct client_stream *stream = to->streams[end][i];

		for (uint32_t cpu = 0; cpu < 2; cpu++)
			cpus[cpu] = (struct client_cpu) {
				.id = cpu, .idle_known = true,
				.time_ns = ORIGIN + i * SECOND,
				.cycles = 2 * (ORIGIN + i * SECOND),
				.idle_ns = 7 * SECOND + i * SECOND *
					   (cpu ? 60 : 25) / 100,
			};
		cpus[end].counters = (struct client_counters) {
			.bytes = bytes[i],
			.messages = !udp && end ? 0 : bytes[i] / 1000,
			.calls = bytes[i] / 500,
			.call_cycles = i * (end ? 450000000 : 1200000000),
		};
		*stream = (struct client_stream) {
			.cpu = end, .state = KTPUT_STATE_ENDED,
			.first_cycles = 2 * ORIGIN + 20000000,
			.last_cycles = 2 * (ORIGIN + i * SECOND),
			.counters = cpus[end].counters,
			.tcp = { .timestamps = true, .send_mss_bytes = 1448,
				 .congestion_window = 100, .rtt_us = 250 + i,
				 .rtt_min_us = 100, .retransmissions = i * i,
				 .bytes_acked = bytes[i], .bytes_sent = bytes[i],
				 .bytes_received = bytes[i],
				 .busy_us = i * 800000,
				 .receive_window_limited_us = i * 200000,
				 .send_buffer_limited_us = i * 40000,
				 .send_window_bytes = 1000000 },
		};
		to->snapshots[end][i] = (struct client_snapshot) {
			.run = {
				.role = end ? KTPUT_ROLE_SINK :
					      KTPUT_ROLE_SOURCE,
				.state = i + 1 < SNAPSHOTS ?
					 KTPUT_STATE_RUNNING : KTPUT_STATE_ENDED,
				.reason = end ? KTPUT_REASON_PEERS :
						KTPUT_REASON_TIME,
				.now_ns = ORIGIN + i * SECOND,
				.begun_ns = ORIGIN,
				.ended_ns = ORIGIN + i * SECOND,
				.streams = 1, .accepted = 1,
			},
			.cpus = cpus, .cpu_count = 2,
			.streams = stream, .stream_count = 1,
		};
	}
}

static inline void set_up(struct fixture *to, bool udp, enum output_form form)
{
	struct session_end *source = &to->session.source;
	struct session_end *sink = &to->session.sink;
	struct units_error err;

	*to = (struct fixture) {
		.context = { .statistics = true },
		.route = { .device = "eth0", .medium = ROUTE_WIRE,
			   .mtu_bytes = 1500, .rate_bps = 10 * SECOND },
	};
	set_up_end(to, 0, udp);
	set_up_end(to, 1, udp);
	to->file = open_memstream(&to->text, &to->size);
	to->err = open_memstream(&to->said, &to->said_size);
	to->context.out = output_new(to->file, to->err, form, "test");
	to->session = (struct session) {
		.out = to->context.out, .context = &to->context,
		.udp = udp, .detail = true, .interval_ns = SECOND,
		.warmup_ns = SECOND, .time_ns = 3 * SECOND,
		.origin_ns = ORIGIN, .disturbed_above = 0.05,
	};
	source->present = true;
	sink->present = true;
	/* The sink's sockets have drops when they are full. */
	sink->protocols_begin = (struct protocols) { true, .udp_buffer_errors = 7 };
	sink->protocols_last = (struct protocols) { true, .udp_buffer_errors = 607 };
	source->backend = &backend_module;
	sink->backend = &backend_module;
	address_parse("192.0.2.1", AF_UNSPEC, &source->config.remote, &err);
	config_set(&source->config, KTPUT_A_CONFIG_METHOD, KTPUT_METHOD_ZEROCOPY);
	config_set(&source->config, KTPUT_A_CONFIG_LAYER, KTPUT_LAYER_SOCKET);
	config_set(&sink->config, KTPUT_A_CONFIG_LAYER, KTPUT_LAYER_SOCKET);
	config_set(&source->config, KTPUT_A_CONFIG_TRANSPORT,
		   udp ? KTPUT_TRANSPORT_UDP : KTPUT_TRANSPORT_TCP);
}

static inline void make_pingpong(struct fixture *of)
{
	of->session.pingpong = true;
	config_set(&of->session.source.config, KTPUT_A_CONFIG_PATTERN,
		   KTPUT_PATTERN_PING_PONG);
}

/* All intervals and the result, which is not valid @because, or "". */
static inline void play_invalid(struct fixture *of, const char *because)
{
	struct session *session = &of->session;
	struct units_error err = { "" };
	char *parsed;

	session->source.begin = of->snapshots[0][0];
	session->sink.begin = of->snapshots[1][0];
	session->warmed_up = !session->warmup_ns;
	read_back_record(session);
	interval_view.begin(session);
	for (int i = 1; i < SNAPSHOTS; i++) {
		session->source.last = of->snapshots[0][i];
		session->sink.last = of->snapshots[1][i];
		interval_view.interval(session, &of->snapshots[session->sink.present][i - 1],
				       &of->snapshots[0][i - 1]);
		if (i == 1 && session->warmup_ns) {
			session->warmed_up = true;
			session->source.begin = of->snapshots[0][1];
			session->sink.begin = of->snapshots[1][1];
		}
	}
	interval_view.end(session);
	output_text(session->out, "\n");
	if (of->counted_at_begin[1].time_ns)
		session->sink.begin.cpus = of->counted_at_begin;
	if (session->pingpong)
		pingpong_report_end(session, &err);
	else
		report_end(session, &of->route, &err);
	TEST_STRING("valid", err.text, because);
	TEST_U64("written", output_document_end(session->out), 0);
	fflush(of->file);
	parsed = of->text;
	of->json = *parsed == '{' ? json_tokener_parse(parsed) : NULL;
	if (of->json)
		read_back(of->json, &of->route, &of->context);
}

static inline void play(struct fixture *of)
{
	play_invalid(of, "");
}

static inline void tear_down(struct fixture *of)
{
	json_object_put(of->json);
	TEST_U64("free", output_free(of->context.out), 0);
	fclose(of->file);
	fclose(of->err);
	free(of->text);
	free(of->said);
	series_free(&of->session.series);
}

/* A figure of the document, and what it has to be. */
struct figure {
	const char *path;
	double want;
};

/* Elements of arrays by their number, which json_number() does not have. */
static inline double number(struct json_object *from, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		if (json_object_is_type(from, json_type_array))
			from = json_object_array_get_idx(from, atoi(key));
		else if (!json_object_object_get_ex(from, key, &from))
			return NAN;
		path += length + (path[length] == '.');
	}
	return json_object_get_double(from);
}

static inline void figures(const struct fixture *of,
			   const struct figure *figure, size_t count)
{
	for (; count--; figure++) {
		double have = number(of->json, figure->path);

		if (!(fabs(have - figure->want) <= 1e-9 * fabs(figure->want)))
			TEST_FAIL("%s: have %.15g, want %.15g", figure->path,
				  have, figure->want);
	}
}

static inline void lines(const struct fixture *of,
			 const char *const *line, size_t count)
{
	for (; count--; line++)
		TEST_CONTAINS("text", of->text, *line);
}

/* A result in one form: these figures are in its JSON, these lines in its text. */
static inline void check(struct fixture *fixture, enum output_form form,
			 const struct figure *want, size_t figure_count,
			 const char *const *text, size_t line_count)
{
	play(fixture);
	if (form == OUTPUT_JSON)
		figures(fixture, want, figure_count);
	else
		lines(fixture, text, line_count);
	tear_down(fixture);
}

/*
 * Contexts of both CPUs, in which the run's own cycles are known. Of 2e9 a second CPU 0
 * has 1.48e9 of the run, CPU 1 0.78e9; @swap gives each the other's.
 */
static inline void add_contexts(struct fixture *to, bool swap)
{
	for (int i = 0; i < SNAPSHOTS; i++)
		for (int id = 0; id < 2; id++) {
			struct contexts *of = &to->cpus[1][i][id].contexts;
			const bool cpu = id != swap;
			const int first = id ? KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE :
					       KTPUT_A_CONTEXTS_SOURCE;
			const int second = id ? KTPUT_A_CONTEXTS_SINK :
						KTPUT_A_CONTEXTS_HARDIRQ;
			const int little = KTPUT_A_CONTEXTS_KERNEL;

			of->known[first] = true;
			of->known[second] = true;
			of->known[little] = true;
			of->known[KTPUT_A_CONTEXTS_IDLE] = true;
			/* Of 2e9 a second; idle has 4 % of them that are work. */
			of->cycles[first] = i * (cpu ? 600 : 1200) * 1000000ULL;
			of->cycles[second] = i * (cpu ? 180 : 200) * 1000000ULL;
			of->cycles[little] = i * 19 * 1000000ULL;
			of->cycles[KTPUT_A_CONTEXTS_IDLE] =
				i * (cpu ? 1201 : 581) * 1000000ULL;
			memcpy(&to->cpus[0][i][id].contexts, of, sizeof(*of));
		}
}

#endif
