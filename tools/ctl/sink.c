// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl sink: receive from whoever sends, and discard. */
#include "../lib/cpus.h"
#include "../lib/route.h"
#include "commands.h"
#include "recording.h"
#include "report.h"
#include "run_options.h"
#include "session.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct sink_options {
	struct run_options run;
	const char *on;
	unsigned int layer;
	uint64_t size;
	uint64_t segments;
	uint64_t batch;
	unsigned int once;
};

static const struct sink_options defaults = {
	.run = {
		.port = RUN_OPTIONS_PORT,
		.interval_ns = UNITS_NSEC_PER_SEC,
	},
};

#define SINK_OPTION(field)	.target = offsetof(struct sink_options, field)

static const struct options_entry entries[] = {
	RUN_OPTION_TCP,
	RUN_OPTION_UDP,
	{
		.keyword = "layer", .argument = "socket|ingress|xdp|user",
		.parse = options_choice, .choices = run_options_sink_layers,
		SINK_OPTION(layer),
		.help = "where to consume: a socket, or with udp the ingress "
			"hook of the device, or XDP in its driver, or an "
			"application's socket (default socket)",
	},
	{
		.keyword = "on", .argument = "ADDRESS", .parse = options_word,
		SINK_OPTION(on),
		.help = "address to listen on (default: any, IPv4 and IPv6)",
	},
	RUN_OPTION_PORT(0, "port to listen on, 0 for a free one; with udp that "
			"of the first stream (default 5010)"),
	RUN_OPTION_NETNS,
	RUN_OPTION_DEVICE,
	RUN_OPTION_STREAMS("connections that are served at a time (default "
			   "1024); with udp ports in a row (default 1)"),
	RUN_OPTION_COOKIE("number that datagrams begin with, the same at both "
			  "ends (default: at random, and printed)"),
	{
		.keyword = "segments", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		SINK_OPTION(segments),
		.help = "more than 1: take several datagrams at once "
			"(UDP_GRO) (default 1)",
	},
	RUN_OPTION_BATCH(SINK_OPTION(batch)),
	{
		.keyword = "once", .parse = options_set, .value = 1,
		SINK_OPTION(once),
		.help = "end when as many peers as there are streams have "
			"closed",
	},
	{
		.keyword = "size", .argument = "SIZE",
		.parse = options_size, .max = UINT32_MAX, SINK_OPTION(size),
		.help = "bytes that one call asks for (default 128K, with udp "
			"all that there is)",
	},
	RUN_OPTION_IN,
	RUN_OPTION_RCVBUF,
	RUN_OPTION_CONGESTION,
	RUN_OPTION_MSS,
	RUN_OPTION_CPUS("CPUs of the sink (default: all)"),
	RUN_OPTION_TIME("how long (default: until Ctrl-C)"),
	RUN_OPTION_INTERVAL,
	RUN_OPTION_DETACH,
	RUN_OPTION_UNTIL_EOF("end when standard input does; with -j print "
			     "first, on a line for itself, where it listens"),
	RUN_OPTION_RECORD,
};

static bool given(const struct command_context *context, size_t target)
{
	return options_given(context->options, context->given, target);
}

#define GIVEN(context, field) \
	given(context, offsetof(struct sink_options, field))

/* Hands a keyword on to the module where it was given. */
#define PASS(config, context, field, attribute, value)			\
	do {								\
		if (GIVEN(context, field))				\
			config_set(config, KTPUT_A_CONFIG_##attribute,	\
				   value);				\
	} while (0)

/* Keywords that have no meaning with the transport, or with the layer. */
static const char *meaningless(const struct command_context *context,
			       const struct sink_options *options,
			       const char **where)
{
	*where = "layer user";
	if (GIVEN(context, run.in) &&
	    run_options_method_in(options->run.in) == CONFIG_METHOD_URING &&
	    run_options_sink_layer(options->layer) != CONFIG_LAYER_USER)
		return "in io_uring";
	*where = "udp";
	if (options->run.transport == KTPUT_TRANSPORT_TCP)
		return run_options_sink_layer(options->layer) ==
		       KTPUT_LAYER_INGRESS ? "layer ingress" :
		       run_options_sink_layer(options->layer) ==
		       KTPUT_LAYER_DRIVER ? "layer xdp" :
		       GIVEN(context, run.cookie) ? "cookie" :
		       GIVEN(context, segments) ? "segments" :
		       GIVEN(context, batch) ? "batch" : NULL;
	*where = "tcp";
	if (GIVEN(context, once) || GIVEN(context, run.congestion) ||
	    GIVEN(context, run.mss))
		return GIVEN(context, once) ? "once" :
		       GIVEN(context, run.mss) ? "mss" : "congestion";
	*where = "layer user";
	if (GIVEN(context, batch) &&
	    run_options_sink_layer(options->layer) != CONFIG_LAYER_USER)
		return "batch";
	*where = "layer socket";
	if (run_options_sink_sockets(options->layer))
		return NULL;
	return GIVEN(context, run.cpus) ? "cpus" :
	       GIVEN(context, run.in) ? "in" :
	       GIVEN(context, size) ? "size" :
	       GIVEN(context, segments) ? "segments" :
	       GIVEN(context, run.receive_buffer) ? "rcvbuf" : NULL;
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct sink_options *options = data;
	const char *keyword, *where;

	keyword = meaningless(context, options, &where);
	if (keyword) {
		units_refuse(err, "'%s' is for %s", keyword, where);
		return -1;
	}
	if (!run_options_sink_sockets(options->layer) &&
	    !options->run.device && !options->on) {
		units_refuse(err,
			     "'layer %s' needs 'dev', or 'on' with an address of a device",
			     run_options_sink_layers[options->layer]);
		return -1;
	}
	if (options->run.detach &&
	    (run_options_sink_layer(options->layer) == KTPUT_LAYER_DRIVER ||
	     run_options_sink_layer(options->layer) == CONFIG_LAYER_USER)) {
		units_refuse(err,
			     "'layer %s' ends with this process, and has no 'detach'",
			     run_options_sink_layers[options->layer]);
		return -1;
	}
	if (options->run.detach && options->run.record) {
		units_refuse(err, "'detach' leaves nobody to write the 'record'");
		return -1;
	}
	if (options->run.detach && options->run.until_eof) {
		units_refuse(err, "'detach' leaves nobody to see to 'until-eof'");
		return -1;
	}
	if (options->run.detach && GIVEN(context, run.interval_ns)) {
		units_refuse(err, "'detach' leaves nobody to see to 'interval'");
		return -1;
	}
	return 0;
}

static int set_device(const struct sink_options *options,
		      struct session_end *end, struct units_error *err)
{
	struct config *config = &end->config;
	uint32_t device = address_scope(&config->local);

	if (options->run.device) {
		if (route_device(options->run.netns, options->run.device,
				 &device, err))
			return -1;
	} else if (!device && !run_options_sink_sockets(options->layer)) {
		device = device_of_address(options->run.netns, &config->local);
		if (!device) {
			units_refuse(err, "no device has the address %s: give dev DEVICE",
				     options->on);
			return -1;
		}
	}
	if (device)
		config_set(config, KTPUT_A_CONFIG_DEVICE, device);
	end->device_certain = device;
	end->device = device ? device :
		      device_of_address(options->run.netns, &config->local);
	return 0;
}

static int configure(const struct command_context *context,
		     const struct sink_options *options,
		     struct session_end *end, struct units_error *err)
{
	struct config *config = &end->config;
	char list[CONFIG_LIST_MAX + 1];

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config_set(config, KTPUT_A_CONFIG_LOCAL_PORT, options->run.port);
	if (options->on &&
	    address_parse(options->on, AF_UNSPEC, &config->local, err))
		return -1;
	if (set_device(options, end, err))
		return -1;
	if (run_options_sink_layer(options->layer) == CONFIG_LAYER_USER) {
		config_set(config, KTPUT_A_CONFIG_LAYER, CONFIG_LAYER_USER);
		config->batch = options->batch;
	}
	if (options->run.transport == KTPUT_TRANSPORT_UDP) {
		config_set(config, KTPUT_A_CONFIG_LAYER,
			   run_options_sink_layer(options->layer));
		config_set(config, KTPUT_A_CONFIG_COOKIE,
			   GIVEN(context, run.cookie) ? options->run.cookie :
							run_options_cookie());
	}
	if (GIVEN(context, run.cpus) && !options->run.cpus.all) {
		if (cpus_show(&options->run.cpus, list, sizeof(list))) {
			units_refuse(err, "a list of CPUs longer than %d bytes does not fit",
				     CONFIG_LIST_MAX);
			return -1;
		}
		config_set_string(config, KTPUT_A_CONFIG_CPUS, list);
	}
	if (options->run.congestion)
		config_set_string(config, KTPUT_A_CONFIG_CONGESTION,
				  options->run.congestion);
	PASS(config, context, run.streams, STREAMS, options->run.streams);
	PASS(config, context, once, ONCE, 1);
	PASS(config, context, size, MESSAGE_SIZE, options->size);
	PASS(config, context, segments, SEGMENTS, options->segments);
	PASS(config, context, run.in, METHOD,
	     run_options_method_in(options->run.in));
	PASS(config, context, run.receive_buffer, RECEIVE_BUFFER,
	     options->run.receive_buffer);
	PASS(config, context, run.mss, MSS, options->run.mss);
	PASS(config, context, run.time_ns, END_TIME, options->run.time_ns);
	PASS(config, context, run.detach, DETACHED, 1);
	return 0;
}

/* A port that something else has to be told, before anything is measured. */
static int announce(struct session *session, struct units_error *err)
{
	struct output *out = session->out;

	output_object_begin(out, "listening");
	output_data_u64(out, "port", session->sink.run.local_port);
	output_object_end(out);
	if (!output_document_end(out))
		return 0;
	units_refuse(err, "results cannot be printed");
	return -1;
}

static int serve(const struct command_context *context, const void *data)
{
	const struct sink_options *options = data;
	struct session session = {
		.out = context->out,
		.context = context,
		.detail = context->statistics || options->run.record,
		.udp = options->run.transport == KTPUT_TRANSPORT_UDP,
		.interval_ns = options->run.interval_ns,
		.time_ns = options->run.time_ns,
		.until_eof = options->run.until_eof,
		.sink = { .present = true, .netns = options->run.netns },
	};
	struct units_error err;
	bool keep = false;
	int ret;

	ret = configure(context, options, &session.sink, &err);
	if (!ret && !options->run.detach && !options->run.until_eof)
		recording_prepare(&session);
	if (!ret)
		ret = session_open(&session, &err);
	if (!ret)
		ret = session_start(&session, &session.sink, &err);
	if (!ret && options->run.until_eof) {
		ret = announce(&session, &err);
		recording_prepare(&session);
	}
	if (ret)
		output_document_drop(context->out);
	if (!ret && options->run.detach) {
		keep = true;
		report_detached(&session);
	} else if (!ret) {
		report_begin(&session, NULL);
		ret = session_watch(&session, &err);
		if (!ret)
			ret = report_end(&session, NULL, &err);
	}
	session_close(&session, !keep);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static int run(const struct command_context *context, const void *data)
{
	const struct sink_options *options = data;

	return recording_run(context, data, options->run.record, serve);
}

const struct command command_sink = {
	.name = "sink",
	.summary = "receive from whoever sends, and discard",
	.notes = "Any TCP peer will do; a UDP source needs the cookie. Ctrl-C ends the sink.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
