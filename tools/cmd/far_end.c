// SPDX-License-Identifier: GPL-2.0
/*
 * ktput-ctl far-end: run an end for a ktput-ctl on another host, which started this
 * program through ssh. Requests come on standard input, a document on each line, and
 * each has one answer. Without requests or beats, the end is over.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "../base/json.h"
#include "../host/environment.h"
#include "../host/route.h"
#include "../remote/chrony.h"
#include "../remote/far.h"
#include "../remote/identity.h"
#include "../result/record.h"
#include "../result/record_fields.h"
#include "../result/record_read.h"
#include "../result/report.h"
#include "../run/run_options.h"
#include "../run/start_plan.h"
#include "commands.h"

/* A notification may be lost, so look at the run from time to time. */
#define LOOK_MS		500

/*
 * The end that is run here. @open and @start are the documents that it was opened and
 * started with: its configuration points into them.
 */
struct far_end {
	struct session session;
	struct session_end *end;
	struct link link;
	struct json_object *open;
	struct json_object *start;
	bool started;
	bool told;
};

/* The kernel ends the run with its owner, which is this process. */
static void lost(void)
{
	_exit(COMMAND_FAILED);
}

static int answer_clock(struct far_end *far, struct json_object *request,
			struct units_error *err)
{
	(void)request;
	(void)err;
	output_data_u64(far->link.out, "monotonic_ns", monotonic_ns());
	output_data_u64(far->link.out, "realtime_ns", clock_ns(CLOCK_REALTIME));
	return 0;
}

static int answer_chrony(struct far_end *far, struct json_object *request,
			 struct units_error *err)
{
	struct chrony chrony;

	(void)request;
	(void)err;
	chrony_read(&chrony);
	if (!chrony.known)
		return 0;
	output_data_i64(far->link.out, "ahead_ns", chrony.ahead_ns);
	output_data_u64(far->link.out, "error_ns", chrony.error_ns);
	return 0;
}

static int find_route(const char *netns, const struct address *to,
		      const char *name, struct route *route,
		      struct units_error *err)
{
	uint32_t device = 0;

	if (name && route_device(netns, name, &device, err))
		return -1;
	return route_find(netns, to, device, route, err);
}

static int answer_route(struct far_end *far, struct json_object *request,
			struct units_error *err)
{
	const char *netns = json_text(request, "netns");
	const char *name = json_text(request, "to");
	struct route route;
	struct address to;

	if (address_parse_at(netns, name ? name : "", AF_UNSPEC, &to, err) ||
	    find_route(netns, &to, json_text(request, "device"), &route, err))
		return -1;
	start_plan_find_bus(&route);
	report_route(far->link.out, &route);
	return 0;
}

static bool takes_sockets(const struct config *config)
{
	return !config_has(config, KTPUT_A_CONFIG_LAYER) ||
	       run_options_sockets(config->number[KTPUT_A_CONFIG_LAYER]);
}

/* What frames need of the way from here, beyond what was given. */
static int set_frames(struct session_end *end, const struct route *route,
		      struct units_error *err)
{
	struct config *config = &end->config;
	struct ethernet_mac mac;

	config_set(config, KTPUT_A_CONFIG_DEV, route->index);
	end->device_certain = true;
	if (address_family(&config->local) == AF_UNSPEC)
		config->local = route->source;
	if (config_has(config, KTPUT_A_CONFIG_MAC))
		return 0;
	if (neighbour_resolve(end->netns, &config->remote, route, &mac, err))
		return -1;
	config_set_mac(config, KTPUT_A_CONFIG_MAC, mac.byte);
	return 0;
}

/* The device of a source, whose counters are compared with the result. */
static int set_source_device(struct far_end *far, const char *name,
			     struct units_error *err)
{
	struct session_end *end = far->end;
	struct route route;

	if (find_route(end->netns, &end->config.remote, name, &route, err))
		return -1;
	if (name)
		config_set(&end->config, KTPUT_A_CONFIG_DEV, route.index);
	end->device = route.index;
	end->device_certain = name || route.medium == ROUTE_LOOPBACK ||
			      path_is_single(end->netns, &end->config.remote);
	return takes_sockets(&end->config) ? 0 : set_frames(end, &route, err);
}

/* Bind a sink to the device that was named, or that it has to be bound to. */
static int set_sink_device(struct far_end *far, const char *name,
			   struct units_error *err)
{
	struct session_end *end = far->end;
	struct config *config = &end->config;
	uint32_t device = 0;

	if (name && route_device(end->netns, name, &device, err))
		return -1;
	end->device = device_of_address(end->netns, &config->local);
	if (!device && !takes_sockets(config)) {
		device = end->device;
		if (!device)
			return units_refuse(err,
					    "no device has the address %s: give sink-dev",
					    address_show(&config->local).text);
	}
	if (device) {
		config_set(config, KTPUT_A_CONFIG_DEV, device);
		end->device = device;
	}
	end->device_certain = device;
	return 0;
}

static int set_device(struct far_end *far, struct json_object *request,
		      struct units_error *err)
{
	const char *name = json_text(request, "device");

	return far->end == &far->session.source ?
	       set_source_device(far, name, err) :
	       set_sink_device(far, name, err);
}

static bool needs_module(const struct session_end *end)
{
	return backend_of(&end->config) == &backend_module;
}

/* What an end of the module lacks there; at a socket of user space it does not. */
static void refuse_module(const struct session_end *end, const char *why,
			  struct units_error *err)
{
	const unsigned int role = end->config.number[KTPUT_A_CONFIG_ROLE];

	units_refuse(err, "%s, or say '%slayer user'", why,
		     role == KTPUT_ROLE_SOURCE ? "" : "sink-");
}

static int answer_open(struct far_end *far, struct json_object *request,
		       struct units_error *err)
{
	struct output *out = far->link.out;
	struct session *session = &far->session;
	struct config config;
	bool source;

	if (far->end)
		return units_refuse(err, "an end is open already");
	record_read_config(json_at(request, "config"), &config);
	source = config.number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SOURCE;
	far->end = source ? &session->source : &session->sink;
	far->end->present = true;
	far->open = json_object_get(request);
	far->end->netns = json_text(request, "netns");
	if (json_is(request, "exclusive") && host_lock(err))
		return -1;
	record_read_config(json_at(request, "config"), &far->end->config);
	if (set_device(far, request, err))
		return -1;
	if (needs_module(far->end) && access("/sys/module/ktput", F_OK)) {
		refuse_module(far->end, "the module is not loaded there; load it",
			      err);
		return -1;
	}
	if (session_open(session, err))
		return -1;
	output_object_begin(out, "environment");
	environment_record(out);
	output_object_begin(out, source ? "source" : "sink");
	environment_record_end(out, far->end->netns, far->end->device);
	output_object_end(out);
	output_object_end(out);
	return 0;
}

static bool is_open(const struct far_end *far, bool started,
		    struct units_error *err)
{
	if (far->end && far->end->backend && far->started == started)
		return true;
	units_refuse(err, "that request is out of turn");
	return false;
}

static void write_run(struct far_end *far)
{
	struct output *out = far->link.out;

	record_run(out, "run", &far->end->run);
	if (far->end->run.refusal[0])
		output_data_string(out, "refusal", far->end->run.refusal);
	record_config(out, "config", &far->end->config);
}

static int answer_start(struct far_end *far, struct json_object *request,
			struct units_error *err)
{
	struct output *out = far->link.out;
	struct backend_clock clock = { 0 };
	struct session_end *end = far->end;

	if (!is_open(far, false, err))
		return -1;
	far->start = json_object_get(request);
	record_read_config(json_at(request, "config"), &far->end->config);
	if (set_device(far, request, err))
		return -1;
	if (session_start(&far->session, end, err))
		return -1;
	far->started = true;
	write_run(far);
	output_object_begin(out, "host");
	readings_record_host(out, end);
	output_object_end(out);
	if (end->backend->record)
		end->backend->record(end, out);
	if (end->backend->clock(end, &clock))
		record_fields_write(out, record_fields_clock, &clock);
	return 0;
}

static int answer_snapshot(struct far_end *far, struct json_object *request,
			   struct units_error *err)
{
	/* Who asks may be of a version that asks for all. */
	const uint32_t parts = json_at(request, "parts") ?
			       json_u64(request, "parts") : CLIENT_ALL;
	struct client_snapshot snapshot;

	if (!is_open(far, true, err) ||
	    far->end->backend->snapshot(far->end, parts, &snapshot, err))
		return -1;
	cpu_times_fill(&snapshot);
	record_snapshot(far->link.out, "snapshot", &snapshot, true);
	client_snapshot_free(&snapshot);
	return 0;
}

static int answer_refresh(struct far_end *far, struct json_object *request,
			  struct units_error *err)
{
	(void)request;
	if (!is_open(far, true, err) ||
	    far->end->backend->refresh(far->end, err))
		return -1;
	write_run(far);
	return 0;
}

static int answer_stop(struct far_end *far, struct json_object *request,
		       struct units_error *err)
{
	(void)request;
	return is_open(far, true, err) ? far->end->backend->stop(far->end, err) :
					 -1;
}

static int answer_finish(struct far_end *far, struct json_object *request,
			 struct units_error *err)
{
	struct output *out = far->link.out;
	struct session_end *end = far->end;

	(void)request;
	if (!is_open(far, true, err))
		return -1;
	/* It may be asked for several times, until the device has counted all. */
	if (!end->tcp_memory_last.known)
		reference_finish(&far->session.reference);
	device_counters_read(end->netns, end->device, &end->device_last);
	tcp_memory_read(end->netns, &end->tcp_memory_last);
	protocols_read(end->netns, &end->protocols_last);
	clock_offset_read(&end->clock_last);
	output_object_begin(out, "host");
	readings_record_host(out, end);
	output_object_end(out);
	readings_record_reference(out, "reference", &far->session.reference);
	return 0;
}

static const struct {
	const char *word;
	int (*answer)(struct far_end *far, struct json_object *request,
		      struct units_error *err);
} requests[] = {
	{ "clock", answer_clock },
	{ "chrony", answer_chrony },
	{ "route", answer_route },
	{ "open", answer_open },
	{ "start", answer_start },
	{ "snapshot", answer_snapshot },
	{ "refresh", answer_refresh },
	{ "stop", answer_stop },
	{ "finish", answer_finish },
};

static int answer(struct far_end *far, struct json_object *request)
{
	const char *word = json_text(request, "request");
	struct output *out = far->link.out;
	struct units_error err;
	size_t i = 0;

	while (word && i < COUNT(requests) && strcmp(requests[i].word, word))
		i++;
	if (!word || i == COUNT(requests))
		units_refuse(&err, "there is no such request");
	else if (!requests[i].answer(far, request, &err))
		word = NULL;
	else
		output_document_drop(out);
	if (word && far->end && needs_module(far->end) &&
	    strstr(err.text, "CAP_NET_ADMIN"))
		refuse_module(far->end,
			      "that takes CAP_NET_ADMIN there; give the name of a user who has it (USER@HOST)",
			      &err);
	if (word || i == COUNT(requests))
		output_data_string(out, "error", err.text);
	else
		output_data_bool(out, "done", true);
	return link_send(&far->link);
}

/* Tell once that the run has ended. */
static int look(struct far_end *far)
{
	struct session_end *end = far->end;
	struct units_error ignored;

	if (far->told || (!end->backend->refresh(end, &ignored) &&
			  end->run.state != KTPUT_STATE_ENDED))
		return 0;
	far->told = true;
	output_data_string(far->link.out, "event", "ended");
	return link_send(&far->link);
}

static int serve(struct far_end *far)
{
	for (;;) {
		struct session_end *end = far->started ? far->end : NULL;
		struct pollfd fds[] = {
			{ .fd = far->link.lines[0], .events = POLLIN },
			{ .fd = end && !far->told ? end->backend->fd(end) : -1,
			  .events = POLLIN },
		};
		struct json_object *request;
		int ready;

		ready = poll(fds, COUNT(fds), LOOK_MS);
		/* A signal ends it, as the end of the connection does. */
		if (ready < 0)
			return 0;
		if (end && (!ready || (fds[1].revents &&
				       backend_is_due(end))) &&
		    look(far))
			return -1;
		if (!fds[0].revents)
			continue;
		request = link_receive(&far->link, false);
		if (!request)
			return 0;
		if (answer(far, request))
			return -1;
		json_object_put(request);
	}
}

static void greet(struct output *out)
{
	/* Client's address and port, server's address and port. */
	const char *connection = getenv("SSH_CONNECTION");
	char *version = environment_read_line("/sys/module/ktput/version");
	char peer[64], address[64];

	output_data_string(out, "tool_version", KTPUT_VERSION);
	if (version)
		output_data_string(out, "module_version", version);
	identity_write(out);
	if (connection &&
	    sscanf(connection, "%63s %*s %63s", peer, address) == 2) {
		output_data_string(out, "peer_address", peer);
		output_data_string(out, "address", address);
	}
	free(version);
}

static int run(const struct command_context *context, const void *data)
{
	/* Refusals name the keywords of the command that sent the configuration. */
	struct command_context start = *context;
	struct far_end far = {
		.session = { .out = context->out, .context = &start },
		.link = { .in = STDIN_FILENO, .out = context->out,
			  .beats = STDOUT_FILENO, .lost = lost,
			  .first_ns = LINK_SILENCE_NS, .signals = 1 },
	};
	struct units_error err;

	(void)data;
	if (output_form_of(context->out) != OUTPUT_JSON) {
		output_error(context->out, "'start remote HOST' starts this, with -j");
		return COMMAND_FAILED;
	}
	interrupt_catch();
	start.options = &run_options_start;
	start.given = (struct options_set) { 0 };
	if (link_open(&far.link, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	greet(context->out);
	if (!link_send(&far.link))
		serve(&far);
	output_document_drop(context->out);
	session_close(&far.session, true);
	link_close(&far.link);
	json_object_put(far.open);
	json_object_put(far.start);
	return COMMAND_DONE;
}

static const struct options_table options = { 0 };

const struct command command_far_end = {
	.name = FAR_COMMAND,
	.summary = "run an end for a ktput-ctl on another host, by ssh",
	.options = &options,
	.run = run,
};
