// SPDX-License-Identifier: GPL-2.0
/* start_config: the configurations of the runs of "start". */
#include <inttypes.h>

#include "../lib/cpus.h"
#include "start_plan.h"

/* What a call sends and what a datagram carries, where nothing is said. */
#define MESSAGE_BYTES	(128 << 10)
#define DATAGRAM_BYTES	1448

/* Hands a keyword on to the module where it was given. */
#define PASS(config, context, field, attribute, value)			\
	do {								\
		if (START_GIVEN(context, field))			\
			config_set(config, KTPUT_A_CONFIG_##attribute,	\
				   value);				\
	} while (0)

static int set_list(struct config *config, int type,
		    const struct units_cpus *cpus, struct units_error *err)
{
	char list[CONFIG_LIST_MAX + 1];

	if (cpus->all)
		return 0;
	if (cpus_show(cpus, list, sizeof(list))) {
		units_refuse(err, "a list of more than %d characters does not fit",
			     CONFIG_LIST_MAX);
		return -1;
	}
	config_set_string(config, type, list);
	return 0;
}

/* Ends on one host stay out of each other's way where they can. */
static int place(struct start_plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	bool source_given = START_GIVEN(context, run.cpus);
	bool sink_given = START_GIVEN(context, sink_cpus);
	struct units_cpus source = plan->options->run.cpus;
	struct units_cpus sink = plan->options->sink_cpus;
	struct config *to = &plan->session.source.config;
	struct units_cpus online;

	/* The ingress hook and XDP are served where frames arrive. */
	if (!plan->session.sink.present ||
	    !run_options_sink_sockets(plan->options->sink_layer))
		return source_given ? set_list(to, KTPUT_A_CONFIG_CPUS,
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
	return set_list(to, KTPUT_A_CONFIG_CPUS, &source, err) ||
	       set_list(&plan->session.sink.config, KTPUT_A_CONFIG_CPUS,
			&sink, err) ? -1 : 0;
}

/* Streams of the source. */
static uint64_t flows(const struct start_plan *plan)
{
	if (START_GIVEN(plan->context, run.streams))
		return plan->options->run.streams;
	if (START_GIVEN(plan->context, queues))
		return units_cpus_count(&plan->queues);
	return 1;
}

static void configure_udp_sink(struct start_plan *plan, uint64_t cookie)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.sink.config;
	int layer = plan->session.engine ? plan->session.engine->layer :
		    run_options_sink_layer(options->sink_layer);

	config_set(config, KTPUT_A_CONFIG_LAYER, layer);
	if (!plan->session.engine)
		config_set(config, KTPUT_A_CONFIG_COOKIE, cookie);
	config_set(config, KTPUT_A_CONFIG_STREAMS,
		   flows(plan) * options->ports);
	if (!run_options_sink_sockets(options->sink_layer) &&
	    !START_GIVEN(context, run.port))
		config_set(config, KTPUT_A_CONFIG_LOCAL_PORT,
			   RUN_OPTIONS_PORT);
	if (run_options_sink_sockets(options->sink_layer))
		PASS(config, context, segments, SEGMENTS, options->segments);
	/* One address is not all that frames may go to. */
	if (options->addresses > 1)
		config->local = (struct address) { 0 };
}

static void configure_sink(struct start_plan *plan, uint64_t cookie)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.sink.config;

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config->local = plan->to;
	if (plan->session.engine) {
		config_set(config, KTPUT_A_CONFIG_LAYER,
			   plan->session.engine->layer);
	} else if (run_options_sink_layer(options->sink_layer) ==
		   CONFIG_LAYER_USER) {
		config_set(config, KTPUT_A_CONFIG_LAYER, CONFIG_LAYER_USER);
		config->batch = options->batch;
	}
	if (plan->sink_device)
		config_set(config, KTPUT_A_CONFIG_DEVICE, plan->sink_device);
	PASS(config, context, run.port, LOCAL_PORT, options->run.port);
	PASS(config, context, run.in, METHOD,
	     run_options_method_in(options->run.in));
	PASS(config, context, run.receive_buffer, RECEIVE_BUFFER,
	     options->run.receive_buffer);
	PASS(config, context, run.detach, DETACHED, 1);
	if (plan->session.udp) {
		configure_udp_sink(plan, cookie);
		return;
	}
	config_set(config, KTPUT_A_CONFIG_ONCE, 1);
	config_set(config, KTPUT_A_CONFIG_STREAMS, flows(plan));
	PASS(config, context, size, MESSAGE_SIZE, options->size.first);
}

static int configure_frames(struct start_plan *plan, struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	const struct framesize *size = &options->size;
	struct config *config = &plan->session.source.config;

	config_set(config, KTPUT_A_CONFIG_LOCAL_PORT,
		   START_GIVEN(context, from_port) ?
		   options->from_port : START_OPTIONS_FROM_PORT);
	config_set_mac(config, KTPUT_A_CONFIG_DESTINATION_MAC,
		       plan->mac.byte);
	if (START_GIVEN(context, from_mac))
		config_set_mac(config, KTPUT_A_CONFIG_SOURCE_MAC,
			       options->from_mac.byte);
	if (size->mix[0]) {
		config_set_string(config, KTPUT_A_CONFIG_MIX, size->mix);
	} else {
		PASS(config, context, size, FRAME_SIZE_MIN, size->first);
		PASS(config, context, size, FRAME_SIZE_MAX, size->last);
	}
	PASS(config, context, vlan, VLAN, options->vlan);
	PASS(config, context, vlan_inner, VLAN_INNER, options->vlan_inner);
	PASS(config, context, burst, BURST, options->burst);
	PASS(config, context, reuse, REUSE, 1);
	PASS(config, context, ports, REMOTE_PORTS, options->ports);
	PASS(config, context, from_ports, LOCAL_PORTS, options->from_ports);
	PASS(config, context, addresses, REMOTE_ADDRESSES, options->addresses);
	PASS(config, context, from_addresses, LOCAL_ADDRESSES,
	     options->from_addresses);
	if (!START_GIVEN(context, queues))
		return 0;
	return set_list(config, KTPUT_A_CONFIG_QUEUES, &plan->queues, err);
}

/**
 * start_plan_warn_rate() - say what is in effect of a rate that streams share
 * @context: what was given
 * @asked: rate that was asked for, of all streams
 * @each: what each stream has of it
 * @streams: how many there are
 * @unit: what both are counted in
 */
void start_plan_warn_rate(const struct command_context *context,
			  uint64_t asked, uint64_t each, uint64_t streams,
			  const char *unit)
{
	/* Less than a thousandth does not show. */
	if (asked - each * streams <= asked / 1000)
		return;
	output_warning(context->out, "rate: %" PRIu64 " %s are in effect and "
		       "not %" PRIu64 ", %" PRIu64 " for each of %" PRIu64
		       " stream%s", each * streams, unit, asked, each, streams,
		       streams > 1 ? "s" : "");
}

/* What all streams together may send, to what each may. */
static int configure_rate(struct start_plan *plan, struct units_error *err)
{
	const struct units_rate *rate = &plan->options->rate;
	struct config *config = &plan->session.source.config;
	const unsigned int unit = rate->packets ? 1 : 8;
	uint64_t share = rate->per_s / unit;
	uint64_t count = flows(plan);

	if (!START_GIVEN(plan->context, rate))
		return 0;
	share /= count ? count : 1;
	if (!share) {
		units_refuse(err, "rate: less than a %s a second for each of %" PRIu64
			     " streams", rate->packets ? "packet" : "byte",
			     count);
		return -1;
	}
	if (count)
		start_plan_warn_rate(plan->context, rate->per_s, share * unit,
				     count, rate->packets ? "packets/s" : "bit/s");
	config_set(config, rate->packets ? KTPUT_A_CONFIG_PACKET_RATE :
					   KTPUT_A_CONFIG_PACING_RATE, share);
	return 0;
}

static int configure_udp_source(struct start_plan *plan, uint64_t cookie,
				struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.source.config;

	config_set(config, KTPUT_A_CONFIG_LAYER, options->layer);
	if (!plan->session.engine)
		config_set(config, KTPUT_A_CONFIG_COOKIE, cookie);
	PASS(config, context, segments, SEGMENTS, options->segments);
	if (configure_rate(plan, err))
		return -1;
	if (start_options_frames(options))
		return configure_frames(plan, err);
	PASS(config, context, size, MESSAGE_SIZE, options->size.first);
	return 0;
}

static int configure_source(struct start_plan *plan, uint64_t cookie,
			    struct units_error *err)
{
	const struct command_context *context = plan->context;
	const struct start_options *options = plan->options;
	struct config *config = &plan->session.source.config;

	config_set(config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SOURCE);
	config_set(config, KTPUT_A_CONFIG_TRANSPORT, options->run.transport);
	config->remote = plan->to;
	config->local = plan->from;
	if (options->layer >= CONFIG_LAYER_USER) {
		config_set(config, KTPUT_A_CONFIG_LAYER, options->layer);
		config->batch = options->batch;
	}
	config_set(config, KTPUT_A_CONFIG_REMOTE_PORT,
		   START_GIVEN(context, run.port) ? options->run.port :
		   plan->session.engine ? plan->session.engine->port :
		   RUN_OPTIONS_PORT);
	PASS(config, context, from_port, LOCAL_PORT, options->from_port);
	if (plan->device)
		config_set(config, KTPUT_A_CONFIG_DEVICE, plan->device);
	PASS(config, context, run.streams, STREAMS, options->run.streams);
	PASS(config, context, out, METHOD,
	     start_options_method_out(options->out));
	PASS(config, context, send_buffer, SEND_BUFFER, options->send_buffer);
	if (options->run.congestion)
		config_set_string(config, KTPUT_A_CONFIG_CONGESTION,
				  options->run.congestion);
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
	if (plan->session.time_ns || START_GIVEN(context, run.time_ns))
		config_set(config, KTPUT_A_CONFIG_END_TIME,
			   options->run.time_ns + options->warmup_ns);
	if (plan->session.udp)
		return configure_udp_source(plan, cookie, err);
	PASS(config, context, size, MESSAGE_SIZE, options->size.first);
	return 0;
}

/* Sizes as if nothing were said to the module: other programs have others. */
static void configure_engine(struct start_plan *plan)
{
	const bool udp = plan->session.udp;

	if (!START_GIVEN(plan->context, size))
		config_set(&plan->session.source.config,
			   KTPUT_A_CONFIG_MESSAGE_SIZE,
			   udp ? DATAGRAM_BYTES : MESSAGE_BYTES);
}

/**
 * start_plan_configure() - configure the runs
 * @plan: all but their configurations
 * @err: why that cannot be
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int start_plan_configure(struct start_plan *plan, struct units_error *err)
{
	uint64_t cookie = START_GIVEN(plan->context, run.cookie) ?
			  plan->options->run.cookie : run_options_cookie();

	if (plan->session.engine)
		configure_engine(plan);
	if (plan->session.sink.present)
		configure_sink(plan, cookie);
	return configure_source(plan, cookie, err) || place(plan, err) ? -1 : 0;
}
