// SPDX-License-Identifier: GPL-2.0
/* engine_run: an end of a session run by another program. */
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

#include "../host/cpus.h"
#include "../host/netns.h"
#include "end.h"
#include "user/clock.h"

/* Interval and timeout for checking that a server listens. */
#define LOOK_NS		(5 * 1000000)
#define LOOKS		2000

/* Attempts to find a port followed by enough free ports. */
#define ATTEMPTS	100

/* Time for a server to end by itself after its client. */
#define PATIENCE_NS	(10 * UNITS_NSEC_PER_SEC)

/* State of a listening socket in /proc/net/tcp. */
#define LISTENS		0x0a

/* The port, or any port if 0, if it is free in this thread's network namespace. */
static uint16_t free_port(int family, int type, uint16_t port)
{
	struct sockaddr_in6 six = {
		.sin6_family = AF_INET6, .sin6_port = htons(port),
	};
	struct sockaddr_in four = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};
	struct sockaddr *any = family == AF_INET6 ? (struct sockaddr *)&six :
						    (struct sockaddr *)&four;
	socklen_t size = family == AF_INET6 ? sizeof(six) : sizeof(four);
	const int fd = socket(family, type | SOCK_CLOEXEC, 0);

	port = 0;
	if (fd < 0)
		return 0;
	if (!bind(fd, any, size) && !getsockname(fd, any, &size))
		port = ntohs(family == AF_INET6 ? six.sin6_port :
						  four.sin_port);
	close(fd);
	return port;
}

/* Choose a port of a server such that the subsequent ones it uses are free too. */
static uint16_t choose_port(const struct engine_run *end)
{
	const struct config *config = &end->config;
	const int family = address_family(&config->local) == AF_INET6 ?
			   AF_INET6 : AF_INET;
	const int type = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP ? SOCK_DGRAM : SOCK_STREAM;
	const uint64_t more = end->engine->ports ?
			      config->number[KTPUT_A_CONFIG_STREAMS] : 0;
	uint16_t port;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		uint64_t i = 1;

		port = free_port(family, SOCK_STREAM, 0);
		while (i <= more && port + i <= UINT16_MAX &&
		       free_port(family, type, port + i))
			i++;
		if (i > more)
			break;
	}
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

static bool has_ended(const struct engine_run *end)
{
	struct pollfd fd = { .fd = end->child.fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Wait until the server listens or has ended. */
static void await_server(struct engine_run *end)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };

	for (int i = 0; i < LOOKS && !has_ended(end) &&
	     !listens(end->child.pid, end->run.local_port); i++)
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
	UNITS_EACH_CPU(i, &cpus)
		if (i < CPU_SETSIZE)
			CPU_SET(i, &set);
	/* The plan has checked that the CPUs are online. */
	sched_setaffinity(0, sizeof(set), &set);
}

/* Counters are charged to the first CPU of the list, and times to one that is alone. */
static void find_cpu(struct engine_run *end, const char *list)
{
	struct units_error ignored;
	struct units_cpus cpus;
	unsigned int first;

	if (!list[0] ? cpus_online(&cpus, &ignored) :
		       units_parse_cpus(list, &cpus, &ignored))
		return;
	first = units_cpus_next(&cpus, 0);
	end->cpu = first < UNITS_CPU_MAX ? first : 0;
	end->alone = units_cpus_count(&cpus) == 1;
}

static int spawn(struct engine_run *end, struct units_error *err)
{
	const char *name = end->engine->name;
	struct engine_argv words;
	cpu_set_t before;
	int outputs[2];
	int ret;

	if (end->engine->make(&words, &end->config, err))
		return -1;
	end->output = memfd_create(name, MFD_CLOEXEC);
	if (end->output < 0)
		return units_refuse(err, "memfd_create: %s", strerror(errno));
	outputs[0] = end->output;
	outputs[1] = end->output;
	pin(end->config.cpus, &before);
	ret = child_start(&end->child, words.word, outputs, err);
	sched_setaffinity(0, sizeof(before), &before);
	if (ret && errno == ENOENT)
		units_refuse(err, "refused: %s is not installed here: "
			     "it is the package %s of Debian, Ubuntu and Fedora",
			     name, name);
	return ret;
}

/* Set up the expected result of a client; its streams are known at the end. */
static void expect(struct engine_run *end)
{
	const struct config *config = &end->config;

	address_set_port(&end->config.remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	end->run.streams = config_has(config, KTPUT_A_CONFIG_STREAMS) ?
			     config->number[KTPUT_A_CONFIG_STREAMS] : 1;
}

/*
 * Whether its connections are to be looked at. What they count cannot be told apart from
 * that of a warm-up.
 */
static bool tells_tcp(const struct config *config, const struct engine *engine)
{
	return engine->tells_tcp && !config->warmup_ns &&
	       config->number[KTPUT_A_CONFIG_TRANSPORT] == KTPUT_TRANSPORT_TCP;
}

/*
 * Start a server, which listens on return, or the client of @server. Release it also
 * after an error.
 */
static int begin(struct engine_run *end, const char *netns,
		 const struct config *config, struct engine_run *server,
		 struct units_error *err)
{
	struct netns_visit visit;
	int ret;

	*end = (struct engine_run){
		.engine = engine_of(config->engine),
		.config = *config,
		.sender = config->number[KTPUT_A_CONFIG_ROLE] ==
			  KTPUT_ROLE_SOURCE,
		.child.fd = -1,
		.output = -1,
		.run.role = config->number[KTPUT_A_CONFIG_ROLE],
		.run.state = KTPUT_STATE_RUNNING,
	};
	find_cpu(end, config->cpus);
	if (netns_enter(&visit, netns, err))
		return -1;
	if (server && end->engine->told_by_client)
		server->client = end;
	if (!end->sender && !config_has(config, KTPUT_A_CONFIG_LOCAL_PORT))
		config_set(&end->config, KTPUT_A_CONFIG_LOCAL_PORT,
			   choose_port(end));
	end->run.local_port = end->config.number[KTPUT_A_CONFIG_LOCAL_PORT];
	if (end->sender)
		expect(end);
	end->begin_ns = user_clock_now();
	end->begin_cycles = user_clock_cycles();
	ret = spawn(end, err);
	netns_leave(&visit);
	if (ret)
		return -1;
	child_times_look(&end->times, end->child.pid);
	if (!end->sender)
		await_server(end);
	else if (tells_tcp(&end->config, end->engine))
		child_sockets_begin(&end->sockets, netns, &end->config.remote);
	end->run.begun_ns = user_clock_now();
	end->run.now_ns = end->run.begun_ns;
	return 0;
}

static enum ktput_reason reason(const struct engine_run *end)
{
	if (end->stopping)
		return KTPUT_REASON_STOPPED;
	if (!end->sender)
		return KTPUT_REASON_PEERS;
	return config_has(&end->config, KTPUT_A_CONFIG_BYTES) ?
	       KTPUT_REASON_BYTES : KTPUT_REASON_TIME;
}

/* Read the result after the end. */
static int finish(struct engine_run *end, struct units_error *err)
{
	const struct engine_run *told = end->client ? end->client : end;
	int ret;

	end->end_ns = user_clock_now();
	end->end_cycles = user_clock_cycles();
	child_times_look(&end->times, end->child.pid);
	child_wait(&end->child);
	end->run.state = KTPUT_STATE_ENDED;
	end->run.reason = reason(end);
	end->run.ended_ns = end->end_ns;
	ret = end->engine->read(told->output, end->sender, end->stopping,
				&end->result, err);
	end->run.streams = end->result.streams;
	child_sockets_rank(&end->sockets);
	return ret;
}

/* The result is printed by another end, which has not ended. */
static bool is_to_be_told(const struct engine_run *end)
{
	return end->client && end->client->child.pid;
}

/* Look at the state of a run. */
static int look(struct engine_run *end, struct units_error *err)
{
	const struct engine_run *client = end->client;

	end->run.now_ns = user_clock_now();
	if (!end->child.pid)
		return 0;
	if (has_ended(end))
		return is_to_be_told(end) ? 0 : finish(end, err);
	if ((end->patience_ns && end->run.now_ns > end->patience_ns) ||
	    (end->engine->serves_on && client && client->stopping &&
	     !client->child.pid))
		child_signal(&end->child, SIGINT);
	return 0;
}

/* Reading of the clock @seconds before the end. */
static uint64_t cycles_before_end(const struct engine_run *end, double seconds)
{
	const double hz = (double)(end->end_cycles - end->begin_cycles) /
			  (end->end_ns - end->begin_ns) *
			  UNITS_NSEC_PER_SEC;
	const double cycles = seconds * hz;

	return cycles < end->end_cycles ? end->end_cycles - cycles : 1;
}

static uint64_t messages(const struct engine_run *end,
			 const struct engine_stream *stream)
{
	const uint64_t size =
		end->config.number[KTPUT_A_CONFIG_SIZE];

	if (stream->datagrams)
		return stream->datagrams;
	return end->sender && size ? stream->bytes / size : 0;
}

/* How many streams have sent more. */
static size_t rank(const struct engine_result *result, size_t index)
{
	const uint64_t bytes = result->stream[index].bytes;
	size_t more = 0;

	for (size_t i = 0; i < result->streams; i++)
		more += result->stream[i].bytes > bytes ||
			(result->stream[i].bytes == bytes && i < index);
	return more;
}

/* What the kernel has told of its socket, and what the program tells at the end. */
static struct tcpinfo tcp_of(const struct engine_run *end, size_t index)
{
	const struct engine_stream *from = &end->result.stream[index];
	const size_t nr = rank(&end->result, index);
	struct tcpinfo tcp = {
		.rtt_min_us = from->rtt_min_us,
		.send_window_bytes = from->window_bytes,
	};

	if (nr < end->sockets.count)
		tcp = end->sockets.socket[nr].tcp;
	/* Its mean; the kernel tells the last one. */
	if (from->rtt_us)
		tcp.rtt_us = from->rtt_us;
	tcp.retransmissions = from->retransmissions;
	return tcp;
}

static void show_stream(const struct engine_run *end, size_t index,
			struct client_stream *to)
{
	const struct engine_stream *from = &end->result.stream[index];
	const bool udp = end->config.number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	*to = (struct client_stream){
		.id = index,
		.cpu = end->cpu,
		.state = KTPUT_STATE_ENDED,
		.local = end->config.local,
		.remote = end->config.remote,
		.first_cycles = cycles_before_end(end, from->seconds),
		.last_cycles = end->end_cycles,
		.counters.bytes = from->bytes,
		.counters.messages = messages(end, from),
	};
	if (udp)
		to->datagrams = (struct client_datagrams){
			.present = true,
			.received = end->sender ? 0 : from->datagrams,
			.lost = from->lost,
			.reordered = from->reordered,
			.jitter_ns = from->jitter_ns,
		};
	else
		to->tcp = tcp_of(end, index);
}

static int show_cpus(const struct engine_run *end, struct client_snapshot *to,
		     struct units_error *err)
{
	uint64_t idle_ns[UNITS_CPU_MAX];
	struct units_cpus online;

	if (cpus_online(&online, err) ||
	    cpus_idle(idle_ns, UNITS_CPU_MAX, err))
		return -1;
	to->cpus = calloc(units_cpus_count(&online), sizeof(*to->cpus));
	if (!to->cpus)
		return units_refuse(err, "out of memory");
	UNITS_EACH_CPU(i, &online) {
		struct client_cpu *cpu = &to->cpus[to->cpu_count++];

		*cpu = (struct client_cpu){
			.id = i,
			.time_ns = user_clock_now(),
			.cycles = user_clock_cycles(),
			.idle_ns = idle_ns[i],
			.idle_known = idle_ns[i] != CPUS_IDLE_UNKNOWN,
			.delay_known = end->alone && end->times.known,
		};
		if (end->alone && i == end->cpu) {
			cpu->thread_ns = end->times.run_ns;
			cpu->delay_ns = end->times.delay_ns;
		}
		for (size_t j = 0; i == end->cpu && j < to->stream_count; j++) {
			cpu->counters.bytes += to->streams[j].counters.bytes;
			cpu->counters.messages +=
				to->streams[j].counters.messages;
		}
	}
	return 0;
}

/* Before the end only the CPUs are known. */
static int snapshot(struct session_end *at, uint32_t parts,
		    struct client_snapshot *to, struct units_error *err)
{
	const struct engine_run *end = at->engine;

	(void)parts;
	*to = (struct client_snapshot){ .run = end->run };
	to->streams = calloc(end->result.streams + 1, sizeof(*to->streams));
	if (!to->streams)
		return units_refuse(err, "out of memory");
	to->stream_count = end->result.streams;
	for (size_t i = 0; i < to->stream_count; i++)
		show_stream(end, i, &to->streams[i]);
	to->run.now_ns = user_clock_now();
	if (!show_cpus(end, to, err))
		return 0;
	client_snapshot_free(to);
	return -1;
}

static void take_over(struct session_end *end)
{
	end->run = end->engine->run;
	end->config = end->engine->config;
}

static int start(struct session_end *end, const struct session_end *peer,
		 bool detail, struct units_error *err)
{
	const bool source = end->config.number[KTPUT_A_CONFIG_ROLE] ==
			    KTPUT_ROLE_SOURCE;

	(void)detail;
	end->engine = calloc(1, sizeof(*end->engine));
	if (!end->engine)
		return units_refuse(err, "out of memory");
	if (begin(end->engine, end->netns, &end->config,
		  source ? peer->engine : NULL, err) ||
	    look(end->engine, err))
		return -1;
	take_over(end);
	return 0;
}

static void watch(struct session_end *end)
{
	struct engine_run *run = end->engine;

	if (!run || !run->child.pid)
		return;
	child_times_look(&run->times, run->child.pid);
	child_sockets_look(&run->sockets, run->child.pid);
}

static int refresh(struct session_end *end, struct units_error *err)
{
	if (look(end->engine, err))
		return -1;
	take_over(end);
	return 0;
}

/*
 * A client is stopped by a signal. A server ends with its client; after a timeout
 * it is stopped too.
 */
static int stop(struct session_end *end, struct units_error *err)
{
	struct engine_run *run = end->engine;

	(void)err;
	if (!run->child.pid || run->stopping)
		return 0;
	run->stopping = run->sender;
	run->patience_ns = user_clock_now() + PATIENCE_NS;
	if (run->sender)
		child_signal(&run->child, SIGINT);
	return 0;
}

/* Readable when a look is due. */
static int fd(const struct session_end *end)
{
	const struct engine_run *run = end->engine;

	return has_ended(run) && is_to_be_told(run) ? -1 : run->child.fd;
}

static void close_engine(struct session_end *end, bool delete_run)
{
	struct engine_run *run = end->engine;

	(void)delete_run;
	if (!run)
		return;
	child_close(&run->child);
	child_sockets_end(&run->sockets);
	if (run->output >= 0)
		close(run->output);
	free(run->result.stream);
	free(run->result.interval);
	free(run);
	end->engine = NULL;
}

static void describe(const struct session_end *end, struct output *out)
{
	output_text(out, "%s", end->engine->engine->name);
}

const struct backend backend_engine = {
	.start = start,
	.watch = watch,
	.snapshot = snapshot,
	.refresh = refresh,
	.stop = stop,
	.fd = fd,
	.close = close_engine,
	.clock = backend_user_clock,
	.describe = describe,
	.record = backend_user_record,
};
