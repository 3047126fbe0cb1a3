// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl sink: receive from whoever connects, and discard. */
#include "../lib/cpus.h"
#include "../lib/route.h"
#include "report.h"
#include "run_options.h"
#include "session.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct sink_options {
	struct run_options run;
	const char *on;
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
	{
		.keyword = "on", .argument = "ADDRESS", .parse = options_word,
		SINK_OPTION(on),
		.help = "address to listen on (default: any, IPv4 and IPv6)",
	},
	RUN_OPTION_PORT(0, "port to listen on, 0 for a free one (default 5010)"),
	RUN_OPTION_NETNS,
	RUN_OPTION_DEVICE,
	RUN_OPTION_STREAMS("connections that are served at a time (default 1024)"),
	{
		.keyword = "once", .parse = options_set, .value = 1,
		SINK_OPTION(once),
		.help = "end when as many peers as there are streams have "
			"closed",
	},
	RUN_OPTION_SIZE,
	RUN_OPTION_IN,
	RUN_OPTION_RCVBUF,
	RUN_OPTION_CONGESTION,
	RUN_OPTION_MSS,
	RUN_OPTION_CPUS("CPUs of the sink (default: all)"),
	RUN_OPTION_TIME("how long (default: until Ctrl-C)"),
	RUN_OPTION_INTERVAL,
	RUN_OPTION_DETACH,
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

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct sink_options *options = data;

	if (options->run.detach && GIVEN(context, run.interval_ns)) {
		units_refuse(err, "'detach' leaves nobody to see to 'interval'");
		return -1;
	}
	return 0;
}

static int configure(const struct command_context *context,
		     const struct sink_options *options,
		     struct config *config, struct units_error *err)
{
	char list[CONFIG_CPUS_MAX + 1];
	uint32_t device;

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config_set(config, KTPUT_A_CONFIG_LOCAL_PORT, options->run.port);
	if (options->on &&
	    address_parse(options->on, AF_UNSPEC, &config->local, err))
		return -1;
	if (address_scope(&config->local))
		config_set(config, KTPUT_A_CONFIG_DEVICE,
			   address_scope(&config->local));
	if (options->run.device) {
		if (route_device(options->run.netns, options->run.device,
				 &device, err))
			return -1;
		config_set(config, KTPUT_A_CONFIG_DEVICE, device);
	}
	if (GIVEN(context, run.cpus) && !options->run.cpus.all) {
		if (cpus_show(&options->run.cpus, list, sizeof(list))) {
			units_refuse(err, "a list of CPUs longer than %d bytes does not fit",
				     CONFIG_CPUS_MAX);
			return -1;
		}
		config_set_cpus(config, list);
	}
	if (options->run.congestion)
		config_set_congestion(config, options->run.congestion);
	PASS(config, context, run.streams, STREAMS, options->run.streams);
	PASS(config, context, once, ONCE, 1);
	PASS(config, context, run.size, MESSAGE_SIZE, options->run.size);
	PASS(config, context, run.in, METHOD,
	     run_options_method_in(options->run.in));
	PASS(config, context, run.receive_buffer, RECEIVE_BUFFER,
	     options->run.receive_buffer);
	PASS(config, context, run.mss, MSS, options->run.mss);
	PASS(config, context, run.time_ns, END_TIME, options->run.time_ns);
	PASS(config, context, run.detach, DETACHED, 1);
	return 0;
}

static int run(const struct command_context *context, const void *data)
{
	const struct sink_options *options = data;
	struct session session = {
		.out = context->out,
		.detail = context->statistics,
		.interval_ns = options->run.interval_ns,
		.time_ns = options->run.time_ns,
		.sink = { .present = true, .netns = options->run.netns },
	};
	struct units_error err;
	bool keep = false;
	int ret;

	ret = configure(context, options, &session.sink.config, &err);
	if (!ret)
		ret = session_open(&session, &err);
	if (!ret)
		ret = session_start(&session, &session.sink, &err);
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

const struct command command_sink = {
	.name = "sink",
	.summary = "receive from whoever connects, and discard",
	.notes = "Any TCP peer will do. Ctrl-C ends the sink and prints what there is.",
	.options = { .entry = entries, .count = COUNT(entries) },
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
