// SPDX-License-Identifier: GPL-2.0
/* pingpong_run: plan a session of round trips. */
#include "pingpong_run.h"

/* Default number of round trips for each size of a sweep, and the least by bytes. */
#define SWEEP_TRIPS	200
#define SWEEP_TRIPS_MIN	3

#define NSEC_PER_USEC	1000

/**
 * pingpong_run_place() - answer at the layer that requests arrive at
 * @options: parsed options; the layer of the sink is filled in
 */
void pingpong_run_place(struct run_options *options)
{
	/* The ingress hook answers frames. */
	options->sink_layer = run_options_frames(options) ?
			      KTPUT_LAYER_INGRESS : options->layer;
}

/**
 * pingpong_run_configure() - configure an end for round trips
 * @config: its configuration
 * @options: parsed options
 * @size: bytes of both messages in a sweep, else 0
 */
void pingpong_run_configure(struct config *config,
			    const struct run_options *options, uint64_t size)
{
	config_set(config, KTPUT_A_CONFIG_PATTERN, KTPUT_PATTERN_PING_PONG);
	if (size)
		config_set(config, KTPUT_A_CONFIG_REQUEST, size);
	config->wait = options->wait;
	config->busy_poll_us = options->busy_poll_ns / NSEC_PER_USEC;
}

static void configure_sink(struct config *config,
			   const struct run_options *options)
{
	if (!options->reconnect)
		return;
	config->set &= ~(1ULL << KTPUT_A_CONFIG_ONCE);
	/* A new connection may arrive before the sink sees the last one close. */
	if (options->wait != CONFIG_WAIT_BLOCK)
		config->set &= ~(1ULL << KTPUT_A_CONFIG_STREAMS);
}

static int configure_source(struct config *config,
			    const struct command_context *context,
			    const struct run_options *options,
			    struct units_error *err)
{
	const uint64_t rate = options->request_rate;
	const uint64_t streams = RUN_GIVEN(context, streams) ?
				 options->streams : 1;

	if (!RUN_GIVEN(context, request_rate))
		return 0;
	if (!streams || rate < streams)
		return units_refuse(err,
				    "rate: less than a request per second for each stream");
	start_plan_warn_rate(context, rate, rate / streams, streams,
			     "requests/s");
	config_set(config, KTPUT_A_CONFIG_PACKET_RATE, rate / streams);
	return 0;
}

/* By bytes, large sizes have fewer. */
static uint64_t sweep_trips(const struct command_context *context,
			    const struct run_options *options, uint64_t size)
{
	const uint64_t trips = options->bytes / size;

	if (!RUN_GIVEN(context, bytes) || trips > SWEEP_TRIPS)
		return SWEEP_TRIPS;
	return trips < SWEEP_TRIPS_MIN ? SWEEP_TRIPS_MIN : trips;
}

/**
 * pingpong_run_plan() - plan a session of round trips
 * @plan: zeroed; filled in
 * @context: the command's context
 * @options: parsed options
 * @size: bytes of both messages in a sweep, else 0
 * @err: why the plan fails
 */
int pingpong_run_plan(struct start_plan *plan,
		      const struct command_context *context,
		      const struct run_options *options, uint64_t size,
		      struct units_error *err)
{
	struct session *session = &plan->session;

	plan->context = context;
	plan->options = options;
	if (start_plan_make(plan, err))
		return -1;
	session->pingpong = true;
	session->quiet = size;
	session->receiver_unknown = !session->sink.present;
	if (size && (RUN_GIVEN(context, bytes) ||
		     (!RUN_GIVEN(context, messages) &&
		      !RUN_GIVEN(context, time_ns)))) {
		config_set(&session->source.config,
			   KTPUT_A_CONFIG_MESSAGES,
			   sweep_trips(context, options, size));
		if (!RUN_GIVEN(context, time_ns))
			session->time_ns = 0;
	}
	pingpong_run_configure(&session->source.config, options, size);
	if (session->sink.present) {
		pingpong_run_configure(&session->sink.config, options, size);
		configure_sink(&session->sink.config, options);
	}
	return configure_source(&session->source.config, context, options,
				err);
}

/**
 * pingpong_run_begin() - begin a session of round trips, once its record has its devices
 * @session: planned session
 * @err: why it does not begin
 *
 * Return: as session_begin().
 */
int pingpong_run_begin(struct session *session, struct units_error *err)
{
	/* Device counters do not count round trips. */
	session->source.device = 0;
	session->sink.device = 0;
	return session_begin(session, err);
}
