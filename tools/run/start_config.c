// SPDX-License-Identifier: GPL-2.0
/* start_config: configure the runs of "start". */
#include <inttypes.h>

#include "../host/cpus.h"
#include "start_plan.h"

/* Default bytes of a call and of a datagram. */
#define MESSAGE_BYTES	(128 << 10)
#define DATAGRAM_BYTES	1448

/* Place ends on the same host on different CPUs if possible. */
static int place(struct start_plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	bool source_given = RUN_GIVEN(context, cpus);
	bool sink_given = RUN_GIVEN(context, sink_cpus);
	struct units_cpus source = plan->options->cpus;
	struct units_cpus sink = plan->options->sink_cpus;
	struct config *to = &plan->session.source.config;
	struct units_cpus usable;

	if (session_two_hosts(&plan->session) && sink_given &&
	    config_set_list(&plan->session.sink.config, KTPUT_A_CONFIG_CPUS,
			    &sink, err))
		return -1;
	/* The ingress hook and XDP run on the CPU that receives the frame. */
	if (!plan->session.sink.present || session_two_hosts(&plan->session) ||
	    !run_options_sockets(plan->options->sink_layer))
		return source_given ?
		       config_set_list(to, KTPUT_A_CONFIG_CPUS, &source, err) : 0;
	if (cpus_default(&usable, err))
		return -1;
	if (!source_given && !sink_given) {
		cpus_split(&usable, &source, &sink);
	} else if (!source_given) {
		source = usable;
		cpus_without(&source, &sink);
	} else if (!sink_given) {
		sink = usable;
		cpus_without(&sink, &source);
	}
	return config_set_list(to, KTPUT_A_CONFIG_CPUS, &source, err) ||
	       config_set_list(&plan->session.sink.config, KTPUT_A_CONFIG_CPUS,
			       &sink, err) ? -1 : 0;
}

/* Streams of the source. */
static uint64_t flows(const struct start_plan *plan)
{
	if (RUN_GIVEN(plan->context, streams))
		return plan->options->streams;
	if (RUN_GIVEN(plan->context, queues))
		return units_cpus_count(&plan->queues);
	return 1;
}

static void configure_udp_sink(struct start_plan *plan, uint64_t cookie)
{
	const struct command_context *context = plan->context;
	const struct run_options *options = plan->options;
	const bool sockets = run_options_sockets(options->sink_layer);
	struct config *config = &plan->session.sink.config;

	if (!plan->session.engine)
		config_set(config, KTPUT_A_CONFIG_COOKIE, cookie);
	config_set(config, KTPUT_A_CONFIG_STREAMS,
		   flows(plan) * options->ports);
	if (!sockets && !RUN_GIVEN(context, port))
		config_set(config, KTPUT_A_CONFIG_LOCAL_PORT,
			   RUN_OPTIONS_PORT);
	/* The sink receives with one call what the source sends with one call. */
	if (sockets && RUN_GIVEN(context, segments))
		config_set(config, KTPUT_A_CONFIG_SEGMENTS, options->segments);
	/* Frames go to more than one address. */
	if (options->addresses > 1)
		config->local = (struct address) { 0 };
}

/* Without a layer, an end is at a socket of the kernel. */
static void set_layer(struct start_plan *plan, unsigned int layer,
		      struct config *config)
{
	config->engine = plan->options->engine;
	if (plan->session.engine)
		layer = KTPUT_LAYER_USER;
	if (plan->session.udp || layer == KTPUT_LAYER_USER)
		config_set(config, KTPUT_A_CONFIG_LAYER, layer);
}

/* Of another program only what was asked for. */
static uint64_t told_interval(const struct start_plan *plan)
{
	return plan->session.engine && RUN_GIVEN(plan->context, interval_ns) ?
	       plan->options->interval_ns : 0;
}

static int configure_sink(struct start_plan *plan, uint64_t cookie,
			  struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct run_options *options = plan->options;
	struct config *config = &plan->session.sink.config;

	if (run_options_configure(context, options, RUN_END_SINK, config, err))
		return -1;
	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->transport);
	config->local = plan->to;
	if (plan->sink_device)
		address_set_scope(&config->local, plan->sink_device);
	set_layer(plan, options->sink_layer, config);
	config->batch = options->batch;
	config->interval_ns = told_interval(plan);
	if (plan->sink_device)
		config_set(config, KTPUT_A_CONFIG_DEV, plan->sink_device);
	if (RUN_GIVEN(context, port))
		config_set(config, KTPUT_A_CONFIG_LOCAL_PORT, options->port);
	if (plan->session.udp) {
		configure_udp_sink(plan, cookie);
		return 0;
	}
	config_set(config, KTPUT_A_CONFIG_ONCE, 1);
	config_set(config, KTPUT_A_CONFIG_STREAMS, flows(plan));
	if (RUN_GIVEN(context, size))
		config_set(config, KTPUT_A_CONFIG_SIZE,
			   options->size.first);
	return 0;
}

static int configure_frames(struct start_plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct run_options *options = plan->options;
	const struct framesize *size = &options->size;
	struct config *config = &plan->session.source.config;

	if (!RUN_GIVEN(context, from_port))
		config_set(config, KTPUT_A_CONFIG_LOCAL_PORT,
			   RUN_OPTIONS_FROM_PORT);
	/* Its own host knows the neighbour of a source that is far. */
	if (!options->reverse)
		config_set_mac(config, KTPUT_A_CONFIG_MAC, plan->mac.byte);
	else if (RUN_GIVEN(context, mac))
		config_set_mac(config, KTPUT_A_CONFIG_MAC, options->mac.byte);
	if (RUN_GIVEN(context, from_mac))
		config_set_mac(config, KTPUT_A_CONFIG_FROM_MAC,
			       options->from_mac.byte);
	if (size->mix[0]) {
		config_set_string(config, KTPUT_A_CONFIG_MIX, size->mix);
	} else if (RUN_GIVEN(context, size)) {
		config_set(config, KTPUT_A_CONFIG_SIZE_MIN, size->first);
		config_set(config, KTPUT_A_CONFIG_SIZE_MAX, size->last);
	}
	if (!RUN_GIVEN(context, queues))
		return 0;
	return config_set_list(config, KTPUT_A_CONFIG_QUEUES, &plan->queues, err);
}

/**
 * start_plan_warn_rate() - print the effective rate if streams cannot share it evenly
 * @context: the command's context
 * @asked: requested rate of all streams together
 * @each: rate of each stream
 * @streams: number of streams
 * @unit: unit of both rates
 */
void start_plan_warn_rate(const struct command_context *context,
			  uint64_t asked, uint64_t each, uint64_t streams,
			  const char *unit)
{
	/* Ignore a difference of up to a thousandth. */
	if (asked - each * streams <= asked / 1000)
		return;
	output_warning(context->out, "rate: %" PRIu64 " %s are in effect and "
		       "not %" PRIu64 ", %" PRIu64 " for each of %" PRIu64
		       " stream%s", each * streams, unit, asked, each, streams,
		       streams > 1 ? "s" : "");
}

/* Convert the rate of all streams to the rate of each stream. */
static int configure_rate(struct start_plan *plan, struct units_error *err)
{
	const struct units_rate *rate = &plan->options->rate;
	struct config *config = &plan->session.source.config;
	const unsigned int unit = rate->packets ? 1 : 8;
	uint64_t share = rate->per_s / unit;
	uint64_t count = flows(plan);

	if (!RUN_GIVEN(plan->context, rate))
		return 0;
	share /= count ? count : 1;
	if (!share)
		return units_refuse(err,
				    "rate: less than a %s per second for each of %"
				    PRIu64 " streams",
				    rate->packets ? "packet" : "byte", count);
	if (count)
		start_plan_warn_rate(plan->context, rate->per_s, share * unit,
				     count, rate->packets ? "packets/s" : "bit/s");
	config_set(config, rate->packets ? KTPUT_A_CONFIG_PACKET_RATE :
					   KTPUT_A_CONFIG_PACE, share);
	return 0;
}

static int configure_udp_source(struct start_plan *plan, uint64_t cookie,
				struct units_error *err)
{
	struct config *config = &plan->session.source.config;

	if (!plan->session.engine)
		config_set(config, KTPUT_A_CONFIG_COOKIE, cookie);
	return configure_rate(plan, err);
}

static int configure_source(struct start_plan *plan, uint64_t cookie,
			    struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct run_options *options = plan->options;
	struct config *config = &plan->session.source.config;

	if (run_options_configure(context, options, RUN_END_SOURCE, config,
				  err))
		return -1;
	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SOURCE);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->transport);
	config->remote = plan->to;
	config->local = plan->from;
	config->batch = options->batch;
	config->warmup_ns = options->warmup_ns;
	config->interval_ns = told_interval(plan);
	set_layer(plan, options->layer, config);
	config_set(config, KTPUT_A_CONFIG_REMOTE_PORT,
		   RUN_GIVEN(context, port) ? options->port :
		   plan->session.engine ? plan->session.engine->port :
		   RUN_OPTIONS_PORT);
	if (plan->device)
		config_set(config, KTPUT_A_CONFIG_DEV, plan->device);
	if (plan->session.time_ns || RUN_GIVEN(context, time_ns))
		config_set(config, KTPUT_A_CONFIG_TIME,
			   options->time_ns + options->warmup_ns);
	if (plan->session.udp && configure_udp_source(plan, cookie, err))
		return -1;
	if (run_options_frames(options))
		return configure_frames(plan, err);
	if (RUN_GIVEN(context, size))
		config_set(config, KTPUT_A_CONFIG_SIZE,
			   options->size.first);
	return 0;
}

/* Set ktput's default sizes, since external programs have different ones. */
static void configure_engine(struct start_plan *plan)
{
	const bool udp = plan->session.udp;

	if (!RUN_GIVEN(plan->context, size))
		config_set(&plan->session.source.config,
			   KTPUT_A_CONFIG_SIZE,
			   udp ? DATAGRAM_BYTES : MESSAGE_BYTES);
}

/**
 * start_plan_configure() - configure the runs
 * @plan: complete except for the configurations
 * @err: why the configuration fails
 */
int start_plan_configure(struct start_plan *plan, struct units_error *err)
{
	uint64_t cookie = RUN_GIVEN(plan->context, cookie) ?
			  plan->options->cookie : run_options_cookie();

	if (plan->session.engine)
		configure_engine(plan);
	if (plan->session.sink.present && configure_sink(plan, cookie, err))
		return -1;
	return configure_source(plan, cookie, err) || place(plan, err) ? -1 : 0;
}
