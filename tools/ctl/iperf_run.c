// SPDX-License-Identifier: GPL-2.0
/* iperf_run: an end of a session that iperf3 runs. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../lib/cpus.h"
#include "../lib/json.h"
#include "../lib/netns.h"
#include "../user/clock.h"
#include "child_output.h"
#include "iperf_run.h"
#include "iperf_words.h"

/* A server listens at once; so often is looked whether it does, for so long. */
#define LOOK_NS		(5 * 1000000)
#define LOOKS		2000

/* A server ends by itself when its client has. */
#define PATIENCE_NS	(10 * UNITS_NSEC_PER_SEC)

/* State of a socket that listens, in /proc/net/tcp. */
#define LISTENS		0x0a

/* Some port that is free now, in the namespace of this thread. */
static uint16_t free_port(int family)
{
	struct sockaddr_storage any = { .ss_family = family };
	socklen_t size = sizeof(any);
	uint16_t port = 0;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	if (!bind(fd, (struct sockaddr *)&any, family == AF_INET6 ?
		  sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)) &&
	    !getsockname(fd, (struct sockaddr *)&any, &size))
		port = ntohs(family == AF_INET6 ?
			     ((struct sockaddr_in6 *)&any)->sin6_port :
			     ((struct sockaddr_in *)&any)->sin_port);
	close(fd);
	return port;
}

static bool listens_in(const char *path, uint16_t port)
{
	FILE *from = fopen(path, "re");
	char line[256];
	bool found = false;

	while (from && !found && fgets(line, sizeof(line), from)) {
		unsigned int local, state;

		found = sscanf(line, " %*[^:]: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x",
			       &local, &state) == 2 &&
			local == port && state == LISTENS;
	}
	if (from)
		fclose(from);
	return found;
}

static bool listens(pid_t pid, uint16_t port)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/net/tcp", (int)pid);
	if (listens_in(path, port))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/net/tcp6", (int)pid);
	return listens_in(path, port);
}

static bool has_ended(const struct iperf_run *iperf)
{
	struct pollfd fd = { .fd = iperf->child.fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Until a client may connect, or it has ended for some reason. */
static void await_server(struct iperf_run *iperf)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int i = 0; i < LOOKS && !has_ended(iperf) &&
	     !listens(iperf->child.pid, iperf->run.local_port); i++)
		nanosleep(&pause, NULL);
}

static void pin(const char *list, cpu_set_t *before)
{
	struct units_error ignored;
	struct units_cpus cpus;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(*before), before);
	if (!list[0] || units_parse_cpus(list, &cpus, &ignored))
		return;
	CPU_ZERO(&set);
	for (unsigned int i = 0; i < UNITS_CPU_MAX && i < CPU_SETSIZE; i++)
		if (units_cpus_has(&cpus, i))
			CPU_SET(i, &set);
	/* The CPUs are those that the plan has found online. */
	sched_setaffinity(0, sizeof(set), &set);
}

/* Counters are charged to the first CPU that it may use. */
static uint32_t first_cpu(const char *list)
{
	struct units_error ignored;
	struct units_cpus cpus;

	if (!list[0] ? cpus_online(&cpus, &ignored) :
		       units_parse_cpus(list, &cpus, &ignored))
		return 0;
	for (unsigned int i = 0; i < UNITS_CPU_MAX; i++)
		if (units_cpus_has(&cpus, i))
			return i;
	return 0;
}

static int spawn(struct iperf_run *iperf, struct units_error *err)
{
	struct iperf_words words;
	cpu_set_t before;
	int outputs[2];
	int ret;

	if (iperf_words_make(&words, &iperf->config, err))
		return -1;
	iperf->output = memfd_create("iperf3", MFD_CLOEXEC);
	if (iperf->output < 0) {
		units_refuse(err, "memfd_create: %s", strerror(errno));
		return -1;
	}
	outputs[0] = iperf->output;
	outputs[1] = iperf->output;
	pin(iperf->config.cpus, &before);
	ret = child_start(&iperf->child, words.word, outputs, err);
	sched_setaffinity(0, sizeof(before), &before);
	if (ret && errno == ENOENT)
		units_refuse(err, "refused: iperf3 is not installed here: "
			     "it is the package iperf3 of Debian, Ubuntu and Fedora");
	return ret;
}

/* What a client is about to do; its streams are there when it has ended. */
static void expect(struct iperf_run *iperf)
{
	const struct config *config = &iperf->config;

	address_set_port(&iperf->config.remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	iperf->run.streams = config_has(config, KTPUT_A_CONFIG_STREAMS) ?
			     config->number[KTPUT_A_CONFIG_STREAMS] : 1;
}

/**
 * iperf_run_start() - start a server, or a client
 * @iperf: filled in; for iperf_run_close(), also where it is refused
 * @netns: its network namespace, or NULL for this one
 * @config: what is asked for
 * @err: why it is refused
 *
 * A server listens when this returns.
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int iperf_run_start(struct iperf_run *iperf, const char *netns,
		    const struct config *config, struct units_error *err)
{
	struct netns_visit visit;
	int ret;

	*iperf = (struct iperf_run){
		.config = *config,
		.sender = config->number[KTPUT_A_CONFIG_ROLE] ==
			  KTPUT_ROLE_SOURCE,
		.child.fd = -1,
		.output = -1,
		.cpu = first_cpu(config->cpus),
		.run.role = config->number[KTPUT_A_CONFIG_ROLE],
		.run.state = KTPUT_STATE_RUNNING,
	};
	if (netns_enter(&visit, netns, err))
		return -1;
	if (!iperf->sender && !config_has(config, KTPUT_A_CONFIG_LOCAL_PORT))
		config_set(&iperf->config, KTPUT_A_CONFIG_LOCAL_PORT,
			   free_port(address_family(&config->local) == AF_INET6 ?
				     AF_INET6 : AF_INET));
	iperf->run.local_port =
		iperf->config.number[KTPUT_A_CONFIG_LOCAL_PORT];
	if (iperf->sender)
		expect(iperf);
	iperf->begin_ns = user_clock_now();
	iperf->begin_cycles = user_clock_cycles();
	ret = spawn(iperf, err);
	netns_leave(&visit);
	if (ret)
		return -1;
	if (!iperf->sender)
		await_server(iperf);
	iperf->run.begun_ns = user_clock_now();
	iperf->run.now_ns = iperf->run.begun_ns;
	return iperf_run_look(iperf, err);
}

static enum ktput_reason reason(const struct iperf_run *iperf)
{
	if (iperf->stopping)
		return KTPUT_REASON_STOPPED;
	if (!iperf->sender)
		return KTPUT_REASON_PEERS;
	return config_has(&iperf->config, KTPUT_A_CONFIG_END_BYTES) ?
	       KTPUT_REASON_BYTES : KTPUT_REASON_TIME;
}

/* It has ended: what it says counts from now on. */
static int finish(struct iperf_run *iperf, struct units_error *err)
{
	struct json_object *document;
	const char *complaint;
	int ret = -1;

	iperf->end_ns = user_clock_now();
	iperf->end_cycles = user_clock_cycles();
	child_wait(&iperf->child);
	iperf->run.state = KTPUT_STATE_ENDED;
	iperf->run.reason = reason(iperf);
	iperf->run.ended_ns = iperf->end_ns;
	document = child_output_json(iperf->output);
	complaint = iperf_error(document);
	/*
	 * What was told to end says so as an error, and its server that it has
	 * gone, both beside the result.
	 */
	if (complaint && iperf->sender && !iperf->stopping)
		units_refuse(err, "iperf3: %s", complaint);
	else
		ret = iperf_read(document, iperf->sender, &iperf->result, err);
	if (ret && complaint)
		units_refuse(err, "iperf3: %s", complaint);
	json_object_put(document);
	iperf->run.streams = iperf->result.streams;
	return ret;
}

/**
 * iperf_run_look() - see where it stands
 * @iperf: run; its @run is brought up to date
 * @err: what iperf3 says went wrong
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int iperf_run_look(struct iperf_run *iperf, struct units_error *err)
{
	iperf->run.now_ns = user_clock_now();
	if (!iperf->child.pid)
		return 0;
	if (has_ended(iperf))
		return finish(iperf, err);
	if (iperf->stopping && iperf->run.now_ns > iperf->patience_ns)
		child_signal(&iperf->child, SIGINT);
	return 0;
}

/**
 * iperf_run_stop() - tell it to end
 * @iperf: run
 *
 * A client is told by a signal, and a server by its client, unless that takes
 * too long.
 */
void iperf_run_stop(struct iperf_run *iperf)
{
	if (!iperf->child.pid || iperf->stopping)
		return;
	iperf->stopping = iperf->sender;
	iperf->patience_ns = user_clock_now() + PATIENCE_NS;
	if (iperf->sender)
		child_signal(&iperf->child, SIGINT);
}

/* The clock's reading so many seconds before the end. */
static uint64_t cycles_before_end(const struct iperf_run *iperf, double seconds)
{
	const double hz = (double)(iperf->end_cycles - iperf->begin_cycles) /
			  (iperf->end_ns - iperf->begin_ns) *
			  UNITS_NSEC_PER_SEC;
	const double cycles = seconds * hz;

	return cycles < iperf->end_cycles ? iperf->end_cycles - cycles : 1;
}

static uint64_t messages(const struct iperf_run *iperf,
			 const struct iperf_stream *stream)
{
	const uint64_t size =
		iperf->config.number[KTPUT_A_CONFIG_MESSAGE_SIZE];

	if (stream->datagrams)
		return stream->datagrams;
	return iperf->sender && size ? stream->bytes / size : 0;
}

static void show_stream(const struct iperf_run *iperf, size_t index,
			struct client_stream *to)
{
	const struct iperf_stream *from = &iperf->result.stream[index];
	const bool udp = iperf->config.number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	*to = (struct client_stream){
		.id = index,
		.cpu = iperf->cpu,
		.state = KTPUT_STATE_ENDED,
		.local = iperf->config.local,
		.remote = iperf->config.remote,
		.first_cycles = cycles_before_end(iperf, from->seconds),
		.last_cycles = iperf->end_cycles,
		.counters.bytes = from->bytes,
		.counters.messages = messages(iperf, from),
	};
	if (udp)
		to->datagrams = (struct client_datagrams){
			.present = true,
			.received = iperf->sender ? 0 : from->datagrams,
			.lost = from->lost,
			.reordered = from->reordered,
			.jitter_ns = from->jitter_ns,
		};
	else
		to->tcp = (struct tcpinfo){
			.rtt_us = from->rtt_us,
			.rtt_min_us = from->rtt_min_us,
			.retransmissions = from->retransmissions,
			.send_window_bytes = from->window_bytes,
		};
}

static int show_cpus(const struct iperf_run *iperf, struct client_snapshot *to,
		     struct units_error *err)
{
	uint64_t idle_ns[UNITS_CPU_MAX];
	struct units_cpus online;

	if (cpus_online(&online, err) ||
	    cpus_idle(idle_ns, UNITS_CPU_MAX, err))
		return -1;
	to->cpus = calloc(units_cpus_count(&online), sizeof(*to->cpus));
	if (!to->cpus) {
		units_refuse(err, "out of memory");
		return -1;
	}
	for (unsigned int i = 0; i < UNITS_CPU_MAX; i++) {
		struct client_cpu *cpu = &to->cpus[to->cpu_count];

		if (!units_cpus_has(&online, i))
			continue;
		to->cpu_count++;
		*cpu = (struct client_cpu){
			.id = i,
			.time_ns = user_clock_now(),
			.cycles = user_clock_cycles(),
			.idle_ns = idle_ns[i],
			.idle_known = idle_ns[i] != CPUS_IDLE_UNKNOWN,
		};
		for (size_t j = 0; i == iperf->cpu && j < to->stream_count; j++) {
			cpu->counters.bytes += to->streams[j].counters.bytes;
			cpu->counters.messages +=
				to->streams[j].counters.messages;
		}
	}
	return 0;
}

/**
 * iperf_run_snapshot() - what is known
 * @iperf: run; before it has ended nothing is known but the CPUs
 * @to: filled in; for client_snapshot_free()
 * @err: why that is not possible
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int iperf_run_snapshot(const struct iperf_run *iperf,
		       struct client_snapshot *to, struct units_error *err)
{
	*to = (struct client_snapshot){ .run = iperf->run };
	to->streams = calloc(iperf->result.streams + 1, sizeof(*to->streams));
	if (!to->streams) {
		units_refuse(err, "out of memory");
		return -1;
	}
	to->stream_count = iperf->result.streams;
	for (size_t i = 0; i < to->stream_count; i++)
		show_stream(iperf, i, &to->streams[i]);
	to->run.now_ns = user_clock_now();
	if (!show_cpus(iperf, to, err))
		return 0;
	client_snapshot_free(to);
	return -1;
}

/**
 * iperf_run_close() - end it where it has not ended
 * @iperf: what iperf_run_start() left
 */
void iperf_run_close(struct iperf_run *iperf)
{
	child_close(&iperf->child);
	if (iperf->output >= 0)
		close(iperf->output);
	free(iperf->result.stream);
}
