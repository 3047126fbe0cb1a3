// SPDX-License-Identifier: GPL-2.0
/* start_check: what keywords of "start" mean beside each other. */
#include <inttypes.h>
#include <string.h>

#include "../lib/names.h"
#include "../lib/statistics.h"
#include "engine.h"
#include "start_options.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Where a keyword has a meaning. */
enum realm {
	TCP,
	UDP,
	SOCKETS,
	FRAMES,
	DRIVER,
	USER,
};

static const struct {
	size_t target;
	const char *keyword;
	enum realm realm;
} realms[] = {
#define REALM(field, keyword, realm) \
	{ offsetof(struct start_options, field), keyword, realm }
	REALM(run.congestion, "congestion", TCP),
	REALM(run.mss, "mss", TCP),
	REALM(no_delay, "nodelay", TCP),
	REALM(pace_bps, "pace", TCP),
	REALM(connect_ns, "connect-timeout", TCP),
	REALM(run.cookie, "cookie", UDP),
	REALM(rate, "rate", UDP),
	REALM(segments, "segments", UDP),
	REALM(batch, "batch", UDP),
	REALM(unchecked, "unchecked", UDP),
	REALM(batch, "batch", USER),
	REALM(segments, "segments", SOCKETS),
	REALM(unchecked, "unchecked", SOCKETS),
	REALM(out, "out", SOCKETS),
	REALM(send_buffer, "sndbuf", SOCKETS),
	REALM(queues, "queues", FRAMES),
	REALM(mac, "mac", FRAMES),
	REALM(from_mac, "from-mac", FRAMES),
	REALM(vlan, "vlan", FRAMES),
	REALM(vlan_inner, "vlan-inner", FRAMES),
	REALM(ports, "ports", FRAMES),
	REALM(from_ports, "from-ports", FRAMES),
	REALM(addresses, "addresses", FRAMES),
	REALM(from_addresses, "from-addresses", FRAMES),
	REALM(burst, "burst", DRIVER),
	REALM(reuse, "reuse", DRIVER),
#undef REALM
};

static bool in_user_space(const struct start_options *options)
{
	return options->layer == CONFIG_LAYER_USER ||
	       run_options_sink_layer(options->sink_layer) ==
	       CONFIG_LAYER_USER;
}

static bool within(const struct start_options *options, enum realm realm)
{
	switch (realm) {
	case TCP:
		return options->run.transport == KTPUT_TRANSPORT_TCP;
	case UDP:
		return options->run.transport == KTPUT_TRANSPORT_UDP;
	case SOCKETS:
		return !start_options_frames(options);
	case FRAMES:
		return start_options_frames(options);
	case USER:
		return in_user_space(options);
	default:
		return options->layer == KTPUT_LAYER_DRIVER;
	}
}

static int check_realms(const struct command_context *context,
			const struct start_options *options,
			struct units_error *err)
{
	static const char *const names[] = {
		[TCP] = "tcp", [UDP] = "udp", [SOCKETS] = "layer socket",
		[FRAMES] = "layer queue and layer driver",
		[DRIVER] = "layer driver",
		[USER] = "layer user and sink-layer user",
	};

	for (size_t i = 0; i < COUNT(realms); i++) {
		if (!options_given(context->options, context->given,
				   realms[i].target) ||
		    within(options, realms[i].realm))
			continue;
		units_refuse(err, "'%s' is for %s", realms[i].keyword,
			     names[realms[i].realm]);
		return -1;
	}
	return 0;
}

static int check_sink_place(const struct command_context *context,
			    const struct start_options *options,
			    struct units_error *err)
{
	const char *refused = NULL;

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
	if (run_options_sink_sockets(options->sink_layer))
		return 0;
	if (START_GIVEN(context, sink_cpus))
		refused = "sink-cpus";
	else if (START_GIVEN(context, run.in))
		refused = "in";
	else if (START_GIVEN(context, run.receive_buffer))
		refused = "rcvbuf";
	if (!refused)
		return 0;
	units_refuse(err, "'%s' is for 'sink-layer socket'", refused);
	return -1;
}

static int check_repeat(const struct command_context *context,
			const struct start_options *options,
			struct units_error *err)
{
	if (!repeat_wanted(&options->repeat) &&
	    !START_GIVEN(context, repeat.ci_percent))
		return 0;
	if (options->run.detach) {
		units_refuse(err, "'detach' leaves nobody to see to 'repeat' and 'until'");
		return -1;
	}
	if (options->run.until_eof) {
		units_refuse(err, "'until-eof' is for one run, not for 'repeat' and 'until'");
		return -1;
	}
	if (!START_GIVEN(context, repeat.ci_percent))
		return 0;
	if (!options->repeat.ci_percent) {
		units_refuse(err, "until ci: no number of runs comes to 0 %%");
		return -1;
	}
	if (!options->repeat.count ||
	    options->repeat.count >= STATISTICS_RUNS_MIN)
		return 0;
	units_refuse(err, "'until' needs %u runs or more, and 'repeat' is %" PRIu64,
		     STATISTICS_RUNS_MIN, options->repeat.count);
	return -1;
}

/* What a run of another program has no equivalent of. */
static int check_engine(const struct command_context *context,
			const struct start_options *options,
			struct units_error *err)
{
#define WITHOUT(field, word) { word, offsetof(struct start_options, field), 0 }
#define NUTTCP_WITHOUT(field, word) \
	{ word, offsetof(struct start_options, field), CONFIG_LAYER_NUTTCP }
	static const struct {
		const char *keyword;
		size_t target;
		unsigned int layer;
	} without[] = {
		WITHOUT(sink_layer, "sink-layer"),
		WITHOUT(run.in, "in"),
		WITHOUT(from_port, "from-port"),
		WITHOUT(run.device, "dev"),
		WITHOUT(unchecked, "unchecked"),
		WITHOUT(sink_device, "sink-dev"),
		WITHOUT(segments, "segments"),
		WITHOUT(batch, "batch"),
		WITHOUT(run.cookie, "cookie"),
		WITHOUT(send_buffer, "sndbuf"),
		WITHOUT(run.receive_buffer, "rcvbuf"),
		WITHOUT(priority, "priority"),
		WITHOUT(messages, "messages"),
		WITHOUT(warmup_ns, "warmup"),
		WITHOUT(run.interval_ns, "interval"),
		WITHOUT(run.detach, "detach"),
		NUTTCP_WITHOUT(from, "from"),
		NUTTCP_WITHOUT(run.congestion, "congestion"),
		NUTTCP_WITHOUT(pace_bps, "pace"),
		NUTTCP_WITHOUT(connect_ns, "connect-timeout"),
	};
#undef NUTTCP_WITHOUT
#undef WITHOUT
	const struct engine *engine = engine_of(options->layer);
	const int method = start_options_method_out(options->out);

	if (!engine)
		return 0;
	for (size_t i = 0; i < COUNT(without); i++) {
		if (!options_given(context->options, context->given,
				   without[i].target) ||
		    (without[i].layer && without[i].layer != options->layer))
			continue;
		units_refuse(err, "'%s' is not for layer %s",
			     without[i].keyword, engine->name);
		return -1;
	}
	if (!START_GIVEN(context, out) || method == KTPUT_METHOD_COPY ||
	    (method == CONFIG_METHOD_SENDFILE && engine->sendfile &&
	     options->run.transport == KTPUT_TRANSPORT_TCP))
		return 0;
	units_refuse(err, "layer %s sends with 'out copy'%s", engine->name,
		     engine->sendfile ? ", or with tcp by 'out sendfile'" : "");
	return -1;
}

/* What the module has no number for. */
static int check_methods(const struct command_context *context,
			 const struct start_options *options,
			 struct units_error *err)
{
	const int out = start_options_method_out(options->out);
	const int in = run_options_method_in(options->run.in);

	if (START_GIVEN(context, out) && options->layer < CONFIG_LAYER_USER &&
	    out >= CONFIG_METHOD_SENDFILE) {
		units_refuse(err, "'out %s' is for layer user%s",
			     names_method(out), out == CONFIG_METHOD_SENDFILE ?
			     " and iperf3" : "");
		return -1;
	}
	if (!START_GIVEN(context, run.in) || in != CONFIG_METHOD_URING ||
	    run_options_sink_layer(options->sink_layer) == CONFIG_LAYER_USER)
		return 0;
	units_refuse(err, "'in io_uring' is for sink-layer user");
	return -1;
}

static int check_sizes(const struct start_options *options,
		       struct units_error *err)
{
	const struct framesize *size = &options->size;

	if (start_options_frames(options) ||
	    (!size->mix[0] && size->first == size->last))
		return 0;
	units_refuse(err, "size: a range or a mix is for layer queue and layer driver");
	return -1;
}

/**
 * start_options_check() - refuse combinations
 * @context: what was given
 * @data: struct start_options
 * @err: why they are refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int start_options_check(const struct command_context *context,
			const void *data, struct units_error *err)
{
	const struct start_options *options = data;
	bool udp = options->run.transport == KTPUT_TRANSPORT_UDP;

	if (START_GIVEN(context, bytes) && START_GIVEN(context, messages)) {
		units_refuse(err, "'bytes' contradicts 'messages'");
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
	if (options->run.detach && options->profile) {
		units_refuse(err, "'detach' leaves nobody to 'profile' it");
		return -1;
	}
	if (options->run.detach &&
	    (START_GIVEN(context, warmup_ns) ||
	     START_GIVEN(context, run.interval_ns))) {
		units_refuse(err, "'detach' leaves nobody to see to 'warmup' and 'interval'");
		return -1;
	}
	if (check_repeat(context, options, err))
		return -1;
	if (!udp && start_options_frames(options)) {
		units_refuse(err, "'layer %s' is for udp",
			     options->layer == KTPUT_LAYER_QUEUE ? "queue" :
								   "driver");
		return -1;
	}
	if (!udp && !run_options_sink_sockets(options->sink_layer)) {
		units_refuse(err, "'sink-layer %s' is for udp",
			     run_options_sink_layers[options->sink_layer]);
		return -1;
	}
	if (options->run.detach &&
	    run_options_sink_layer(options->sink_layer) == KTPUT_LAYER_DRIVER) {
		units_refuse(err, "'sink-layer xdp' ends with this process, and has no 'detach'");
		return -1;
	}
	if (options->run.detach && in_user_space(options)) {
		units_refuse(err, "a run in user space ends with this process: no 'detach'");
		return -1;
	}
	if (check_engine(context, options, err))
		return -1;
	if (check_methods(context, options, err))
		return -1;
	if (START_GIVEN(context, vlan_inner) && !START_GIVEN(context, vlan)) {
		units_refuse(err, "'vlan-inner' needs 'vlan'");
		return -1;
	}
	return check_sink_place(context, options, err) ||
	       check_sizes(options, err) ||
	       check_realms(context, options, err) ? -1 : 0;
}
