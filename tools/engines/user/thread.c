// SPDX-License-Identifier: GPL-2.0
/* thread: takes the turns of the streams of a run on one CPU. */
#include <errno.h>
#include <linux/ktput_datagram.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../host/tasks.h"
#include "clock.h"
#include "pingpong.h"
#include "thread.h"
#include "uring.h"
#include "user_engine.h"

#define EVENTS	64

/*
 * Nothing tells that a peer has acknowledged all, so that streams that wait for
 * it look from time to time.
 */
#define DRAIN_LOOK_MS	2

/* What ends a call that blocks, and how long to wait for that. */
#define NUDGE		SIGUSR1
#define NUDGE_NS	1000000

/**
 * user_thread_ready() - a stream has something to do
 * @thread: the calling thread
 * @stream: one of its streams, ready already or not
 */
void user_thread_ready(struct user_thread *thread, struct user_stream *stream)
{
	if (stream->queued)
		return;
	stream->queued = true;
	stream->next = NULL;
	if (thread->first)
		thread->last->next = stream;
	else
		thread->first = stream;
	thread->last = stream;
	thread->ready++;
}

static struct user_stream *take_ready(struct user_thread *thread)
{
	struct user_stream *stream = thread->first;

	thread->first = stream->next;
	stream->queued = false;
	thread->ready--;
	return stream;
}

static void account(struct client_counters *to,
		    const struct client_counters *came_to)
{
	to->bytes += came_to->bytes;
	to->messages += came_to->messages;
	to->calls += came_to->calls;
	to->would_blocks += came_to->would_blocks;
	to->call_cycles += came_to->call_cycles;
	to->drops += came_to->drops;
}

static void take_turn(struct user_thread *thread)
{
	struct user_stream *stream = take_ready(thread);
	struct client_counters came_to = { 0 };
	uint64_t begin = user_clock_cycles(), end;
	enum user_verdict verdict;

	if (stream->state == KTPUT_STATE_ENDED)
		return;
	verdict = stream->take(stream, &came_to);
	if (verdict == USER_AGAIN)
		user_thread_ready(thread, stream);
	end = user_clock_cycles();
	came_to.call_cycles = end - begin;
	account(&thread->counters, &came_to);
	/* It may serve another connection already. */
	if (verdict == USER_ENDED)
		return;
	/* A source that cannot send is late, and its time goes on. */
	if (came_to.bytes ||
	    (came_to.calls && thread->engine->settings.source)) {
		if (!stream->first_cycles)
			stream->first_cycles = begin;
		stream->last_cycles = end;
	}
	account(&stream->counters, &came_to);
}

/* Calls a function with each stream of the thread that has not ended. */
static void for_each(struct user_thread *thread,
		     void (*what)(struct user_stream *stream))
{
	struct user_engine *engine = thread->engine;

	for (uint32_t i = 0; i < engine->stream_count; i++) {
		struct user_stream *stream = engine->streams[i];

		if (stream->thread == thread &&
		    stream->state != KTPUT_STATE_ENDED)
			what(stream);
	}
}

static void drain(struct user_stream *stream)
{
	if (stream->state == KTPUT_STATE_RUNNING)
		user_stream_sent(stream);
}

static void look_again(struct user_stream *stream)
{
	if (stream->state == KTPUT_STATE_DRAINING)
		user_thread_ready(stream->thread, stream);
}

static void give_up(struct user_stream *stream)
{
	const struct linger reset = { .l_onoff = 1 };
	struct client_counters came_to = { 0 };

	if (stream->thread->uring) {
		user_uring_cancel(stream, &came_to);
		account(&stream->thread->counters, &came_to);
		account(&stream->counters, &came_to);
	}
	/* What the peer does not have by now, it is not to get. */
	if (stream->thread->engine->settings.source &&
	    !stream->thread->engine->settings.udp)
		setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &reset,
			   sizeof(reset));
	user_stream_end(stream, stream->error);
}

/* Nothing tells whether a call of io_uring that waits has slept. */
static uint64_t count_sleeps(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void answer(struct user_thread *thread)
{
	struct user_engine *engine = thread->engine;
	struct client_snapshot *snapshot = engine->wanted;

	for (size_t i = 0; snapshot && i < snapshot->stream_count; i++) {
		if (engine->streams[i]->thread != thread)
			continue;
		user_stream_show(engine->streams[i], &snapshot->streams[i]);
		user_stream_show_peers(engine->streams[i], snapshot);
	}
	if (snapshot && thread->latency)
		histogram_merge(snapshot->latency, thread->latency);
	if (thread->uring)
		thread->counters.wake_ups = count_sleeps();
	thread->shown = (struct client_cpu) {
		.id = thread->cpu,
		.time_ns = user_clock_now(),
		.cycles = user_clock_cycles(),
		.counters = thread->counters,
		.thread_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID),
	};
	thread->shown.delay_known =
		tasks_read_delay("/proc/thread-self/schedstat",
				 &thread->shown.delay_ns);
	thread->answered_count++;
	sem_post(&thread->answered);
}

/* False where the thread is to end. */
static bool obey(struct user_thread *thread)
{
	struct user_engine *engine = thread->engine;

	atomic_store(&thread->attention, false);
	pthread_mutex_lock(&engine->lock);
	if (engine->aborting) {
		for_each(thread, give_up);
	} else if (engine->draining && !thread->drained) {
		thread->drained = true;
		for_each(thread, drain);
	}
	if (atomic_load(&thread->asked) != thread->answered_count)
		answer(thread);
	pthread_mutex_unlock(&engine->lock);
	return !engine->quitting;
}

/* How long to sleep, in the terms of epoll_wait(). */
static int patience(const struct user_thread *thread)
{
	if (thread->first)
		return 0;
	return thread->draining ? DRAIN_LOOK_MS : -1;
}

static void take_event(struct user_thread *thread,
		       const struct epoll_event *event)
{
	struct user_stream *stream = event->data.ptr;
	uint64_t ignored;

	if (event->data.ptr == thread) {
		while (read(thread->wake, &ignored, sizeof(ignored)) > 0)
			;
	} else if (event->data.ptr == thread->engine) {
		user_engine_accept(thread->engine);
	} else {
		if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
			stream->hung_up = true;
		stream->counters.wake_ups++;
		if (thread->woken)
			thread->counters.wake_ups++;
		thread->woken = false;
		/* It has begun: the ring tells of the rest. */
		if (thread->uring)
			epoll_ctl(thread->epoll, EPOLL_CTL_DEL, stream->fd,
				  NULL);
		user_thread_ready(thread, stream);
	}
}

static void take_events(struct user_thread *thread)
{
	struct epoll_event events[EVENTS];
	const int timeout = patience(thread);
	int done = 0, count = 0;
	bool told = true;

	if (thread->uring)
		done = user_uring_wait(thread, timeout, &told);
	if (told)
		count = epoll_wait(thread->epoll, events, EVENTS,
				   thread->uring ? 0 : timeout);
	thread->woken = timeout;
	for (int i = 0; i < count; i++)
		take_event(thread, &events[i]);
	if (done || count || timeout <= 0)
		return;
	pthread_mutex_lock(&thread->engine->lock);
	for_each(thread, look_again);
	pthread_mutex_unlock(&thread->engine->lock);
}

static void allow_nudges(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, NUDGE);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static bool has_to_look(const struct user_thread *thread)
{
	if (!thread->ready)
		return true;
	/* Where all are ready no event could make more of them so. */
	return !thread->blocks &&
	       (thread->ready != thread->open || thread->listening);
}

static void *serve(void *data)
{
	struct user_thread *thread = data;
	unsigned int turns;
	int error;

	if (thread->blocks)
		allow_nudges();
	error = thread->uring ? user_uring_begin(thread) : 0;
	if (error)
		user_engine_end(thread->engine, KTPUT_REASON_ERROR, error);
	for (;;) {
		if (atomic_load_explicit(&thread->attention,
					 memory_order_acquire) &&
		    !obey(thread))
			return NULL;
		if (has_to_look(thread))
			take_events(thread);
		for (turns = thread->ready; turns; turns--)
			take_turn(thread);
	}
}

static int watch(struct user_thread *thread, int fd, uint32_t events,
		 void *data)
{
	struct epoll_event event = { .events = events, .data.ptr = data };

	return epoll_ctl(thread->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void nudged(int number)
{
	(void)number;
}

/* So that the signal ends a call that blocks, and nothing else. */
static void expect_nudges(void)
{
	const struct sigaction action = { .sa_handler = nudged };

	sigaction(NUDGE, &action, NULL);
}

static int make_latency(struct user_thread *thread)
{
	if (!user_pingpong_measures(&thread->engine->settings))
		return 0;
	thread->latency = malloc(sizeof(*thread->latency));
	if (!thread->latency)
		return -1;
	histogram_init(thread->latency);
	return 0;
}

static int begin(struct user_thread *thread)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	cpu_set_t *cpus;
	size_t size;
	int error;

	cpus = CPU_ALLOC(thread->cpu + 1);
	if (!cpus)
		return -1;
	size = CPU_ALLOC_SIZE(thread->cpu + 1);
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(thread->cpu, size, cpus);
	pthread_attr_init(&attributes);
	pthread_attr_setaffinity_np(&attributes, size, cpus);
	/* Signals are for the thread that follows the runs. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread->handle, &attributes, serve, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	CPU_FREE(cpus);
	errno = error;
	return error ? -1 : 0;
}

/**
 * user_thread_create() - start a thread, without streams
 * @thread: filled in; for user_thread_destroy(), also where it is refused
 * @engine: the run
 * @cpu: CPU to pin it to
 * @err: why there is none
 */
int user_thread_create(struct user_thread *thread, struct user_engine *engine,
		       unsigned int cpu, struct units_error *err)
{
	*thread = (struct user_thread) {
		.engine = engine, .cpu = cpu,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.blocks = engine->settings.wait == CONFIG_WAIT_BLOCK,
	};
	if (thread->blocks)
		expect_nudges();
	sem_init(&thread->answered, 0, 0);
	if (user_payload_make(&thread->payload, &engine->settings, err))
		return -1;
	if (engine->settings.method == KTPUT_METHOD_IO_URING &&
	    user_uring_make(thread, err))
		return -1;
	if (thread->epoll < 0 || thread->wake < 0 || make_latency(thread) ||
	    watch(thread, thread->wake, EPOLLIN, thread))
		return units_refuse(err, "no thread: %s", strerror(errno));
	if (begin(thread))
		return units_refuse(err,
				    "refused: cpus: no thread on CPU %u: %s",
				    cpu, strerror(errno));
	thread->running = true;
	return 0;
}

/**
 * user_thread_call() - have a thread look at what is wanted
 * @thread: thread
 */
void user_thread_call(struct user_thread *thread)
{
	const uint64_t one = 1;

	atomic_store_explicit(&thread->attention, true, memory_order_release);
	/* Full is as good as written: it is readable. */
	if (write(thread->wake, &one, sizeof(one)) < 0)
		return;
}

/*
 * A signal that comes before the call that it is to end is lost, so that others
 * follow until it is obeyed. Returns how long to wait for that.
 */
static struct timespec nudge(struct user_thread *thread)
{
	struct timespec until;

	if (thread->blocks)
		pthread_kill(thread->handle, NUDGE);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += NUDGE_NS;
	if (until.tv_nsec >= (long)UNITS_NSEC_PER_SEC) {
		until.tv_nsec -= UNITS_NSEC_PER_SEC;
		until.tv_sec++;
	}
	return until;
}

/**
 * user_thread_ask() - have a thread obey and answer
 * @thread: thread; user_thread_await() waits for the answer
 */
void user_thread_ask(struct user_thread *thread)
{
	atomic_fetch_add(&thread->asked, 1);
	user_thread_call(thread);
}

/**
 * user_thread_await() - wait for an answer
 * @thread: thread that was asked
 */
void user_thread_await(struct user_thread *thread)
{
	struct timespec until;
	int ret;

	do {
		until = nudge(thread);
		ret = thread->blocks ?
		      sem_timedwait(&thread->answered, &until) :
		      sem_wait(&thread->answered);
	} while (ret);
}

/* What a stream's socket is waited for. */
static uint32_t events_of(const struct user_stream *stream)
{
	const struct user_settings *settings =
		&stream->thread->engine->settings;

	/* A turn may leave datagrams behind. */
	if (settings->udp && !settings->source)
		return EPOLLIN;
	return EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
}

/**
 * user_thread_watch() - have a thread hear of a stream's socket
 * @thread: thread
 * @stream: stream with a socket, of that thread
 *
 * The first event comes at once where there is room or data.
 *
 * Return: 0, or -1 with errno.
 */
int user_thread_watch(struct user_thread *thread, struct user_stream *stream)
{
	return watch(thread, stream->fd, events_of(stream), stream);
}

/**
 * user_thread_attach() - give a thread a stream
 * @thread: thread
 * @stream: stream with a socket or a timer, or both
 *
 * The first event comes at once where there is room or data, and where there is
 * no socket yet.
 *
 * Return: 0, or -1 with errno.
 */
int user_thread_attach(struct user_thread *thread, struct user_stream *stream)
{
	stream->thread = thread;
	atomic_fetch_add(&thread->open, 1);
	if ((stream->timer < 0 ||
	     !watch(thread, stream->timer, EPOLLIN | EPOLLET, stream)) &&
	    (stream->fd >= 0 ? !user_thread_watch(thread, stream) :
			       !user_stream_wake(stream)))
		return 0;
	atomic_fetch_sub(&thread->open, 1);
	return -1;
}

/**
 * user_thread_listen() - have a thread accept the connections of its run
 * @thread: thread
 * @fd: socket that listens
 *
 * Return: 0, or -1 with errno.
 */
int user_thread_listen(struct user_thread *thread, int fd)
{
	thread->listening = true;
	return watch(thread, fd, EPOLLIN, thread->engine);
}

/**
 * user_thread_accepted() - a connection has been accepted
 * @thread: the thread that listens
 *
 * One that spins would look for others each time, where none may come.
 */
void user_thread_accepted(struct user_thread *thread)
{
	const struct user_engine *engine = thread->engine;

	if (engine->settings.wait == CONFIG_WAIT_SPIN &&
	    engine->stream_count == engine->settings.streams &&
	    config_has(&engine->settings.config, KTPUT_A_CONFIG_ONCE))
		thread->listening = false;
}

/**
 * user_thread_destroy() - end a thread, and free what it has
 * @thread: what user_thread_create() left; its run is quitting
 */
void user_thread_destroy(struct user_thread *thread)
{
	if (thread->running) {
		struct timespec until;

		user_thread_call(thread);
		do
			until = nudge(thread);
		while (pthread_timedjoin_np(thread->handle, NULL, &until));
	}
	if (thread->epoll >= 0)
		close(thread->epoll);
	if (thread->wake >= 0)
		close(thread->wake);
	user_uring_free(thread);
	free(thread->latency);
	user_payload_free(&thread->payload);
	sem_destroy(&thread->answered);
}

/* What is sent. Memory that nobody has written is one page of zeroes. */
#define FILLING	0x6b

/*
 * What a recv() of ping-pong asks for beyond a message, so that less than all is
 * received where no other message has come.
 */
#define BEYOND	4096

static size_t piece_of(const struct user_settings *settings)
{
	if (settings->pingpong)
		return settings->message_size + (settings->udp ? 0 : BEYOND);
	if (!settings->udp)
		return settings->message_size;
	if (settings->source)
		return (size_t)settings->segments * settings->message_size;
	if (settings->segments > 1)
		return USER_GRO_BYTES;
	/* Nothing but the header is read of what is not copied. */
	return settings->method == KTPUT_METHOD_TRUNC ?
	       sizeof(struct ktput_datagram) : settings->message_size;
}

static int make_file(struct user_payload *payload, struct units_error *err)
{
	size_t done = 0;

	payload->file = memfd_create("ktput", MFD_CLOEXEC);
	while (payload->file >= 0 && done < payload->size) {
		ssize_t ret = write(payload->file, payload->buffer + done,
				    payload->size - done);

		if (ret < 0)
			break;
		done += ret;
	}
	if (done == payload->size)
		return 0;
	return units_refuse(err, "no file for sendfile: %s", strerror(errno));
}

static int make_messages(struct user_payload *payload, uint32_t batch,
			 struct units_error *err)
{
	payload->messages = calloc(batch, sizeof(*payload->messages));
	payload->vectors = calloc(batch, sizeof(*payload->vectors));
	payload->controls = calloc(batch, USER_CONTROL_BYTES);
	payload->names = calloc(batch, sizeof(*payload->names));
	if (!payload->messages || !payload->vectors || !payload->controls ||
	    !payload->names)
		return units_refuse(err, "out of memory");
	for (uint32_t i = 0; i < batch; i++) {
		payload->vectors[i] = (struct iovec) {
			.iov_base = payload->buffer + i * payload->piece,
			.iov_len = payload->piece,
		};
		payload->messages[i].msg_hdr.msg_iov = &payload->vectors[i];
		payload->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

/**
 * user_payload_make() - allocate memory
 * @payload: filled in; for user_payload_free(), also where it is refused
 * @settings: of the run
 * @err: why there is none
 */
int user_payload_make(struct user_payload *payload,
		      const struct user_settings *settings,
		      struct units_error *err)
{
	*payload = (struct user_payload) {
		.piece = piece_of(settings), .file = -1,
	};
	payload->size = payload->piece * settings->batch;
	payload->buffer = mmap(NULL, payload->size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (payload->buffer == MAP_FAILED) {
		payload->buffer = NULL;
		return units_refuse(err, "out of memory");
	}
	if (settings->source || settings->pingpong)
		memset(payload->buffer, FILLING, payload->size);
	if (settings->udp)
		return make_messages(payload, settings->batch, err);
	if (settings->method == KTPUT_METHOD_SENDFILE)
		return make_file(payload, err);
	return 0;
}

/**
 * user_payload_free() - free memory
 * @payload: what user_payload_make() left
 */
void user_payload_free(struct user_payload *payload)
{
	if (payload->buffer)
		munmap(payload->buffer, payload->size);
	if (payload->file >= 0)
		close(payload->file);
	free(payload->messages);
	free(payload->vectors);
	free(payload->controls);
	free(payload->names);
}
