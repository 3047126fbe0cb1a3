// SPDX-License-Identifier: GPL-2.0
/* far: an end of a session on another host. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "../base/json.h"
#include "../result/record.h"
#include "../result/record_fields.h"
#include "../result/record_read.h"
#include "chrony.h"
#include "far.h"
#include "identity.h"
#include "link.h"
#include "ssh.h"

/* Time for ssh to connect, and for a shell to start ktput-ctl. */
#define CONNECT_NS	(30 * UNITS_NSEC_PER_SEC)
/* Time for ssh to end after the connection has. */
#define END_MS		300
/* Readings of the clocks; the fastest counts. */
#define CLOCK_READINGS	8

/* Say why there is no connection, or no longer one. */
static void refuse_lost(struct far *far, bool connected,
			struct units_error *err)
{
	struct pollfd fd = { .fd = far->child.fd, .events = POLLIN };
	int status = -1;

	if (interrupt_count()) {
		units_refuse(err, "interrupted");
		return;
	}
	/* Its exit status and last words come a moment later, if it has ended. */
	if (far->child.pid > 0 && !far->link.silent &&
	    poll(&fd, 1, END_MS) > 0)
		status = child_wait(&far->child);
	said_refuse(&(struct said) {
		.host = far->host, .fd = far->said, .status = status,
		.connected = connected,
	}, err);
}

/* The next document that is an answer; NULL with a message if there is none. */
static struct json_object *receive(struct far *far, bool connected,
				   struct units_error *err)
{
	struct json_object *document;

	do {
		document = link_receive(&far->link, true);
		if (document && !json_at(document, "event"))
			return document;
		json_object_put(document);
	} while (document);
	refuse_lost(far, connected, err);
	return NULL;
}

static void begin_request(struct far *far, const char *what)
{
	output_data_string(far->link.out, "request", what);
}

/* Send what was begun, and wait for the answer; NULL with a message after an error. */
static struct json_object *end_request(struct far *far,
				       struct units_error *err)
{
	struct json_object *answer;

	/* What cannot be sent is not answered either. */
	(void)link_send(&far->link);
	answer = receive(far, true, err);
	if (!answer || !json_text(answer, "error"))
		return answer;
	units_refuse(err, "%s: %s", far->host, json_text(answer, "error"));
	said_clean(err->text);
	json_object_put(answer);
	return NULL;
}

static struct json_object *request(struct far *far, const char *what,
				   struct units_error *err)
{
	begin_request(far, what);
	return end_request(far, err);
}

/* Where chronyd runs on both hosts, and knows better, take what it says. */
static int ask_chrony(struct far *far, struct units_error *err)
{
	struct json_object *answer = request(far, "chrony", err);
	struct chrony here = { 0 };
	uint64_t error_ns;

	if (!answer)
		return -1;
	error_ns = json_u64(answer, "error_ns");
	/* Asking takes time where chronyd does not run. */
	if (json_at(answer, "error_ns") && error_ns < far->clock.error_ns)
		chrony_read(&here);
	error_ns += here.error_ns;
	if (here.known && error_ns < far->clock.error_ns) {
		far->clock.offset_ns = json_i64(answer, "ahead_ns") -
				       here.ahead_ns;
		far->clock.error_ns = error_ns;
		far->clock.from = "chrony";
	}
	json_object_put(answer);
	return 0;
}

static int read_clocks(struct far *far, struct units_error *err)
{
	far->clock.error_ns = UINT64_MAX;
	for (int i = 0; i < CLOCK_READINGS; i++) {
		const uint64_t real_ns = clock_ns(CLOCK_REALTIME);
		const uint64_t from_ns = monotonic_ns();
		struct json_object *answer = request(far, "clock", err);
		uint64_t half_ns;

		if (!answer)
			return -1;
		half_ns = (monotonic_ns() - from_ns) / 2;
		if (half_ns < far->clock.error_ns)
			far->clock = (struct far_clock) {
				.monotonic_ns = json_u64(answer, "monotonic_ns") -
						from_ns - half_ns,
				.offset_ns = json_u64(answer, "realtime_ns") -
					     real_ns - half_ns,
				.error_ns = half_ns,
				.from = "ssh",
			};
		json_object_put(answer);
	}
	return ask_chrony(far, err);
}

static int start_ssh(struct far *far, struct units_error *err)
{
	struct ssh_words words;
	int ends[2], files[3], ret;
	FILE *to;

	ssh_words(&words, far->host, "exec ktput-ctl -j " FAR_COMMAND);
	far->said = memfd_create("said", MFD_CLOEXEC);
	if (far->said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC,
					0, ends))
		return units_refuse(err, "socketpair: %s", strerror(errno));
	files[0] = ends[1];
	files[1] = ends[1];
	files[2] = far->said;
	ret = child_start_with(&far->child, words.word, files, err);
	close(ends[1]);
	far->link.in = ends[0];
	far->link.beats = ends[0];
	to = ret ? NULL : fdopen(fcntl(ends[0], F_DUPFD_CLOEXEC, 0), "w");
	if (!to) {
		if (!ret)
			units_refuse(err, "fdopen: %s", strerror(errno));
		close(ends[0]);
		return -1;
	}
	far->to = to;
	far->link.out = output_new(to, stderr, OUTPUT_JSON, "ktput-ctl");
	return link_open(&far->link, err);
}

/* The address by which this host and that one may reach each other. */
static void take_addresses(struct far *far, struct json_object *hello)
{
	const char *name = strrchr(far->host, '@');
	const char *address = json_text(hello, "address");
	const char *own = json_text(hello, "peer_address");

	snprintf(far->address, sizeof(far->address), "%s",
		 address ? address : name ? name + 1 : far->host);
	snprintf(far->own_address, sizeof(far->own_address), "%s",
		 own ? own : "");
}

static int greet(struct far *far, struct units_error *err)
{
	struct json_object *hello;
	const char *version;
	int ret = -1;

	far->link.signals = 1;
	do
		hello = receive(far, false, err);
	while (hello && !json_text(hello, "tool_version") &&
	       json_object_put(hello) >= 0);
	far->link.signals = 2;
	version = json_text(hello, "tool_version");
	if (!hello)
		return -1;
	take_addresses(far, hello);
	far->has_module = json_text(hello, "module_version");
	if (strcmp(version, KTPUT_VERSION))
		units_refuse(err, "%s: 'ktput-ctl %s' is there, this is 'ktput-ctl "
			     KTPUT_VERSION "': install the same version on both hosts",
			     far->host, version);
	else if (identity_is_this(hello))
		units_refuse(err, "%s is this host: leave 'remote' out",
			     far->host);
	else
		ret = read_clocks(far, err);
	json_object_put(hello);
	return ret;
}

/* Connect to another host, and compare versions. */
static int far_connect(struct far *far, const char *host, struct units_error *err)
{
	interrupt_catch();
	far->host = host;
	far->said = -1;
	far->link.first_ns = CONNECT_NS;
	far->open = true;
	return start_ssh(far, err) || greet(far, err) ? -1 : 0;
}

/**
 * far_close() - end the connection, and so the run on the other host
 * @far: set up by far_connect(), or all zero
 */
void far_close(struct far *far)
{
	struct pollfd fd;

	if (!far->open)
		return;
	link_close(&far->link);
	if (far->to) {
		shutdown(far->link.in, SHUT_WR);
		/*
		 * Let it end in order, so that ssh logs no failure; where nothing
		 * is heard of the other side, it does not end.
		 */
		fd = (struct pollfd) { .fd = far->child.fd, .events = POLLIN };
		if (far->child.pid > 0 && !far->link.silent)
			poll(&fd, 1, END_MS);
		/* The other side may be gone. */
		if (output_free(far->link.out))
			errno = 0;
		fclose(far->to);
		close(far->link.in);
	}
	child_close(&far->child);
	if (far->said >= 0)
		close(far->said);
	json_object_put(far->environment);
	json_object_put(far->start);
	*far = (struct far) { 0 };
}

static void write_end(struct far *far, const struct session_end *end)
{
	struct config config = end->config;
	struct output *out = far->link.out;

	/* The zone of an address is a device of this host. */
	if (config.number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SINK &&
	    address_scope(&config.local))
		config.local = (struct address) { 0 };
	record_config(out, "config", &config);
	if (end->netns)
		output_data_string(out, "netns", end->netns);
	if (far->exclusive)
		output_data_bool(out, "exclusive", true);
	if (far->device)
		output_data_string(out, "device", far->device);
}

static int open_far(struct session_end *end, struct units_error *err)
{
	struct far *far = end->far;
	struct json_object *answer;

	begin_request(far, "open");
	write_end(far, end);
	answer = end_request(far, err);
	if (!answer)
		return -1;
	if (json_object_object_get_ex(answer, "environment", &far->environment))
		json_object_get(far->environment);
	json_object_put(answer);
	return 0;
}

static void shift(const struct far *far, uint64_t *ns)
{
	if (*ns)
		*ns -= far->clock.monotonic_ns;
}

/* Times of a run, of the clock here. */
static void shift_run(const struct far *far, struct client_run *run)
{
	shift(far, &run->now_ns);
	shift(far, &run->begun_ns);
	shift(far, &run->ended_ns);
}

static void take_run(struct session_end *end, struct json_object *answer)
{
	record_read_run(json_at(answer, "run"), &end->run);
	shift_run(end->far, &end->run);
	if (json_at(answer, "config"))
		record_read_config(json_at(answer, "config"), &end->config);
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	struct far *far = end->far;
	struct json_object *answer;

	(void)peer;
	(void)detail;
	begin_request(far, "start");
	write_end(far, end);
	answer = end_request(far, err);
	if (!answer)
		return -1;
	take_run(end, answer);
	record_read_host(json_at(answer, "host"), end);
	record_fields_read(answer, record_fields_clock, &far->backend_clock);
	far->start = answer;
	return 0;
}

/*
 * Reasons are the same few words in each snapshot, which outlives its document:
 * keep one of each.
 */
static const char *keep(const char *reason)
{
	static char kept[8][128];

	for (size_t i = 0; reason && i < COUNT(kept); i++) {
		if (!kept[i][0])
			snprintf(kept[i], sizeof(kept[i]), "%s", reason);
		if (!strncmp(kept[i], reason, sizeof(kept[i]) - 1))
			return kept[i];
	}
	return NULL;
}

static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	struct json_object *answer;
	int ret;

	begin_request(end->far, "snapshot");
	output_data_u64(end->far->link.out, "parts", parts);
	answer = end_request(end->far, err);
	*to = (struct client_snapshot) { 0 };
	if (!answer)
		return -1;
	ret = record_read_snapshot(json_at(answer, "snapshot"), to, err);
	shift_run(end->far, &to->run);
	for (size_t i = 0; i < to->cpu_count; i++) {
		shift(end->far, &to->cpus[i].time_ns);
		for (int j = EVENTS_FIRST; j <= EVENTS_LAST; j++)
			to->cpus[i].events.reason[j] =
				keep(to->cpus[i].events.reason[j]);
	}
	json_object_put(answer);
	if (ret)
		client_snapshot_free(to);
	return ret;
}

static int refresh(struct session_end *end, struct units_error *err)
{
	struct json_object *answer = request(end->far, "refresh", err);

	if (!answer)
		return -1;
	take_run(end, answer);
	json_object_put(answer);
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	struct json_object *answer = request(end->far, "stop", err);
	const int ret = answer ? 0 : -1;

	json_object_put(answer);
	return ret;
}

static int fd(const struct session_end *end)
{
	return end->far->link.lines[0];
}

/* An event, or the end of the connection, which a refresh finds. */
static bool take_events(struct session_end *end)
{
	json_object_put(link_receive(&end->far->link, false));
	return true;
}

static void close_far(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	if (end->far)
		far_close(end->far);
}

static bool get_clock(struct session_end *end, struct backend_clock *clock)
{
	*clock = end->far->backend_clock;
	return clock->name[0];
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "%s", end->far->host);
}

static void record(const struct session_end *end, struct output *out)
{
	const struct far *far = end->far;

	if (json_text(far->start, "idle_source"))
		output_data_string(out, "idle_source",
				   json_text(far->start, "idle_source"));
	if (far->environment)
		output_data_json(out, "environment",
				 far->environment);
	output_object_begin(out, "clock");
	output_data_i64(out, "offset_ns", far->clock.offset_ns);
	output_data_u64(out, "error_ns", far->clock.error_ns);
	output_data_string(out, "from", far->clock.from);
	output_object_end(out);
}

static int read_host(struct session_end *end, struct units_error *err)
{
	struct json_object *answer = request(end->far, "finish", err);

	if (!answer)
		return -1;
	record_read_host(json_at(answer, "host"), end);
	reference_free(end->far->reference);
	record_read_reference(json_at(answer, "reference"),
			      end->far->reference);
	json_object_put(answer);
	return 0;
}

static const struct backend backend_far = {
	.open = open_far,
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.take_events = take_events,
	.close = close_far,
	.clock = get_clock,
	.describe = describe,
	.record = record,
	.read_host = read_host,
};

/* The route of a source there, which the ceilings are of. */
static int find_route(struct far *far, const struct run_options *options,
		      struct route *route, struct units_error *err)
{
	struct json_object *answer;

	begin_request(far, "route");
	output_data_string(far->link.out, "to", options->to);
	if (options->netns)
		output_data_string(far->link.out, "netns", options->netns);
	if (options->device)
		output_data_string(far->link.out, "device", options->device);
	answer = end_request(far, err);
	if (!answer)
		return -1;
	record_read_route(json_at(answer, "route"), route);
	json_object_put(answer);
	return 0;
}

/**
 * far_plan() - connect to the host of the other end, if there is one
 * @far: zeroed; release with far_close(), also after an error
 * @plan: plan that is made next
 * @options: its options; the address of the sink is filled in
 * @err: why that is not possible
 */
int far_plan(struct far *far, struct start_plan *plan,
	     struct run_options *options, struct units_error *err)
{
	struct session *session = &plan->session;
	struct session_end *end = options->reverse ? &session->source :
						     &session->sink;

	if (!options->remote)
		return 0;
	if (options->exclusive && host_lock(err))
		return -1;
	if (far_connect(far, options->remote, err))
		return -1;
	far->exclusive = options->exclusive;
	far->device = options->reverse ? options->device :
					 options->sink_device;
	far->reference = &session->far_reference;
	end->far = far;
	end->backend = &backend_far;
	if (!options->to)
		options->to = options->reverse ? far->own_address :
						 far->address;
	if (!options->to[0])
		return units_refuse(err,
				    "%s: 'reverse' needs 'to', an address of this host",
				    far->host);
	return options->reverse ? find_route(far, options, &plan->route, err) :
				  0;
}
