// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl sink and reply: receive from any source, and discard or answer. */
#include "../analysis/measure.h"
#include "../host/cpus.h"
#include "../host/route.h"
#include "../result/answer.h"
#include "../result/report.h"
#include "../run/pingpong_run.h"
#include "../run/recording.h"
#include "../run/run_options.h"
#include "../run/session.h"
#include "commands.h"

/* A peer whose host does not answer for so long has vanished. */
#define VANISHED_NS	(20 * UNITS_NSEC_PER_SEC)

static const struct run_options defaults = {
	.port = RUN_OPTIONS_PORT,
	.interval_ns = UNITS_NSEC_PER_SEC,
	.disturbed_percent = RUN_OPTIONS_DISTURBED_PERCENT,
};

static int set_device(const struct run_options *options,
		      struct session_end *end, struct units_error *err)
{
	struct config *config = &end->config;
	uint32_t device = address_scope(&config->local);

	if (options->sink_device) {
		if (route_device(options->netns, options->sink_device,
				 &device, err))
			return -1;
	} else if (!device && !run_options_sockets(options->sink_layer)) {
		device = device_of_address(options->netns, &config->local);
		if (!device)
			return units_refuse(err,
					    "no device has the address %s: give dev DEVICE",
					    options->on);
	}
	if (!device && address_is_link_local(&config->local))
		device = device_of_address(options->netns, &config->local);
	address_set_scope(&config->local, device);
	if (device)
		config_set(config, KTPUT_A_CONFIG_DEV, device);
	end->device_certain = device;
	end->device = device ? device :
		      device_of_address(options->netns, &config->local);
	return 0;
}

static int configure(const struct command_context *context,
		     const struct run_options *options,
		     struct session_end *end, struct units_error *err)
{
	struct config *config = &end->config;

	if (run_options_configure(context, options, RUN_END_BOTH, config, err))
		return -1;
	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->transport);
	config_set(config, KTPUT_A_CONFIG_LOCAL_PORT, options->port);
	if (options->on &&
	    address_parse_at(options->netns, options->on, AF_UNSPEC,
			     &config->local, err))
		return -1;
	if (set_device(options, end, err))
		return -1;
	/* A sink that ends with its peers serves one connection by default. */
	if (options->once && !RUN_GIVEN(context, streams))
		config_set(config, KTPUT_A_CONFIG_STREAMS, 1);
	config->batch = options->batch;
	if (context->options->command == RUN_REPLY)
		pingpong_run_configure(config, options, 0);
	if (options->sink_layer == KTPUT_LAYER_USER ||
	    options->transport == KTPUT_TRANSPORT_UDP)
		config_set(config, KTPUT_A_CONFIG_LAYER, options->sink_layer);
	if (options->transport != KTPUT_TRANSPORT_UDP) {
		config_set(config, KTPUT_A_CONFIG_PEER_SILENCE, VANISHED_NS);
		return 0;
	}
	config_set(config, KTPUT_A_CONFIG_COOKIE,
		   RUN_GIVEN(context, cookie) ? options->cookie :
						run_options_cookie());
	/* Datagrams have no end that would tell of a peer's; nobody sees it detached. */
	if (run_options_sockets(options->sink_layer) && !options->detach &&
	    context->options->command != RUN_REPLY)
		config_set(config, KTPUT_A_CONFIG_PEER_SILENCE,
			   options->interval_ns);
	return 0;
}

/* Print the port before the measurement, for the program that starts the source. */
static int announce(struct session *session, struct units_error *err)
{
	struct output *out = session->out;

	output_object_begin(out, "listening");
	output_data_u64(out, "port", session->sink.run.local_port);
	output_object_end(out);
	if (!output_document_end(out))
		return 0;
	return units_refuse(err, "results cannot be printed");
}

/* Bytes that an iperf3 client begins with, before it waits for an answer. */
#define IPERF3_COOKIE	37

/*
 * A sink, which of its peers have been printed, how many it has turned away, and whether
 * one was taken for iperf3.
 */
struct serving {
	struct session session;
	struct peers peers;
	uint64_t refused;
	bool iperf3;
};

/* Whether nobody is connected or sends, so that an interval says nothing. */
static bool is_idle(const struct session *session,
		    const struct client_snapshot *before)
{
	const struct client_snapshot *now = &session->sink.last;
	const uint64_t silence_ns =
		session->sink.config.number[KTPUT_A_CONFIG_PEER_SILENCE];

	if (measure_total(now).bytes != measure_total(before).bytes)
		return false;
	if (session->udp) {
		for (size_t i = 0; i < now->peer_count; i++)
			if (now->run.now_ns < now->peers[i].last_ns + silence_ns)
				return false;
		return true;
	}
	/* Of many streams an interval has none. */
	if (!now->stream_count && now->run.accepted > now->run.closed)
		return false;
	for (size_t i = 0; i < now->stream_count; i++)
		if (now->streams[i].state != KTPUT_STATE_ENDED)
			return false;
	return true;
}

static void warn_of_refused(struct serving *serving)
{
	const struct session *session = &serving->session;
	const struct client_run *run = &session->sink.last.run;

	if (!serving->refused && run->refused)
		output_warning(session->out, answer_lacks_descriptors(session) ?
			       "a connection is refused: no descriptor is left (ulimit -n)" :
			       "a connection is refused: all places are taken; 'streams' gives more");
	serving->refused = run->refused;
}

/* A client that waits says nothing itself, and a sink answers nobody. */
static void warn_of_iperf3(struct serving *serving)
{
	const struct session *session = &serving->session;
	const struct client_snapshot *now = &session->sink.last;

	if (session->udp || session->pingpong)
		return;
	for (size_t i = 0; i < now->stream_count && !serving->iperf3; i++) {
		const struct client_stream *stream = &now->streams[i];

		if (stream->state != KTPUT_STATE_RUNNING ||
		    stream->counters.bytes != IPERF3_COOKIE)
			continue;
		serving->iperf3 = true;
		output_warning(session->out,
			       "%s sent %u bytes and waits, as a client of iperf3 does: a sink answers nobody; run 'ktput-ctl start to ADDRESS' there, or 'iperf3 -s' here",
			       address_show(&stream->remote).text, IPERF3_COOKIE);
	}
}

/* Print the interval, and the peers that have gone since the last one. */
static void print_interval(struct session *session,
			   const struct client_snapshot *counted_before,
			   const struct client_snapshot *source_before)
{
	struct serving *serving = (struct serving *)session;

	if (!is_idle(session, counted_before))
		interval_view.interval(session, counted_before, source_before);
	warn_of_refused(serving);
	warn_of_iperf3(serving);
	if (!config_has(&session->sink.config, KTPUT_A_CONFIG_ONCE))
		peers_look(&serving->peers, session);
	/* Nothing else may follow for long. */
	output_flush(session->out);
}

static int serve(const struct command_context *context, const void *data)
{
	struct run_options own = *(const struct run_options *)data;
	const struct run_options *options = &own;
	struct session_view view = interval_view;
	struct serving serving = { .session = {
		.out = context->out,
		.context = context,
		.detail = context->statistics || options->record,
		.udp = options->transport == KTPUT_TRANSPORT_UDP,
		.pingpong = context->options->command == RUN_REPLY,
		.interval_ns = options->interval_ns,
		.disturbed_above = options->disturbed_percent / 100,
		.time_ns = options->time_ns,
		.until_eof = options->until_eof,
		.sink = { .present = true, .netns = options->netns },
	} };
	struct session *session = &serving.session;
	struct units_error err;
	bool keep = false;
	int ret;

	if (session->pingpong)
		pingpong_run_place(&own);
	view.interval = print_interval;
	ret = configure(context, options, &session->sink, &err);
	if (!ret && !options->detach && !options->until_eof)
		recording_prepare(session);
	if (!ret)
		ret = session_open(session, &err);
	if (!ret)
		ret = session_start(session, &session->sink, &err);
	if (!ret && options->until_eof) {
		ret = announce(session, &err);
		recording_prepare(session);
	}
	if (ret)
		output_document_drop(context->out);
	if (!ret && options->detach) {
		keep = true;
		report_detached(session);
	} else if (!ret) {
		report_begin(session, NULL);
		ret = session_watch(session, &view, &err);
		if (!ret) {
			output_text(context->out, "\n");
			ret = session->pingpong ?
			      pingpong_report_end(session, &err) :
			      report_end(session, NULL, &err);
		}
	}
	session_close(session, !keep);
	peers_free(&serving.peers);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static int run(const struct command_context *context, const void *data)
{
	const struct run_options *options = data;

	output_stream(context->out, options->json_stream);
	return recording_run(context, data, options->record,
			     options->replace, serve);
}

const struct command command_sink = {
	.name = "sink",
	.summary = "receive from whoever sends, and discard",
	.notes = "Any TCP peer will do; a UDP source needs the cookie. Ctrl-C ends the sink.",
	.options = &run_options_sink,
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = run_options_check,
	.run = run,
};

const struct command command_reply = {
	.name = "reply",
	.summary = "answer the requests of a pingpong on another host",
	.notes = "It has the sizes that pingpong has, and with udp the cookie. Ctrl-C ends it.",
	.options = &run_options_reply,
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = run_options_check,
	.run = run,
};
