// SPDX-License-Identifier: GPL-2.0
/* run_check: check the options of a run, and tell what follows from them. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

#include "../analysis/statistics.h"
#include "../module/names.h"
#include "run_options.h"
#include "run_where.h"

/* How one keyword relates to another. */
enum relation {
	CONTRADICTS,
	NEEDS,
	/* It needs the command to stay until the run ends. */
	LEAVES,
};

/* A relation has no effect for a command that lacks one of the keywords. */
static const struct {
	const char *one;
	enum relation relation;
	const char *other;
} relations[] = {
	{ "bytes", CONTRADICTS, "messages" },
	{ "detach", LEAVES, "record" },
	{ "detach", LEAVES, "until-eof" },
	{ "detach", LEAVES, "profile" },
	{ "detach", LEAVES, "drops" },
	{ "detach", LEAVES, "stages" },
	{ "detach", LEAVES, "warmup" },
	{ "detach", LEAVES, "interval" },
	{ "detach", LEAVES, "repeat" },
	{ "detach", LEAVES, "until ci" },
	{ "until-eof", CONTRADICTS, "repeat" },
	{ "until-eof", CONTRADICTS, "until ci" },
	{ "alone", CONTRADICTS, "sink-netns" },
	{ "alone", CONTRADICTS, "remote" },
	{ "detach", CONTRADICTS, "remote" },
	{ "reverse", NEEDS, "remote" },
	{ "reverse", CONTRADICTS, "queues" },
	{ "detach", CONTRADICTS, "bidir" },
	{ "bidir", CONTRADICTS, "reverse" },
	{ "bidir", CONTRADICTS, "profile" },
	{ "exclusive", NEEDS, "remote" },
	{ "alone", NEEDS, "to" },
	{ "pace-only", NEEDS, "alone" },
	{ "pace-only", NEEDS, "rate" },
	{ "pace-only", CONTRADICTS, "reuse" },
	{ "sink-netns", NEEDS, "to" },
	{ "vlan-inner", NEEDS, "vlan" },
	{ "replace", NEEDS, "record" },
	{ "stages-share", NEEDS, "stages" },
	{ "trace", NEEDS, "stages" },
	{ "trace", CONTRADICTS, "repeat" },
	{ "trace", CONTRADICTS, "until ci" },
	{ "trace", CONTRADICTS, "bidir" },
	{ "size", CONTRADICTS, "response" },
	{ "sizes", CONTRADICTS, "size" },
	{ "sizes", CONTRADICTS, "request" },
	{ "sizes", CONTRADICTS, "response" },
	{ "sizes", CONTRADICTS, "interval" },
	{ "sizes", CONTRADICTS, "repeat" },
	{ "sizes", CONTRADICTS, "until ci" },
	{ "sizes", CONTRADICTS, "stages" },
	{ "thin", NEEDS, "sizes" },
	{ "think", CONTRADICTS, "rate" },
	{ "connect-per-request", CONTRADICTS, "connect-timeout" },
};

static int check_relations(const struct command_context *context,
			   struct units_error *err)
{
	static const char *const texts[] = {
		[CONTRADICTS] = "'%s' contradicts '%s'",
		[NEEDS] = "'%s' needs '%s'",
		[LEAVES] = "'%s' leaves nobody to see to '%s'",
	};

	for (size_t i = 0; i < COUNT(relations); i++) {
		const bool wanted = relations[i].relation == NEEDS;
		const bool other = options_named(context->options,
						 context->given,
						 relations[i].other);

		if (!options_named(context->options, context->given,
				   relations[i].one) ||
		    other == wanted)
			continue;
		return units_refuse(err, texts[relations[i].relation],
				    relations[i].one, relations[i].other);
	}
	return 0;
}

static int check_repeat(const struct command_context *context,
			const struct run_options *options,
			struct units_error *err)
{
	if (!RUN_GIVEN(context, repeat.ci_percent))
		return 0;
	if (!options->repeat.ci_percent)
		return units_refuse(err,
				    "until ci: no number of runs comes to 0 %%");
	if (!options->repeat.count ||
	    options->repeat.count >= STATISTICS_RUNS_MIN)
		return 0;
	return units_refuse(err,
			    "'until' needs %u runs or more, and 'repeat' is %"
			    PRIu64, STATISTICS_RUNS_MIN, options->repeat.count);
}

/* User-space layers and the XDP program end with the process. */
static int check_detach(const struct run_options *options,
			struct units_error *err)
{
	const char *what = options->layer == KTPUT_LAYER_USER ||
			   options->sink_layer == KTPUT_LAYER_USER ?
			   "a run in user space" :
			   options->sink_layer == KTPUT_LAYER_XDP ?
			   "an XDP sink" : NULL;

	if (!options->detach || !what)
		return 0;
	return units_refuse(err, "'detach': %s ends with this process", what);
}

static int check_sizes(const struct command_context *context,
		       const struct run_options *options,
		       struct units_error *err)
{
	const struct framesize *size = &options->size;

	if (context->options->command != RUN_START ||
	    run_options_frames(options) ||
	    (!size->mix[0] && size->first == size->last))
		return 0;
	return units_refuse(err,
			    "size: a range or a mix works below the socket layer only");
}

/* What a datagram carries: less than a call of TCP, and its own header at least. */
static int check_datagrams(const struct command_context *context,
			   const struct run_options *options,
			   struct units_error *err)
{
	const struct {
		const char *keyword;
		bool given;
		uint64_t bytes;
	} sizes[] = {
		{ "size", RUN_GIVEN(context, size), options->size.first },
		{ options_named(context->options, context->given, "size") ?
		  "size" : "request", RUN_GIVEN(context, request), options->request },
		{ "response", RUN_GIVEN(context, response), options->response },
	};
	const unsigned int layer = context->options->command == RUN_SINK ?
				   options->sink_layer : options->layer;

	if (options->transport != KTPUT_TRANSPORT_UDP || !run_options_sockets(layer))
		return 0;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		if (!sizes[i].given || (sizes[i].bytes >= KTPUT_MIN_DATAGRAM &&
					sizes[i].bytes <= KTPUT_MAX_DATAGRAM))
			continue;
		units_refuse(err, "%s: a datagram of %s is not in the range %s to %s",
			     sizes[i].keyword, units_show_size(sizes[i].bytes).text,
			     units_show_size(KTPUT_MIN_DATAGRAM).text,
			     units_show_size(KTPUT_MAX_DATAGRAM).text);
		return -1;
	}
	return 0;
}

static int check_sweep(const struct command_context *context,
		       const struct run_options *options,
		       struct units_error *err)
{
	if (context->options->command != RUN_PINGPONG || RUN_GIVEN(context, sizes))
		return 0;
	if (options->engine == CONFIG_ENGINE_NPTCP)
		units_refuse(err, "'engine %s' needs 'sizes'",
			     names_engine(options->engine));
	else if (RUN_GIVEN(context, bytes))
		units_refuse(err, "'bytes' needs 'sizes'");
	else
		return 0;
	return -1;
}

/* NPtcp and iperf3 have one option for both buffers of both ends. */
static int check_buffers(const struct command_context *context,
			 const struct run_options *options,
			 struct units_error *err)
{
	const bool nptcp = options->engine == CONFIG_ENGINE_NPTCP;

	if ((!nptcp && options->engine != CONFIG_ENGINE_IPERF3) ||
	    (!nptcp && !RUN_GIVEN(context, receive_buffer)) ||
	    (RUN_GIVEN(context, send_buffer) == RUN_GIVEN(context, receive_buffer) &&
	     options->send_buffer == options->receive_buffer))
		return 0;
	return units_refuse(err,
			    "engine %s: %s sets both buffers alike: give 'sndbuf' and 'rcvbuf' the same size",
			    names_engine(options->engine),
			    nptcp ? "NPtcp" : "iperf3");
}

/* Sinks of frames are bound to a device. */
static int check_device(const struct command_context *context,
			const struct run_options *options,
			struct units_error *err)
{
	const bool frames = context->options->command == RUN_REPLY ?
			    run_options_frames(options) :
			    !run_options_sockets(options->sink_layer);

	if (!(context->options->command & RUN_SINKS) || !frames ||
	    options->sink_device || options->on)
		return 0;
	return units_refuse(err,
			    "'layer %s' needs 'dev', or 'on' with an address of a device",
			    names_layer(context->options->command == RUN_REPLY ?
					options->layer : options->sink_layer));
}

/* Each end of another run has to be told where it is. */
static int check_bidir(const struct run_options *options,
		       struct units_error *err)
{
	if (!options->bidir || options->remote ||
	    (options->netns && options->sink_netns && options->from))
		return 0;
	return units_refuse(err,
			    "'bidir' needs 'remote', or 'netns', 'sink-netns', 'from' and 'to'");
}

/* Refuse datagrams that share a packet, are in pages, or pass no socket's queue. */
static int check_stages(const struct command_context *context,
			const struct run_options *options,
			struct units_error *err)
{
	/* The sink of round trips is at the source's layer. */
	const bool trips = context->options->command == RUN_PINGPONG;
	const bool own_sink = !options->alone && !trips;

	if (!options->stages)
		return 0;
	if (RUN_GIVEN(context, segments) && options->segments > 1)
		units_refuse(err, "'stages' follows single datagrams: leave out 'segments'");
	else if (RUN_GIVEN(context, method) &&
		 options->method != KTPUT_METHOD_COPY)
		units_refuse(err, "'stages' reads datagrams that are copied: say 'method copy'");
	else if (own_sink && !run_options_sockets(options->sink_layer))
		units_refuse(err, "'stages' follows datagrams to a socket: say "
			     "'sink-layer user' or 'sink-layer socket'");
	else if (own_sink && options->sink_layer == KTPUT_LAYER_SOCKET &&
		 (!RUN_GIVEN(context, sink_method) ||
		  options->sink_method != KTPUT_METHOD_COPY))
		units_refuse(err, "'stages' follows datagrams to the queue of a socket: "
			     "say 'sink-method copy' with 'sink-layer socket'");
	else if (trips && options->reply == KTPUT_REPLY_CALLBACK)
		units_refuse(err, "'stages' follows datagrams to the queue of a socket: "
			     "say 'reply worker'");
	else
		return 0;
	return -1;
}

static int check_stream(const struct command_context *context,
			const struct run_options *options,
			struct units_error *err)
{
	if (!options->json_stream || !output_is_text(context->out))
		return 0;
	return units_refuse(err, "'json-stream' works with -j only");
}

/**
 * run_options_check() - refuse combinations
 * @context: the command's context
 * @data: struct run_options
 * @err: reason for the refusal
 */
int run_options_check(const struct command_context *context, const void *data,
		      struct units_error *err)
{
	const struct run_options *options = data;

	return check_relations(context, err) ||
	       check_repeat(context, options, err) ||
	       check_detach(options, err) ||
	       check_stream(context, options, err) ||
	       check_bidir(options, err) ||
	       check_sweep(context, options, err) ||
	       check_buffers(context, options, err) ||
	       run_where_check(context, options, err) ||
	       check_stages(context, options, err) ||
	       check_device(context, options, err) ||
	       check_sizes(context, options, err) ||
	       check_datagrams(context, options, err) ? -1 : 0;
}

/**
 * run_options_check_sink() - refuse sink keywords if no sink is started
 * @context: the command's context
 * @to: address of the sink
 * @err: reason for the refusal: the keywords would have no effect
 */
int run_options_check_sink(const struct command_context *context,
			   const char *to, struct units_error *err)
{
	const struct options_table *table = context->options;

	for (size_t i = 0; i < table->count; i++) {
		if (!options_in(&context->given, i) ||
		    table->entry[i].ends != RUN_END_SINK)
			continue;
		return units_refuse(err,
				    "'%s' is for a sink on this host, and none is started for %s: leave it out, or say sink-netns NAME or remote HOST",
				    table->entry[i].keyword, to);
	}
	return 0;
}

static int configure(const struct options_entry *entry,
		     const struct run_options *options, struct config *config,
		     struct units_error *err)
{
	const void *field = (const char *)options + entry->target;

	if (entry->parse == options_cpus)
		return config_set_list(config, entry->attribute, field, err);
	if (entry->parse == options_word)
		config_set_string(config, entry->attribute,
				  *(const char *const *)field);
	else
		config_set(config, entry->attribute,
			   options_number(entry, options) /
			   (entry->divisor ? entry->divisor : 1));
	return 0;
}

/**
 * run_options_configure() - copy the options to the configuration of an end
 * @context: the command's context
 * @options: parsed options
 * @end: RUN_END_SOURCE or RUN_END_SINK, or both if the command has one end
 * @config: configuration; attributes of rows of this end are set
 * @err: why a value does not fit
 */
int run_options_configure(const struct command_context *context,
			  const struct run_options *options, unsigned int end,
			  struct config *config, struct units_error *err)
{
	const struct options_table *table = context->options;

	for (size_t i = 0; i < table->count; i++)
		if (options_in(&context->given, i) && table->entry[i].attribute &&
		    table->entry[i].ends & end &&
		    configure(&table->entry[i], options, config, err))
			return -1;
	return 0;
}

/**
 * run_options_sockets() - whether a layer uses sockets
 * @layer: of enum ktput_layer, or one of config.h
 *
 * Return: true for kernel and user-space sockets.
 */
bool run_options_sockets(unsigned int layer)
{
	return layer == KTPUT_LAYER_SOCKET || layer == KTPUT_LAYER_USER;
}

/**
 * run_options_frames() - whether the source sends frames
 * @options: parsed options
 *
 * Return: true for a source below the socket layer.
 */
bool run_options_frames(const struct run_options *options)
{
	return options->layer == KTPUT_LAYER_QUEUE ||
	       options->layer == KTPUT_LAYER_DRIVER ||
	       options->layer == KTPUT_LAYER_XDP;
}

/**
 * run_options_cookie() - default cookie of datagrams
 *
 * Return: a random number.
 */
uint32_t run_options_cookie(void)
{
	uint32_t cookie;

	if (getrandom(&cookie, sizeof(cookie), 0) != sizeof(cookie))
		abort();
	return cookie;
}
