// SPDX-License-Identifier: GPL-2.0
/* engine: a run in user space, as if it were one of the module. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../../host/cpus.h"
#include "../../host/netns.h"
#include "../end.h"
#include "clock.h"
#include "pingpong.h"
#include "socket.h"
#include "user_engine.h"

static void tell(struct user_engine *engine)
{
	const uint64_t one = 1;

	/* Full is as good as written: it is readable. */
	if (write(engine->told, &one, sizeof(one)) < 0)
		return;
}

/* Each thread obeys, and has answered when this returns. */
static void ask_all(struct user_engine *engine)
{
	for (unsigned int i = 0; i < engine->thread_count; i++)
		user_thread_ask(&engine->threads[i]);
	for (unsigned int i = 0; i < engine->thread_count; i++)
		user_thread_await(&engine->threads[i]);
}

/**
 * user_engine_add_stream() - add a stream
 * @engine: run; the caller holds its lock, or its threads know of no stream
 *
 * Return: the stream, without socket and thread; NULL without memory or room.
 */
struct user_stream *user_engine_add_stream(struct user_engine *engine)
{
	struct user_stream *stream;

	if (engine->stream_count == engine->settings.streams)
		return NULL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->id = engine->next_id++;
	stream->fd = -1;
	stream->timer = -1;
	engine->streams[engine->stream_count++] = stream;
	return stream;
}

/**
 * user_engine_end() - end a run in order
 * @engine: run; nothing happens if it has a reason to end already
 * @reason: why
 * @error: errno, positive, that goes with it, or 0
 *
 * Any thread. Sources send no more, and have their drain time.
 */
void user_engine_end(struct user_engine *engine, enum ktput_reason reason,
		     int error)
{
	unsigned int none = KTPUT_REASON_NONE;

	if (!atomic_compare_exchange_strong(&engine->reason, &none, reason))
		return;
	engine->error = error;
	engine->ended_ns = user_clock_now();
	if (engine->settings.source && reason != KTPUT_REASON_RESET &&
	    reason != KTPUT_REASON_ERROR)
		atomic_store(&engine->draining, true);
	atomic_store(&engine->reason_known, true);
	for (unsigned int i = 0; i < engine->thread_count; i++)
		user_thread_call(&engine->threads[i]);
	tell(engine);
}

/**
 * user_engine_stream_sent() - a stream of a source has sent its share
 * @engine: its run
 */
void user_engine_stream_sent(struct user_engine *engine)
{
	if (atomic_fetch_sub(&engine->sending, 1) == 1)
		user_engine_end(engine, engine->settings.end_bytes ?
				KTPUT_REASON_BYTES : KTPUT_REASON_MESSAGES, 0);
}

static enum ktput_reason reason_of(int error)
{
	switch (error) {
	case ECONNRESET:
	case EPIPE:
	case ETIMEDOUT:
		return KTPUT_REASON_RESET;
	case ENODEV:
		return KTPUT_REASON_DEVICE_REMOVED;
	case ENETDOWN:
		return KTPUT_REASON_DEVICE_DOWN;
	default:
		return KTPUT_REASON_ERROR;
	}
}

/**
 * user_engine_stream_ended() - a stream has ended
 * @engine: its run
 * @error: errno, positive, that ended it, or 0
 *
 * As in the module: a source that loses a stream ends as a whole, a sink of TCP
 * goes on serving others.
 */
void user_engine_stream_ended(struct user_engine *engine, int error)
{
	if (error && (engine->settings.source || engine->settings.udp))
		user_engine_end(engine, reason_of(error), error);
	if (engine->settings.source) {
		if (atomic_fetch_sub(&engine->open, 1) == 1)
			tell(engine);
		return;
	}
	if (atomic_fetch_add(&engine->closed, 1) + 1 ==
	    engine->settings.streams &&
	    config_has(&engine->settings.config, KTPUT_A_CONFIG_ONCE))
		user_engine_end(engine, KTPUT_REASON_PEERS, 0);
}

/**
 * user_engine_spare() - open something that may be closed for a descriptor
 *
 * Return: the descriptor, or -1.
 */
int user_engine_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Streams are many, and each may need two. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int set_timer(struct user_engine *engine, uint64_t at)
{
	const struct itimerspec until = {
		.it_value.tv_sec = at / UNITS_NSEC_PER_SEC,
		.it_value.tv_nsec = at % UNITS_NSEC_PER_SEC,
	};

	return timerfd_settime(engine->timer, TFD_TIMER_ABSTIME, &until, NULL);
}

static int watch(struct user_engine *engine, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(engine->epoll, EPOLL_CTL_ADD, fd, &event);
}

static int make(struct user_engine *engine, struct units_error *err)
{
	struct units_cpus cpus;

	engine->streams = calloc(engine->settings.streams,
				 sizeof(*engine->streams));
	if (units_parse_cpus(engine->settings.config.cpus, &cpus, err))
		return -1;
	engine->threads = calloc(units_cpus_count(&cpus),
				 sizeof(*engine->threads));
	if (!engine->streams || !engine->threads)
		return units_refuse(err, "out of memory");
	if (engine->timer < 0 || engine->told < 0 || engine->epoll < 0 ||
	    watch(engine, engine->timer) || watch(engine, engine->told))
		return units_refuse(err, "no timer: %s", strerror(errno));
	UNITS_EACH_CPU(cpu, &cpus) {
		if (user_thread_create(&engine->threads[engine->thread_count++],
				       engine, cpu, err))
			return -1;
	}
	return 0;
}

static int make_sockets(struct user_engine *engine, struct units_error *err)
{
	if (engine->settings.source)
		return engine->settings.udp ? user_udp_connect(engine, err) :
					      user_tcp_connect(engine, err);
	return engine->settings.udp ? user_udp_bind(engine, err) :
				      user_tcp_listen(engine, err);
}

/* Threads are born there as well: they may have sockets to make later. */
static int enter_and_make(struct user_engine *engine, const char *netns,
			  struct units_error *err)
{
	struct netns_visit visit;
	int ret;

	if (netns_enter(&visit, netns, err))
		return -1;
	ret = make(engine, err) || make_sockets(engine, err) ? -1 : 0;
	netns_leave(&visit);
	return ret;
}

/* Streams begin as soon as threads have them. */
static int begin(struct user_engine *engine, struct units_error *err)
{
	const uint64_t time =
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_TIME);
	int ret = 0;

	engine->sending = engine->stream_count;
	engine->open = engine->stream_count;
	engine->run.begun_ns = user_clock_now();
	if (time && set_timer(engine, engine->run.begun_ns + time))
		return units_refuse(err, "timer: %s", strerror(errno));
	pthread_mutex_lock(&engine->lock);
	for (uint32_t i = 0; !ret && i < engine->stream_count; i++) {
		struct user_stream *stream = engine->streams[i];

		stream->thread = &engine->threads[i % engine->thread_count];
		if (engine->settings.source)
			user_stream_share(stream, i);
		ret = user_thread_attach(stream->thread, stream);
	}
	if (!ret && engine->listener >= 0)
		ret = user_thread_listen(&engine->threads[0],
					 engine->listener);
	pthread_mutex_unlock(&engine->lock);
	if (ret)
		units_refuse(err, "epoll: %s", strerror(errno));
	return ret;
}

/* No stream is left; threads go on to answer, their counters stand still. */
static void abort_streams(struct user_engine *engine)
{
	atomic_store(&engine->aborting, true);
	ask_all(engine);
	if (engine->listener >= 0)
		close(engine->listener);
	engine->listener = -1;
	engine->run.state = KTPUT_STATE_ENDED;
}

static void follow_end(struct user_engine *engine)
{
	const uint64_t deadline = engine->ended_ns +
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_DRAIN_TIMEOUT);

	if (engine->run.state == KTPUT_STATE_RUNNING) {
		engine->run.state = KTPUT_STATE_DRAINING;
		set_timer(engine, deadline);
	}
	if (!engine->draining || !engine->open || user_clock_now() >= deadline)
		abort_streams(engine);
}

/* Deal with what has come, and see where the run stands. */
static void look(struct user_engine *engine)
{
	uint64_t ignored;

	if (read(engine->timer, &ignored, sizeof(ignored)) > 0 &&
	    engine->run.state == KTPUT_STATE_RUNNING)
		user_engine_end(engine, KTPUT_REASON_TIME, 0);
	while (read(engine->told, &ignored, sizeof(ignored)) > 0)
		;
	if (engine->reason_known && engine->run.state != KTPUT_STATE_ENDED) {
		engine->run.reason = engine->reason;
		engine->run.error = engine->error;
		engine->run.ended_ns = engine->ended_ns;
		follow_end(engine);
	}
	pthread_mutex_lock(&engine->lock);
	engine->run.streams = engine->stream_count;
	pthread_mutex_unlock(&engine->lock);
	engine->run.accepted = engine->accepted;
	engine->run.refused = engine->refused;
	engine->run.mptcp = engine->mptcp;
	engine->run.now_ns = user_clock_now();
}

static const struct user_thread *find_thread(const struct user_engine *engine,
					     unsigned int cpu)
{
	for (unsigned int i = 0; i < engine->thread_count; i++)
		if (engine->threads[i].cpu == cpu)
			return &engine->threads[i];
	return NULL;
}

static int show_cpus(struct user_engine *engine, struct client_snapshot *to,
		     struct units_error *err)
{
	uint64_t idle_ns[UNITS_CPU_MAX];
	struct units_cpus online, shown;

	if (cpus_online(&online, err) ||
	    cpus_idle(idle_ns, UNITS_CPU_MAX, err))
		return -1;
	to->cpus = calloc(units_cpus_count(&online) + engine->thread_count,
			  sizeof(*to->cpus));
	if (!to->cpus)
		return units_refuse(err, "out of memory");
	shown = online;
	for (unsigned int i = 0; i < engine->thread_count; i++)
		units_cpus_add(&shown, engine->threads[i].cpu);
	UNITS_EACH_CPU(i, &shown) {
		const struct user_thread *thread = find_thread(engine, i);
		struct client_cpu *cpu;

		/* The kernel has moved its thread to another. */
		if (!units_cpus_has(&online, i))
			user_engine_end(engine, KTPUT_REASON_CPU, 0);
		cpu = &to->cpus[to->cpu_count++];
		*cpu = (struct client_cpu) { .id = i };
		if (thread) {
			*cpu = thread->shown;
		} else {
			cpu->time_ns = user_clock_now();
			cpu->cycles = user_clock_cycles();
		}
		cpu->idle_ns = idle_ns[i];
		cpu->idle_known = idle_ns[i] != CPUS_IDLE_UNKNOWN;
	}
	return 0;
}

/*
 * Each thread answers between two turns, and sleeps no longer for it: what it
 * says of its CPU and of its streams is of one instant.
 */
static int snapshot(struct session_end *end, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	struct user_engine *engine = end->user;

	(void)parts;
	*to = (struct client_snapshot) { 0 };
	look(engine);
	/* Connections that come meanwhile are in the next one. */
	to->streams = calloc(engine->run.streams + 1, sizeof(*to->streams));
	if (!to->streams)
		return units_refuse(err, "out of memory");
	to->stream_count = engine->run.streams;
	if (user_pingpong_measures(&engine->settings)) {
		to->latency = malloc(sizeof(*to->latency));
		if (!to->latency) {
			units_refuse(err, "out of memory");
			client_snapshot_free(to);
			return -1;
		}
		histogram_init(to->latency);
	}
	engine->wanted = to;
	ask_all(engine);
	engine->wanted = NULL;
	to->run = engine->run;
	to->run.now_ns = user_clock_now();
	if (!show_cpus(engine, to, err))
		return 0;
	client_snapshot_free(to);
	return -1;
}

/* End a run at once, and forget it. */
static void close_run(struct user_engine *engine)
{
	if (!engine)
		return;
	atomic_store(&engine->quitting, true);
	for (unsigned int i = 0; i < engine->thread_count; i++)
		user_thread_destroy(&engine->threads[i]);
	for (uint32_t i = 0; i < engine->stream_count; i++)
		user_stream_free(engine->streams[i]);
	if (engine->spare >= 0)
		close(engine->spare);
	if (engine->listener >= 0)
		close(engine->listener);
	if (engine->timer >= 0)
		close(engine->timer);
	if (engine->told >= 0)
		close(engine->told);
	if (engine->epoll >= 0)
		close(engine->epoll);
	pthread_mutex_destroy(&engine->lock);
	free(engine->threads);
	free(engine->streams);
	free(engine);
}

/* Start a run, wholly or not at all. */
static struct user_engine *start_run(const char *netns,
				     const struct config *config,
				     struct units_error *err)
{
	struct user_engine *engine = calloc(1, sizeof(*engine));

	if (!engine) {
		units_refuse(err, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&engine->lock, NULL);
	engine->listener = -1;
	engine->spare = user_engine_spare();
	engine->timer = timerfd_create(CLOCK_MONOTONIC,
				       TFD_CLOEXEC | TFD_NONBLOCK);
	engine->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	engine->epoll = epoll_create1(EPOLL_CLOEXEC);
	allow_descriptors();
	if (user_settings_make(&engine->settings, config, err) ||
	    enter_and_make(engine, netns, err) || begin(engine, err)) {
		close_run(engine);
		return NULL;
	}
	engine->run.role = engine->settings.source ? KTPUT_ROLE_SOURCE :
						     KTPUT_ROLE_SINK;
	engine->run.local_port =
		user_settings_number(&engine->settings,
				     KTPUT_A_CONFIG_LOCAL_PORT);
	look(engine);
	return engine;
}

static void take_over(struct session_end *end)
{
	end->run = end->user->run;
	end->config = end->user->settings.config;
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	(void)peer;
	(void)detail;
	end->user = start_run(end->netns, &end->config, err);
	if (!end->user)
		return -1;
	take_over(end);
	return 0;
}

static int refresh(struct session_end *end, struct units_error *err)
{
	(void)err;
	look(end->user);
	take_over(end);
	return 0;
}

/* One that drains already waits no longer. */
static int stop(struct session_end *end, struct units_error *err)
{
	user_engine_end(end->user, KTPUT_REASON_STOPPED, 0);
	if (end->user->run.state == KTPUT_STATE_DRAINING)
		abort_streams(end->user);
	return refresh(end, err);
}

static int fd(const struct session_end *end)
{
	return end->user->epoll;
}

static void close_user(struct session_end *end, bool delete_run)
{
	(void)delete_run;
	close_run(end->user);
	end->user = NULL;
}

/**
 * backend_user_clock() - the clock of an end that runs in user space
 * @end: the end
 * @clock: filled in
 *
 * Return: true.
 */
bool backend_user_clock(struct session_end *end, struct backend_clock *clock)
{
	(void)end;
	snprintf(clock->name, sizeof(clock->name), "%s", USER_CLOCK_NAME);
	clock->hz = USER_CLOCK_HZ;
	return true;
}

static void describe(const struct session_end *end, struct output *out)
{
	(void)end;
	output_text(out, "user space");
}

/**
 * backend_user_record() - record where idle times of user space come from
 * @end: the end
 * @out: the output
 */
void backend_user_record(const struct session_end *end, struct output *out)
{
	(void)end;
	output_data_string(out, "idle_source", "/proc/stat");
}

const struct backend backend_user = {
	.start = start,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.close = close_user,
	.clock = backend_user_clock,
	.describe = describe,
	.record = backend_user_record,
};
