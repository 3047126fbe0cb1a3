// SPDX-License-Identifier: GPL-2.0
/* session: start, follow and end the runs of this program. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../analysis/measure.h"
#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "run_options.h"
#include "session.h"

/*
 * A notification may be lost, so poll the runs from time to time. A run that ends
 * shortly after an interval extends that interval; MERGE_DIVISOR sets the limit.
 */
#define LOOK_NS		(UNITS_NSEC_PER_SEC / 2)
#define MERGE_DIVISOR	20

/* Acknowledged data is in the sink's sockets. The sink reads it within this time. */
#define SINK_NS		(5 * UNITS_NSEC_PER_SEC)

/*
 * A sink cannot see the end of a stream of datagrams. Poll its counters, and treat
 * the rest as lost after this many polls without a new datagram. Count polls, not
 * time: a stalled machine delays the polls as well as the datagrams.
 */
#define ARRIVAL_LOOK_NS	(20 * 1000000ULL)
#define ARRIVAL_QUIET_LOOKS	15

static bool ended(const struct session_end *end)
{
	return !end->present || end->run.state == KTPUT_STATE_ENDED;
}

/**
 * session_two_hosts() - whether the ends are on different hosts
 * @session: session
 *
 * Return: false if one host has both ends, or the session has one end.
 */
bool session_two_hosts(const struct session *session)
{
	return session->source.host || session->sink.host;
}

/**
 * session_reference() - activity outside the runs on the host of an end
 * @session: session
 * @end: one of its ends
 *
 * Return: the activity.
 */
const struct reference *session_reference(const struct session *session,
					  const struct session_end *end)
{
	return end->host ? &session->far_reference : &session->reference;
}

static int open_end(struct session_end *end, struct units_error *err)
{
	if (!end->present)
		return 0;
	if (!end->host)
		end->backend = backend_of(&end->config);
	return end->backend->open ? end->backend->open(end, err) : 0;
}

static bool needs_module(const struct session_end *end)
{
	return end->present && backend_of(&end->config) == &backend_module;
}

/* Suggest the user-space layer, which needs no module. */
static void offer_user_space(const struct session *session,
			     struct units_error *err)
{
	const bool source = needs_module(&session->source);
	const bool sink = needs_module(&session->sink);
	const struct units_error why = *err;
	const char *words = "layer user";

	if (session->source.present && sink && !session->pingpong)
		words = source ? "layer user sink-layer user" :
				 "sink-layer user";
	units_refuse(err, "%s; or say '%s', which takes no module", why.text,
		     words);
}

/**
 * session_open() - open the backend of each end
 * @session: session whose ends are present or not
 * @err: why the backend cannot be opened
 *
 * Signals are caught from here on.
 */
int session_open(struct session *session, struct units_error *err)
{
	int ret;

	interrupt_catch();
	reference_begin(&session->reference);
	ret = open_end(&session->sink, err);
	if (!ret)
		ret = open_end(&session->source, err);
	if (ret == -ENOENT)
		offer_user_space(session, err);
	return ret ? -1 : 0;
}

/*
 * What an interval wants of an end. The sums over streams that its line shows take a
 * look at each stream: with more than a portion of them, only where the user asked for
 * each.
 */
static uint32_t wanted(const struct session *session,
		       const struct session_end *end)
{
	/* Of a TCP source alone counts what is acknowledged, which streams tell. */
	const bool acknowledged = session->source.present &&
				  !session->sink.present && !session->udp &&
				  !session->engine && !session->pingpong;
	const bool streams = session->detail || acknowledged ||
			     end->run.streams <= KTPUT_SNAPSHOT_PORTION;

	if (streams)
		return CLIENT_ALL;
	return session->source.present ? CLIENT_SUMS :
					 CLIENT_SUMS | KTPUT_PART_PEERS;
}

static int look(struct session_end *end, uint32_t parts,
		struct units_error *err)
{
	struct client_snapshot snapshot;

	if (end->backend->snapshot(end, parts, &snapshot, err))
		return -1;
	/* What has gone from a sink is told. */
	if (!(parts & KTPUT_PART_STREAMS) && snapshot.run.closed != end->closed) {
		parts = CLIENT_ALL;
		client_snapshot_free(&snapshot);
		if (end->backend->snapshot(end, parts, &snapshot, err))
			return -1;
	}
	if (parts & KTPUT_PART_STREAMS)
		end->closed = snapshot.run.closed;
	if (!end->host)
		cpu_times_fill(&snapshot);
	client_snapshot_free(&end->last);
	end->last = snapshot;
	end->run = snapshot.run;
	return 0;
}

/* Begin with the snapshot that ended the last interval, so that there is no gap. */
static int begin_with_last(struct session_end *end, struct units_error *err)
{
	if (!end->present)
		return 0;
	client_snapshot_free(&end->begin);
	return client_snapshot_copy(&end->last, &end->begin, err) ? -1 : 0;
}

/* The first interval starts at the beginning of the run, with all counters 0. */
static void rewind_to_begin(struct client_snapshot *snapshot)
{
	snapshot->run.now_ns = snapshot->run.begun_ns;
	/* A stream that is missing from the earlier snapshot counts from 0. */
	snapshot->stream_count = 0;
	for (size_t i = 0; i < snapshot->cpu_count; i++)
		memset(&snapshot->cpus[i].counters, 0,
		       sizeof(snapshot->cpus[i].counters));
}

static void name_device(struct session_end *end)
{
	struct units_error ignored;
	struct device found;

	if (end->device &&
	    !device_find(end->netns, end->device, &found, &ignored))
		snprintf(end->device_name, sizeof(end->device_name), "%s",
			 found.name);
	else
		snprintf(end->device_name, sizeof(end->device_name),
			 "device %" PRIu32, end->device);
}

/* What sysfs has of devices is of the network namespace that it was mounted in. */
static void watch_device(struct session_end *source)
{
	backlog_begin(&source->backlog, source->netns, source->device);
	if (source->device && !source->netns)
		driver_queue_begin(&source->driver_queue, "/sys/class/net",
				   source->device_name);
}

/**
 * session_streams() - streams that an end was asked for
 * @end: the end
 *
 * Return: their number; a configuration that has none is of one.
 */
uint32_t session_streams(const struct session_end *end)
{
	const uint64_t streams = end->config.number[KTPUT_A_CONFIG_STREAMS];

	return streams ? streams : 1;
}

/* From before the first end, whose cookie both have; the ports are known later. */
static int watch_drops(struct session *session, const struct session_end *end,
		       bool detail, struct units_error *err)
{
	const struct config *config = &end->config;

	if (!session->drops.program &&
	    drops_begin(&session->drops, config->number[KTPUT_A_CONFIG_COOKIE],
			detail, err))
		return -1;
	if (end == &session->source)
		drops_ports(&session->drops,
			    config->number[KTPUT_A_CONFIG_REMOTE_PORT],
			    session_streams(end));
	return 0;
}

/**
 * session_start() - start one end and take its first snapshot
 * @session: open session
 * @end: one of its ends, with its configuration
 * @err: reason for the refusal
 */
int session_start(struct session *session, struct session_end *end,
		  struct units_error *err)
{
	const struct session_end *peer = end == &session->source ?
					 &session->sink : &session->source;
	/* libbpf prints its details as text. */
	const bool detail = session->context->statistics &&
			    output_is_text(session->out);

	if (!end->host)
		name_device(end);
	if (session->watches_drops && watch_drops(session, end, detail, err))
		return -1;
	run_stages_begin(session, end, detail);
	reference_end(&session->reference);
	if (!end->host) {
		device_counters_read(end->netns, end->device,
				     &end->device_begin);
		tcp_memory_read(end->netns, &end->tcp_memory_begin);
		protocols_read(end->netns, &end->protocols_begin);
		clock_offset_read(&end->clock_begin);
	}
	if (!end->host && end == &session->source)
		watch_device(end);
	if (end->backend->start(end, peer, detail, err)) {
		run_refusal_address(&end->config.local, end->netns, err);
		run_refusal_translate(session->context,
				      end == &session->source ?
				      RUN_END_SOURCE : RUN_END_SINK, err);
		unreached_explain(session, err);
		return -1;
	}
	if (end == session_leading(session))
		session->origin_ns = end->run.begun_ns;
	/* Use one reading for both, so that the record and the intervals agree. */
	if (end->backend->refresh(end, err) || look(end, CLIENT_ALL, err) ||
	    begin_with_last(end, err))
		return -1;
	rewind_to_begin(&end->last);
	return 0;
}

/*
 * A meeting: two processes start their sources at one time. The one whose source takes
 * longer to start, for it is on another host, starts it when both are there; the other
 * one as soon as that has started.
 */

/* White space, which a document may follow. */
#define HERE	'\n'

/*
 * Tell the other process that this one has come so far. If it is gone, meeting_await()
 * finds out, or who waits for its result.
 */
static void meeting_tell(int fd)
{
	const char here = HERE;

	(void)!send(fd, &here, 1, MSG_NOSIGNAL);
}

/*
 * Wait until the other process has come so far. If it has not, what it has written
 * instead is still to be read.
 */
static int meeting_await(int fd, struct units_error *err)
{
	char there = '\0';

	if (recv(fd, &there, 1, MSG_PEEK) == 1 && there == HERE &&
	    recv(fd, &there, 1, 0) == 1)
		return 0;
	return units_refuse(err, interrupt_count() ? "interrupted" :
			    "the other direction has not started");
}

/* Start the source; with a meeting, at one time with that of another process. */
static int start_source(struct session *session, struct units_error *err)
{
	const bool slower = session->source.host;

	if (session->meeting && !slower)
		meeting_tell(session->meeting);
	if ((session->meeting && meeting_await(session->meeting, err)) ||
	    session_start(session, &session->source, err))
		return -1;
	if (session->meeting && slower)
		meeting_tell(session->meeting);
	return 0;
}

/**
 * session_begin() - start the ends, the sink first
 * @session: planned session
 * @err: reason for the refusal
 */
int session_begin(struct session *session, struct units_error *err)
{
	if (run_stages_open(&session->stages, err) || session_open(session, err))
		return -1;
	if (session->sink.present) {
		if (session_start(session, &session->sink, err))
			return -1;
		config_set(&session->source.config, KTPUT_A_CONFIG_REMOTE_PORT,
			   session->sink.run.local_port);
	}
	return start_source(session, err);
}

/*
 * Take snapshots of both ends, with all parts or with what an interval wants, and print
 * a line for the interval.
 */
static int tick(struct session *session, bool all, struct units_error *err)
{
	struct session_end *end = session_counted(session);
	struct session_end *source = &session->source;
	struct client_snapshot before = end->last;
	struct client_snapshot source_before = source->last;
	int ret = 0;

	/* The earlier snapshots are needed until the line is printed. */
	memset(&end->last, 0, sizeof(end->last));
	memset(&source->last, 0, sizeof(source->last));
	if (session->sink.present)
		ret = look(&session->sink, all ? CLIENT_ALL :
			   wanted(session, &session->sink), err);
	if (!ret && source->present)
		ret = look(source, all ? CLIENT_ALL : wanted(session, source),
			   err);
	if (!ret)
		session->view->interval(session, &before,
					end == source ? &before :
							&source_before);
	if (end != source)
		client_snapshot_free(&source_before);
	if (!ret && end == session_leading(session) && end == &session->sink &&
	    !measure_total(&before).bytes) {
		/* The sink waited for a peer until now. */
		client_snapshot_free(&end->begin);
		end->begin = before;
		return 0;
	}
	client_snapshot_free(&before);
	return ret;
}

static int end_warmup(struct session *session, struct units_error *err)
{
	session->warmed_up = true;
	run_stages_warm(&session->stages);
	return begin_with_last(&session->sink, err) ||
	       begin_with_last(&session->source, err) ? -1 : 0;
}

static int stop(struct session *session, struct units_error *err)
{
	struct session_end *end = session_leading(session);

	return !ended(end) && end->backend->stop(end, err) ? -1 : 0;
}

static int interrupted(struct session *session, struct units_error *err)
{
	interrupt_drain();
	if (interrupt_count() > 1)
		return units_refuse(err, "given up; the result is lost");
	session->interrupted = true;
	return stop(session, err);
}

/* The reader of the output has gone: end the run. */
static int lose_reader(struct session *session, struct units_error *err)
{
	session->read = false;
	session->interrupted = true;
	return stop(session, err);
}

/* Discard standard input up to its end. */
static int read_input(struct session *session, struct units_error *err)
{
	char ignored[256];
	const ssize_t length = read(STDIN_FILENO, ignored, sizeof(ignored));

	if (length > 0 || (length < 0 && errno == EINTR))
		return 0;
	session->until_eof = false;
	return stop(session, err);
}

/* ppoll() until a time; meanwhile, look at the ends from time to time. */
static int poll_until(struct session *session, struct pollfd *fds, size_t count,
		      uint64_t until)
{
	struct timespec timeout;
	uint64_t now, left;
	int ready;

	do {
		left = units_smaller(until, run_stages_look(session));
		now = monotonic_ns();
		left = units_smaller(left, looks_make(session, now));
		left = left > now ? left - now : 0;
		timeout.tv_sec = left / UNITS_NSEC_PER_SEC;
		timeout.tv_nsec = left % UNITS_NSEC_PER_SEC;
		ready = ppoll(fds, count, &timeout, NULL);
	} while (!ready && monotonic_ns() < until);
	return ready;
}

/* Wait for @until, a notification or a signal, then update the states. */
static int wait_until(struct session *session, uint64_t until,
		      struct units_error *err)
{
	struct session_end *ends[] = { &session->source, &session->sink };
	struct pollfd fds[COUNT(ends) + 3] = {
		[COUNT(ends)] = { .fd = interrupt_catch(), .events = POLLIN },
		[COUNT(ends) + 1] = { .fd = session->until_eof ?
					    STDIN_FILENO : -1,
				      .events = POLLIN },
		/* Poll for errors only: a pipe whose reader has closed. */
		[COUNT(ends) + 2] = { .fd = session->read ? STDOUT_FILENO :
							    -1 },
	};
	const uint64_t now = monotonic_ns();
	const bool due = until > now && until - now > LOOK_NS;
	int ready;

	for (size_t i = 0; i < COUNT(ends); i++) {
		fds[i].fd = ended(ends[i]) ? -1 :
					     ends[i]->backend->fd(ends[i]);
		fds[i].events = POLLIN;
	}
	ready = poll_until(session, fds, COUNT(fds), due ? now + LOOK_NS : until);
	run_stages_look(session);
	for (size_t i = 0; i < COUNT(ends); i++) {
		bool told = ready > 0 && fds[i].revents &&
			    backend_is_due(ends[i]);

		if (ended(ends[i]) || !(told || (due && !ready)))
			continue;
		if (ends[i]->backend->refresh(ends[i], err))
			return -1;
	}
	if (ready > 0 && fds[COUNT(ends) + 1].revents &&
	    read_input(session, err))
		return -1;
	if (ready > 0 && fds[COUNT(ends) + 2].revents &&
	    lose_reader(session, err))
		return -1;
	/* A signal may arrive before poll() reports its event. */
	if (ready < 0 || fds[COUNT(ends)].revents)
		return interrupted(session, err);
	return 0;
}

/* Time of the next snapshot, or far in the future if the run ends before it. */
static uint64_t next_tick(const struct session *session, uint64_t now)
{
	uint64_t origin = session->origin_ns, next, last;

	if (!session->warmed_up) {
		next = origin + ((now - origin) / session->interval_ns + 1) *
				session->interval_ns;
		return next < origin + session->warmup_ns ?
		       next : origin + session->warmup_ns;
	}
	origin += session->warmup_ns;
	next = origin + ((now - origin) / session->interval_ns + 1) *
			session->interval_ns;
	last = origin + session->time_ns -
	       session->interval_ns / MERGE_DIVISOR;
	return session->time_ns && next > last ? UINT64_MAX : next;
}

/**
 * session_await_receiver() - wait for a report that no socket receives
 * @session: session whose ends are started, and that session_watch() does not follow
 * @err: the address without a receiver
 */
int session_await_receiver(struct session *session, struct units_error *err)
{
	while (receiver_sought(session)) {
		if (wait_until(session, monotonic_ns() + RECEIVER_LOOK_NS, err) ||
		    receiver_check(session, err))
			return -1;
		if (ended(&session->source))
			break;
	}
	return 0;
}

/* A state is news: of a run whose time is over, it may be that it drains. */
static int look_at_drain(struct session *session, struct units_error *err)
{
	struct session_end *end = session_leading(session);
	const uint64_t over = session->time_ns ? session->origin_ns +
			      session->warmup_ns + session->time_ns : UINT64_MAX;

	if (end->run.state != KTPUT_STATE_DRAINING && monotonic_ns() < over)
		return 0;
	if (end->backend->refresh(end, err))
		return -1;
	return draining_look(session, err);
}

/* When to look next, at the latest. */
static uint64_t next_look(const struct session *session, uint64_t next,
			  bool seeks)
{
	const uint64_t over = session->time_ns ? session->origin_ns +
			      session->warmup_ns + session->time_ns : UINT64_MAX;
	const uint64_t now = monotonic_ns();

	if (seeks)
		next = units_smaller(next, now + RECEIVER_LOOK_NS);
	if (now >= over || draining_is(session))
		next = units_smaller(next, now + DRAINING_LOOK_NS);
	return next;
}

static int watch_leading(struct session *session, struct units_error *err)
{
	uint64_t next = next_tick(session, session->origin_ns);

	while (!ended(session_leading(session))) {
		bool seeks = receiver_sought(session), warm;

		if (wait_until(session, next_look(session, next, seeks), err) ||
		    (seeks && receiver_check(session, err)))
			return -1;
		waiting_look(session, monotonic_ns());
		if (!ended(session_leading(session)) && look_at_drain(session, err))
			return -1;
		if (monotonic_ns() < next || ended(session_leading(session)))
			continue;
		/* The result counts from the snapshot at the end of the warm-up. */
		warm = !session->warmed_up &&
		       next >= session->origin_ns + session->warmup_ns;
		if (tick(session, warm, err) ||
		    draining_check_device(session, err) ||
		    (warm && end_warmup(session, err)))
			return -1;
		next = next_tick(session, monotonic_ns());
	}
	return 0;
}

/*
 * Datagrams that one end sent or received. Of at least @enough, the duplicates among
 * them too, which each stream is asked for.
 */
static int count_datagrams(struct session_end *end, uint64_t enough,
			   uint64_t *messages, uint64_t *again,
			   struct units_error *err)
{
	struct client_snapshot snapshot;

	if (end->backend->snapshot(end, 0, &snapshot, err))
		return -1;
	if (measure_total(&snapshot).messages >= enough) {
		client_snapshot_free(&snapshot);
		if (end->backend->snapshot(end, KTPUT_PART_STREAMS, &snapshot,
					   err))
			return -1;
	}
	*messages = measure_total(&snapshot).messages;
	*again = 0;
	for (size_t i = 0; i < snapshot.stream_count; i++)
		*again += snapshot.streams[i].datagrams.duplicates;
	client_snapshot_free(&snapshot);
	return 0;
}

/* Wait until all datagrams have arrived, or no more arrive. */
static int await_datagrams(struct session *session, struct units_error *err)
{
	bool alike = config_has(&session->source.config, KTPUT_A_CONFIG_REUSE);
	uint64_t until = monotonic_ns() + session->drain_ns;
	uint64_t sent, received, again, before = 0;
	unsigned int quiet = 0;

	if (count_datagrams(&session->source, UINT64_MAX, &sent, &again, err))
		return -1;
	while (!ended(&session->sink) && monotonic_ns() < until) {
		if (count_datagrams(&session->sink, sent, &received, &again, err))
			return -1;
		quiet = received == before ? quiet + 1 : 0;
		before = received;
		if (alike)
			again = 0;
		/* After one duplicate, there may be more. */
		if ((received - again >= sent && (!again || quiet)) ||
		    quiet > ARRIVAL_QUIET_LOOKS)
			break;
		if (wait_until(session, monotonic_ns() + ARRIVAL_LOOK_NS, err))
			return -1;
	}
	return 0;
}

/* Payload that a sink has counted, by a fresh snapshot. */
static int count_bytes(struct session_end *end, uint64_t *bytes,
		       struct units_error *err)
{
	struct client_snapshot snapshot;

	if (end->backend->snapshot(end, 0, &snapshot, err))
		return -1;
	*bytes = measure_total(&snapshot).bytes;
	client_snapshot_free(&snapshot);
	return 0;
}

/* Whether a source ended before its peer had all, so that the peer sees no end. */
static int is_cut(struct session *session, bool *cut, struct units_error *err)
{
	struct client_snapshot snapshot;

	*cut = false;
	if (session->udp || session->engine || !session->source.present)
		return 0;
	if (session->source.backend->snapshot(&session->source,
					      KTPUT_PART_STREAMS, &snapshot, err))
		return -1;
	for (size_t i = 0; i < snapshot.stream_count; i++)
		*cut |= measure_undrained(&snapshot.streams[i]);
	client_snapshot_free(&snapshot);
	return 0;
}

/* Wait until a sink has nothing more to read of a source that was cut off. */
static int await_quiet(struct session *session, uint64_t until,
		       struct units_error *err)
{
	uint64_t bytes, before = UINT64_MAX;
	unsigned int quiet = 0;

	while (!ended(&session->sink) && monotonic_ns() < until &&
	       quiet <= ARRIVAL_QUIET_LOOKS) {
		if (count_bytes(&session->sink, &bytes, err))
			return -1;
		quiet = bytes == before ? quiet + 1 : 0;
		before = bytes;
		if (wait_until(session, monotonic_ns() + ARRIVAL_LOOK_NS, err))
			return -1;
	}
	return 0;
}

/* Wait for the data that is still in flight from the source. */
static int watch_sink(struct session *session, struct units_error *err)
{
	uint64_t until = monotonic_ns() + session->drain_ns + SINK_NS;
	bool cut;

	if (session->udp && session->source.present &&
	    session->sink.present) {
		if (await_datagrams(session, err))
			return -1;
		until = monotonic_ns();
	}
	/* A sink that serves peer after peer has finished with this one. */
	if (!config_has(&session->sink.config, KTPUT_A_CONFIG_ONCE))
		until = monotonic_ns();
	if (!ended(&session->sink) && monotonic_ns() < until) {
		if (is_cut(session, &cut, err) ||
		    (cut && await_quiet(session, until, err)))
			return -1;
		if (cut)
			until = monotonic_ns();
	}
	while (!ended(&session->sink) && monotonic_ns() < until)
		if (wait_until(session, until, err))
			return -1;
	if (ended(&session->sink))
		return 0;
	if (session->sink.backend->stop(&session->sink, err))
		return -1;
	while (!ended(&session->sink))
		if (wait_until(session, UINT64_MAX, err))
			return -1;
	return 0;
}

/* Read the counters of the host of an end, except for those of its device. */
static int read_host(struct session_end *end, struct units_error *err)
{
	if (!end->present)
		return 0;
	if (end->host)
		return end->backend->read_host(end, err);
	tcp_memory_read(end->netns, &end->tcp_memory_last);
	protocols_read(end->netns, &end->protocols_last);
	clock_offset_read(&end->clock_last);
	return 0;
}

/**
 * session_watch() - follow the runs until they have ended
 * @session: session whose ends are started
 * @view: prints its intervals
 * @err: why the session cannot be followed further
 */
int session_watch(struct session *session, const struct session_view *view,
		  struct units_error *err)
{
	int ret;

	session->view = view;
	session->read = true;
	session->warmed_up = !session->warmup_ns;
	session->view->begin(session);
	ret = watch_leading(session, err);
	if (!ret)
		ret = watch_sink(session, err);
	if (!ret)
		ret = tick(session, true, err);
	session->view->end(session);
	drops_finish(&session->drops);
	run_stages_finish(session);
	reference_finish(&session->reference);
	if (!ret)
		ret = read_host(&session->source, err) ||
		      read_host(&session->sink, err) ? -1 : 0;
	if (!ret)
		session->view->ended(session);
	return ret;
}

static void close_end(struct session_end *end, bool delete_runs)
{
	if (end->backend)
		end->backend->close(end, delete_runs);
	backlog_end(&end->backlog);
	client_snapshot_free(&end->begin);
	client_snapshot_free(&end->last);
}

/**
 * session_close() - release the runs
 * @session: session, started or not
 * @delete_runs: end the runs and delete them
 */
void session_close(struct session *session, bool delete_runs)
{
	close_end(&session->source, delete_runs);
	close_end(&session->sink, delete_runs);
	drops_free(&session->drops);
	run_stages_free(&session->stages);
	reference_free(&session->reference);
	reference_free(&session->far_reference);
	series_free(&session->series);
}
