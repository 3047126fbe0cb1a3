// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl start: a measurement, or a source alone. */
#include <inttypes.h>
#include <string.h>

#include "../lib/cpus.h"
#include "../lib/route.h"
#include "report.h"
#include "run_options.h"
#include "session.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Where it goes if nothing is said: this host, by loopback. */
#define DEFAULT_TO	"127.0.0.1"

struct start_options {
	struct run_options run;
	const char *to;
	const char *from;
	uint64_t from_port;
	unsigned int alone;
	const char *sink_netns;
	unsigned int out;
	uint64_t send_buffer;
	unsigned int no_delay;
	uint64_t pace_bps;
	uint64_t tos;
	uint64_t priority;
	struct units_cpus sink_cpus;
	uint64_t bytes;
	uint64_t messages;
	uint64_t warmup_ns;
	uint64_t drain_ns;
	uint64_t connect_ns;
};

static const struct start_options defaults = {
	.run = {
		.time_ns = 10 * UNITS_NSEC_PER_SEC,
		.interval_ns = UNITS_NSEC_PER_SEC,
	},
	.drain_ns = 10 * UNITS_NSEC_PER_SEC,
};

static const char *const outs[] = { "copy", "zerocopy", NULL };

static const enum ktput_method methods_out[] = {
	KTPUT_METHOD_COPY, KTPUT_METHOD_PAGES,
};

#define START_OPTION(field)	.target = offsetof(struct start_options, field)

static const struct options_entry entries[] = {
	RUN_OPTION_TCP,
	{
		.keyword = "to", .argument = "ADDRESS", .parse = options_word,
		START_OPTION(to),
		.help = "address or name of the sink; if it is on this host, "
			"the sink is started too (default " DEFAULT_TO ")",
	},
	RUN_OPTION_PORT(1, "port of the sink (default: a free one if it is started too, else 5010)"),
	{
		.keyword = "alone", .parse = options_set, .value = 1,
		START_OPTION(alone),
		.help = "start no sink: something listens on this host already",
	}, {
		.keyword = "from", .argument = "ADDRESS",
		.parse = options_word, START_OPTION(from),
		.help = "address to send from (default: the route's)",
	}, {
		.keyword = "from-port", .argument = "P",
		.parse = options_port, START_OPTION(from_port),
		.help = "first of the ports to send from, one for each stream "
			"(default: free ones)",
	},
	RUN_OPTION_NETNS,
	{
		.keyword = "sink-netns", .argument = "NAME",
		.parse = options_word, START_OPTION(sink_netns),
		.help = "network namespace of the sink; it is started too",
	},
	RUN_OPTION_DEVICE,
	RUN_OPTION_STREAMS("connections (default 1)"),
	RUN_OPTION_SIZE,
	{
		.keyword = "out", .argument = "copy|zerocopy",
		.parse = options_choice, .choices = outs, START_OPTION(out),
		.help = "how a source gives payload: copied from a buffer, or "
			"as references to pages (default zerocopy)",
	},
	RUN_OPTION_IN,
	{
		.keyword = "sndbuf", .argument = "SIZE",
		.parse = options_size, .max = UINT32_MAX,
		START_OPTION(send_buffer),
		.help = "send buffer of the source's sockets as socket(7) "
			"counts it (default: tuned by the kernel)",
	},
	RUN_OPTION_RCVBUF,
	RUN_OPTION_CONGESTION,
	RUN_OPTION_MSS,
	{
		.keyword = "nodelay", .parse = options_set, .value = 1,
		START_OPTION(no_delay),
		.help = "send small segments at once (no Nagle algorithm)",
	}, {
		.keyword = "pace", .argument = "RATE",
		.parse = options_bitrate, .max = UINT64_MAX,
		START_OPTION(pace_bps),
		.help = "rate that no stream exceeds (default: none)",
	}, {
		.keyword = "tos", .argument = "N", .parse = options_count,
		.max = UINT8_MAX, START_OPTION(tos),
		.help = "IPv4 type of service or IPv6 traffic class "
			"(default 0)",
	}, {
		.keyword = "priority", .argument = "N",
		.parse = options_count, .max = UINT32_MAX,
		START_OPTION(priority),
		.help = "priority of the sockets, 0 to 6 (default 0)",
	},
	RUN_OPTION_CPUS("CPUs of the source (default: all; with a sink on this "
			"host the lower half)"),
	{
		.keyword = "sink-cpus", .argument = "LIST",
		.parse = options_cpus, START_OPTION(sink_cpus),
		.help = "CPUs of the sink (default: those that the source "
			"does not have)",
	},
	RUN_OPTION_TIME("how long, after the warm-up; an upper limit beside "
			"bytes or messages (default 10s without them)"),
	{
		.keyword = "bytes", .argument = "SIZE",
		.parse = options_size, .max = UINT64_MAX,
		START_OPTION(bytes),
		.help = "how much, all streams and the warm-up together",
	}, {
		.keyword = "messages", .argument = "N",
		.parse = options_count, .max = UINT64_MAX,
		START_OPTION(messages),
		.help = "how many messages, all streams and the warm-up "
			"together",
	}, {
		.keyword = "warmup", .argument = "TIME",
		.parse = options_time, .max = KTPUT_MAX_TIME,
		START_OPTION(warmup_ns),
		.help = "time at the beginning that the result leaves out "
			"(default 0)",
	},
	RUN_OPTION_INTERVAL,
	{
		.keyword = "drain-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(drain_ns),
		.help = "time that the peer may take to acknowledge the rest "
			"(default 10s)",
	}, {
		.keyword = "connect-timeout", .argument = "TIME",
		.parse = options_time, .max = UINT64_MAX,
		START_OPTION(connect_ns),
		.help = "time within which all streams must be connected "
			"(default 5s)",
	},
	RUN_OPTION_DETACH,
};

/* What is being put together, with what it is put together from. */
struct plan {
	const struct command_context *context;
	const struct start_options *options;
	struct address to;
	struct address from;
	uint32_t device;
	struct route route;
	struct session session;
};

static bool given(const struct command_context *context, size_t target)
{
	return options_given(context->options, context->given, target);
}

#define GIVEN(context, field) \
	given(context, offsetof(struct start_options, field))

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct start_options *options = data;

	if (GIVEN(context, bytes) && GIVEN(context, messages)) {
		units_refuse(err, "'bytes' contradicts 'messages'");
		return -1;
	}
	if (options->alone && options->sink_netns) {
		units_refuse(err, "'alone' contradicts 'sink-netns'");
		return -1;
	}
	if (options->alone && !options->to) {
		units_refuse(err, "'alone' needs 'to'");
		return -1;
	}
	if (options->sink_netns && !options->to) {
		units_refuse(err, "'sink-netns' needs 'to', an address there");
		return -1;
	}
	if (options->run.detach && (GIVEN(context, warmup_ns) ||
				    GIVEN(context, run.interval_ns))) {
		units_refuse(err, "'detach' leaves nobody to see to 'warmup' and 'interval'");
		return -1;
	}
	return 0;
}

static int find_ends(struct plan *plan, struct units_error *err)
{
	const struct start_options *options = plan->options;
	int family = AF_UNSPEC;

	if (options->from) {
		if (address_parse(options->from, AF_UNSPEC, &plan->from, err))
			return -1;
		family = address_family(&plan->from);
	}
	if (!options->to && family == AF_INET6) {
		if (address_parse("::1", AF_INET6, &plan->to, err))
			return -1;
	} else if (address_parse(options->to ? options->to : DEFAULT_TO,
				 family, &plan->to, err)) {
		return -1;
	}
	if (options->run.device &&
	    route_device(options->run.netns, options->run.device,
			 &plan->device, err))
		return -1;
	if (!plan->device)
		plan->device = address_scope(&plan->to);
	return route_find(options->run.netns, &plan->to, plan->device,
			  &plan->route, err);
}

/* Keywords of a sink that is not started would be without effect. */
static int check_sink(const struct plan *plan, struct units_error *err)
{
	static const struct {
		const char *keyword;
		size_t target;
	} only[] = {
		{ "in", offsetof(struct start_options, run.in) },
		{ "rcvbuf", offsetof(struct start_options, run.receive_buffer) },
		{ "sink-cpus", offsetof(struct start_options, sink_cpus) },
	};

	for (size_t i = 0; i < COUNT(only); i++) {
		if (!given(plan->context, only[i].target))
			continue;
		units_refuse(err, "'%s' is for a sink on this host, and none is started for %s",
			     only[i].keyword, address_show(&plan->to).text);
		return -1;
	}
	return 0;
}

static int set_cpus(struct config *config, const struct units_cpus *cpus,
		    struct units_error *err)
{
	char list[CONFIG_CPUS_MAX + 1];

	if (cpus->all)
		return 0;
	if (cpus_show(cpus, list, sizeof(list))) {
		units_refuse(err, "a list of CPUs longer than %d bytes does not fit",
			     CONFIG_CPUS_MAX);
		return -1;
	}
	config_set_cpus(config, list);
	return 0;
}

/* Ends on one host stay out of each other's way where they can. */
static int place(struct plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	bool source_given = GIVEN(context, run.cpus);
	bool sink_given = GIVEN(context, sink_cpus);
	struct units_cpus source = plan->options->run.cpus;
	struct units_cpus sink = plan->options->sink_cpus;
	struct units_cpus online;

	if (!plan->session.sink.present)
		return source_given ? set_cpus(&plan->session.source.config,
					       &source, err) : 0;
	if (cpus_online(&online, err))
		return -1;
	if (!source_given && !sink_given) {
		cpus_split(&online, &source, &sink);
	} else if (!source_given) {
		source = online;
		cpus_without(&source, &sink);
	} else if (!sink_given) {
		sink = online;
		cpus_without(&sink, &source);
	}
	return set_cpus(&plan->session.source.config, &source, err) ||
	       set_cpus(&plan->session.sink.config, &sink, err) ? -1 : 0;
}

/* Hands a keyword on to the module where it was given. */
#define PASS(config, context, field, attribute, value)			\
	do {								\
		if (GIVEN(context, field))				\
			config_set(config, KTPUT_A_CONFIG_##attribute,	\
				   value);				\
	} while (0)

static void configure_sink(struct plan *plan)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.sink.config;

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config_set(config, KTPUT_A_CONFIG_ONCE, 1);
	config_set(config, KTPUT_A_CONFIG_STREAMS,
		   GIVEN(context, run.streams) ? options->run.streams : 1);
	config->local = plan->to;
	if (address_scope(&plan->to))
		config_set(config, KTPUT_A_CONFIG_DEVICE,
			   address_scope(&plan->to));
	PASS(config, context, run.port, LOCAL_PORT, options->run.port);
	PASS(config, context, run.size, MESSAGE_SIZE, options->run.size);
	PASS(config, context, run.in, METHOD,
	     run_options_method_in(options->run.in));
	PASS(config, context, run.receive_buffer, RECEIVE_BUFFER,
	     options->run.receive_buffer);
	PASS(config, context, run.detach, DETACHED, 1);
}

static void configure_source(struct plan *plan)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.source.config;

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SOURCE);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config->remote = plan->to;
	config->local = plan->from;
	config_set(config, KTPUT_A_CONFIG_REMOTE_PORT,
		   GIVEN(context, run.port) ? options->run.port :
					      RUN_OPTIONS_PORT);
	PASS(config, context, from_port, LOCAL_PORT, options->from_port);
	if (plan->device)
		config_set(config, KTPUT_A_CONFIG_DEVICE, plan->device);
	PASS(config, context, run.streams, STREAMS, options->run.streams);
	PASS(config, context, run.size, MESSAGE_SIZE, options->run.size);
	PASS(config, context, out, METHOD, methods_out[options->out]);
	PASS(config, context, send_buffer, SEND_BUFFER, options->send_buffer);
	if (options->run.congestion)
		config_set_congestion(config, options->run.congestion);
	PASS(config, context, run.mss, MSS, options->run.mss);
	PASS(config, context, no_delay, NO_DELAY, 1);
	PASS(config, context, pace_bps, PACING_RATE, options->pace_bps / 8);
	PASS(config, context, tos, TOS, options->tos);
	PASS(config, context, priority, PRIORITY, options->priority);
	PASS(config, context, bytes, END_BYTES, options->bytes);
	PASS(config, context, messages, END_MESSAGES, options->messages);
	PASS(config, context, drain_ns, DRAIN_TIME, options->drain_ns);
	PASS(config, context, connect_ns, CONNECT_TIME, options->connect_ns);
	PASS(config, context, run.detach, DETACHED, 1);
	if (plan->session.time_ns || GIVEN(context, run.time_ns))
		config_set(config, KTPUT_A_CONFIG_END_TIME,
			   options->run.time_ns + options->warmup_ns);
}

static int make_plan(struct plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct session *session = &plan->session;

	if (find_ends(plan, err))
		return -1;
	session->out = context->out;
	session->detail = context->statistics;
	session->warmup_ns = options->warmup_ns;
	session->interval_ns = options->run.interval_ns;
	session->drain_ns = options->drain_ns;
	if (GIVEN(context, run.time_ns) ||
	    !(GIVEN(context, bytes) || GIVEN(context, messages)))
		session->time_ns = options->run.time_ns;
	session->source.present = true;
	session->source.netns = options->run.netns;
	session->sink.present = !options->alone &&
				(options->sink_netns || plan->route.local);
	session->sink.netns = options->sink_netns ? options->sink_netns :
						    options->run.netns;
	if (!session->sink.present && check_sink(plan, err))
		return -1;
	if (session->sink.present)
		configure_sink(plan);
	configure_source(plan);
	return place(plan, err);
}

static int begin(struct session *session, struct units_error *err)
{
	if (session_open(session, err))
		return -1;
	if (session->sink.present) {
		if (session_start(session, &session->sink, err))
			return -1;
		config_set(&session->source.config, KTPUT_A_CONFIG_REMOTE_PORT,
			   session->sink.run.local_port);
	}
	return session_start(session, &session->source, err);
}

static int run(const struct command_context *context, const void *data)
{
	struct plan plan = { .context = context, .options = data };
	struct session *session = &plan.session;
	struct units_error err;
	bool keep = false;
	int ret;

	ret = make_plan(&plan, &err);
	if (!ret)
		ret = begin(session, &err);
	if (!ret && plan.options->run.detach) {
		keep = true;
		report_detached(session);
	} else if (!ret) {
		report_begin(session, &plan.route);
		ret = session_watch(session, &err);
		if (!ret)
			ret = report_end(session, &plan.route, &err);
	}
	session_close(session, !keep);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

const struct command command_start = {
	.name = "start",
	.summary = "send, and receive if the sink is on this host; print the result",
	.notes = "Ctrl-C ends the run in order and prints what there is; a second one gives up.",
	.options = { .entry = entries, .count = COUNT(entries) },
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
