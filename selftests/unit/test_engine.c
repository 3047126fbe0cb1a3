// SPDX-License-Identifier: GPL-2.0
/*
 * engine_run: runs of other programs, which this program plays: what they print is what
 * their snapshots have, each figure in its place.
 */
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../tools/engines/end.h"
#include "../../tools/engines/user/clock.h"
#include "../../tools/host/cpus.h"
#include "test.h"

#define SIZE	100
/* What the connections of a client send, of which one alone is a stream's most. */
#define MOST	30000
#define LEAST	300

/* A stream that a program prints, and both ends have; each figure is another. */
static const struct engine_stream printed[2][3] = {
	{ { .bytes = 1000, .seconds = 0.25, .retransmissions = 3, .rtt_us = 50,
	    .rtt_min_us = 40, .window_bytes = 65001 },
	  { .bytes = 9000, .seconds = 0.5, .retransmissions = 4, .rtt_us = 0,
	    .rtt_min_us = 41, .window_bytes = 65002 },
	  { .bytes = 500, .seconds = 0.125, .retransmissions = 5, .rtt_us = 52,
	    .rtt_min_us = 42, .window_bytes = 65003 } },
	{ { .bytes = 900, .seconds = 0.75 }, { .bytes = 8900, .seconds = 0.5 },
	  { .bytes = 400, .seconds = 0.25 } },
};

/* Likewise of datagrams, of which a receiver tells those that were sent. */
static const struct engine_stream datagrams[2] = {
	{ .datagrams = 70, .seconds = 0.25 },
	{ .datagrams = 60, .seconds = 0.5, .lost = 10, .reordered = 4, .jitter_ns = 7000 },
};

#define STREAMS	TEST_COUNT(printed[0])

/* Between the programs and the test: a program has come so far; it may go on. */
static int ready[2], go[2];

static bool was_interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
}

/* Wait until there is something to read, or for an interrupt, which comes only here. */
static bool is_readable(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	was_interrupted = ppoll(&readable, 1, NULL, &none) != 1;
	return !was_interrupted;
}

static void print_streams(bool sender)
{
	for (size_t i = 0; i < STREAMS; i++) {
		const struct engine_stream *of = &printed[!sender][i];

		printf("%s{\"%s\":{\"bytes\":%llu,\"seconds\":%g,\"retransmits\":%u,"
		       "\"mean_rtt\":%u,\"min_rtt\":%u,\"max_snd_wnd\":%u}}",
		       i ? "," : "", sender ? "sender" : "receiver",
		       (unsigned long long)of->bytes, of->seconds, of->retransmissions,
		       of->rtt_us, of->rtt_min_us, of->window_bytes);
	}
}

static void print_datagrams(bool sender)
{
	const struct engine_stream *of = &datagrams[!sender];

	printf("{\"udp\":{\"packets\":%llu,\"seconds\":%g,\"lost_packets\":%llu,"
	       "\"out_of_order\":%llu,\"jitter_ms\":%g}}",
	       (unsigned long long)(of->datagrams + of->lost), of->seconds,
	       (unsigned long long)of->lost, (unsigned long long)of->reordered,
	       of->jitter_ns / 1e6);
}

static void print_iperf(bool sender, bool udp)
{
	printf("{%s\"start\":{\"version\":\"iperf 3.12\",\"test_start\":{\"blksize\":%d}},"
	       "\"end\":{\"streams\":[", was_interrupted ? "\"error\":\"interrupted\"," : "",
	       SIZE);
	if (udp)
		print_datagrams(sender);
	else
		print_streams(sender);
	printf("]}}\n");
}

static void print_nuttcp(void)
{
	printf("nuttcp-t: v6.1.2: socket\nnuttcp-t: buflen=131072\n"
	       "nuttcp-t: megabytes=1.5000 rate_Mbps=8.0\n"
	       "nuttcp-r: v6.1.2: socket\nnuttcp-r: buflen=131072\n"
	       "nuttcp-r: megabytes=1.2500 rate_Mbps=4.0\n");
}

/* The word after another, or NULL. */
static const char *after(char *const *words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return words[1] ? words[1] : "";
	return NULL;
}

/* Listen until a client has come and gone. */
static void serve(uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	char buffer[4096];
	int from;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) || listen(fd, 8))
		exit(2);
	if (!is_readable(fd))
		return;
	from = accept(fd, NULL, NULL);
	while (is_readable(from) && read(from, buffer, sizeof(buffer)) > 0)
		;
}

static int connection(uint16_t port, size_t bytes)
{
	static char buffer[MOST];
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) ||
	    write(fd, buffer, bytes) != (ssize_t)bytes)
		exit(3);
	return fd;
}

/* Two connections, until the test lets it go on. */
static void call(uint16_t port)
{
	const int one = connection(port, LEAST), other = connection(port, MOST);
	char byte;

	if (write(ready[1], "", 1) != 1 || (is_readable(go[0]) && read(go[0], &byte, 1) != 1))
		exit(4);
	close(one);
	close(other);
}

/* This program is iperf3, or nuttcp. */
static int play(const char *name, char *const *words)
{
	const struct sigaction action = { .sa_handler = on_interrupt };
	const bool iperf = !strcmp(name, "iperf3");
	const bool sender = after(words, iperf ? "-c" : "-t");
	const char *port = after(words, iperf ? "-p" : "-P");
	sigset_t interrupts;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupts, NULL);
	if (sscanf(getenv("KTPUT_TEST_PIPES"), "%d %d", &ready[1], &go[0]) != 2)
		return 1;
	sigaction(SIGINT, &action, NULL);
	if (sender)
		call(atoi(port));
	else
		serve(atoi(port));
	if (iperf)
		print_iperf(sender, getenv("KTPUT_TEST_UDP"));
	else if (sender)
		print_nuttcp();
	return 0;
}

/* What a test has, from the start of both ends on. */
struct both {
	struct session_end source, sink;
	uint64_t before_ns, cpu;
	bool udp;
};

static void start_both(struct both *of, enum config_engine engine, bool bytes, bool udp)
{
	struct session_end *ends[] = { &of->sink, &of->source };
	struct units_error err = { "" };
	struct units_cpus cpus;
	char text[40], list[16];

	memset(of, 0, sizeof(*of));
	of->udp = udp;
	TEST_U64("pipes", pipe(ready) || pipe(go), 0);
	snprintf(text, sizeof(text), "%d %d", ready[1], go[0]);
	setenv("KTPUT_TEST_PIPES", text, 1);
	if (udp)
		setenv("KTPUT_TEST_UDP", "1", 1);
	else
		unsetenv("KTPUT_TEST_UDP");
	TEST_U64("CPUs", cpus_online(&cpus, &err), 0);
	/* The last, so that it is not the first of a table. */
	UNITS_EACH_CPU(i, &cpus)
		of->cpu = i;
	snprintf(list, sizeof(list), "%u", (unsigned int)of->cpu);
	of->before_ns = user_clock_now();
	for (int i = 0; i < 2; i++) {
		struct config *config = &ends[i]->config;

		config->engine = engine;
		config_set_string(config, KTPUT_A_CONFIG_CPUS, list);
		config_set(config, KTPUT_A_CONFIG_ROLE,
			   i ? KTPUT_ROLE_SOURCE : KTPUT_ROLE_SINK);
		config_set(config, KTPUT_A_CONFIG_TRANSPORT,
			   udp ? KTPUT_TRANSPORT_UDP : KTPUT_TRANSPORT_TCP);
		config_set(config, KTPUT_A_CONFIG_LAYER, KTPUT_LAYER_USER);
		config_set(config, KTPUT_A_CONFIG_STREAMS, STREAMS);
		config_set(config, KTPUT_A_CONFIG_SIZE, SIZE);
		ends[i]->present = true;
		ends[i]->backend = backend_of(config);
		TEST_TRUE("backend", ends[i]->backend == &backend_engine);
		if (i) {
			config_set(config, bytes ? KTPUT_A_CONFIG_BYTES :
						   KTPUT_A_CONFIG_TIME, 1000000000);
			config_set(config, KTPUT_A_CONFIG_REMOTE_PORT,
				   of->sink.run.local_port);
			address_parse("127.0.0.1", AF_UNSPEC, &config->remote, &err);
		}
		TEST_U64("start", ends[i]->backend->start(ends[i], ends[!i], false, &err), 0);
		TEST_STRING("start", err.text, "");
	}
}

/* The client has connected, and sent. */
static void await_client(void)
{
	char byte;

	TEST_U64("ready", read(ready[0], &byte, 1), 1);
}

static void let_go(void)
{
	TEST_U64("go", write(go[1], "", 1), 1);
}

/* Wait for the end of the program, as a session does. */
static void await_end(struct session_end *end)
{
	struct pollfd fd = { .fd = end->backend->fd(end), .events = POLLIN };
	struct units_error err = { "" };

	TEST_TRUE("it ends", poll(&fd, 1, 60000) == 1);
	TEST_U64("refresh", end->backend->refresh(end, &err), 0);
	TEST_STRING("refresh", err.text, "");
}

static void close_both(struct both *of)
{
	of->source.backend->close(&of->source, true);
	of->sink.backend->close(&of->sink, true);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
}

static void check_run(const struct both *of, const struct session_end *end,
		      enum ktput_state state, enum ktput_reason reason)
{
	const struct client_run *run = &end->run;

	TEST_U64("role", run->role, end->config.number[KTPUT_A_CONFIG_ROLE]);
	TEST_U64("state", run->state, state);
	TEST_U64("reason", run->reason, reason);
	TEST_TRUE("begun", of->before_ns < run->begun_ns && run->begun_ns <= run->now_ns);
	if (state != KTPUT_STATE_ENDED) {
		TEST_U64("not ended", run->ended_ns, 0);
		return;
	}
	TEST_TRUE("ended", run->begun_ns <= run->ended_ns);
	TEST_TRUE("ended", run->now_ns <= run->ended_ns);
	TEST_TRUE("ended", run->ended_ns <= user_clock_now());
}

/* Of the CPUs, that which the program was put on alone has its counters and times. */
static void check_cpus(const struct both *of, const struct session_end *end,
		       const struct client_snapshot *snapshot)
{
	uint64_t bytes = 0, messages = 0;
	struct units_cpus online;
	struct units_error err;
	size_t count = 0;

	for (size_t i = 0; i < snapshot->stream_count; i++) {
		bytes += snapshot->streams[i].counters.bytes;
		messages += snapshot->streams[i].counters.messages;
	}
	cpus_online(&online, &err);
	UNITS_EACH_CPU(i, &online) {
		const struct client_cpu *cpu = &snapshot->cpus[count++];
		const bool own = i == of->cpu;

		TEST_U64("CPU", cpu->id, i);
		TEST_U64("bytes", cpu->counters.bytes, own ? bytes : 0);
		TEST_U64("messages", cpu->counters.messages, own ? messages : 0);
		TEST_U64("CPU time", cpu->thread_ns, own ? end->engine->times.run_ns : 0);
		TEST_U64("run delay", cpu->delay_ns, own ? end->engine->times.delay_ns : 0);
		TEST_TRUE("time", cpu->time_ns >= end->run.begun_ns);
		TEST_TRUE("time", cpu->time_ns <= user_clock_now());
		TEST_TRUE("idle", !cpu->idle_known || cpu->idle_ns != UINT64_MAX);
	}
	TEST_U64("CPUs", snapshot->cpu_count, count);
}

/* TCP's figures are those of the socket of the same rank, but for some that are printed. */
static void check_tcp(const struct session_end *end, size_t index,
		      const struct tcpinfo *tcp)
{
	static const size_t rank[STREAMS] = { 1, 0, 2 };
	const struct engine_stream *of = &printed[end->run.role == KTPUT_ROLE_SINK][index];
	const bool seen = rank[index] < end->engine->sockets.count;

	TEST_U64("retransmissions", tcp->retransmissions, of->retransmissions);
	if (of->rtt_us)
		TEST_U64("round trip", tcp->rtt_us, of->rtt_us);
	/* TCP counts what is sent again, too. */
	TEST_U64("the most", tcp->bytes_sent >= MOST, seen && !rank[index]);
	TEST_U64("a part", tcp->bytes_sent >= LEAST, seen);
	if (!seen) {
		TEST_U64("round trip", tcp->rtt_us, of->rtt_us);
		TEST_U64("least round trip", tcp->rtt_min_us, of->rtt_min_us);
		TEST_U64("window", tcp->send_window_bytes, of->window_bytes);
	}
}

static void check_streams(const struct both *of, struct session_end *end)
{
	const bool sink = end == &of->sink;
	const struct engine_run *run = end->engine;
	const double hz = (double)(run->end_cycles - run->begin_cycles) * 1e9 /
			  (run->end_ns - run->begin_ns);
	const size_t count = of->udp ? 1 : STREAMS;
	struct client_snapshot snapshot;
	struct units_error err;

	TEST_U64("snapshot", end->backend->snapshot(end, 0, &snapshot, &err), 0);
	TEST_U64("streams", snapshot.stream_count, count);
	TEST_U64("streams", snapshot.run.streams, count);
	for (size_t i = 0; i < snapshot.stream_count; i++) {
		const struct engine_stream *told = of->udp ? &datagrams[sink] :
							     &printed[sink][i];
		const struct client_stream *stream = &snapshot.streams[i];
		const uint64_t bytes = of->udp ? told->datagrams * SIZE : told->bytes;
		const double cycles = stream->last_cycles - stream->first_cycles;

		TEST_U64("number", stream->id, i);
		TEST_U64("CPU", stream->cpu, of->cpu);
		TEST_U64("state", stream->state, KTPUT_STATE_ENDED);
		TEST_U64("last", stream->last_cycles, run->end_cycles);
		TEST_TRUE("seconds", fabs(cycles / hz / told->seconds - 1) < 1e-6);
		TEST_U64("bytes", stream->counters.bytes, bytes);
		TEST_U64("messages", stream->counters.messages,
			 of->udp ? told->datagrams : sink ? 0 : bytes / SIZE);
		TEST_U64("datagrams", stream->datagrams.present, of->udp);
		TEST_U64("received", stream->datagrams.received, sink ? told->datagrams : 0);
		TEST_U64("lost", stream->datagrams.lost, told->lost);
		TEST_U64("reordered", stream->datagrams.reordered, told->reordered);
		TEST_U64("jitter", stream->datagrams.jitter_ns, told->jitter_ns);
		TEST_U64("port", address_port(&stream->remote),
			 sink ? 0 : of->sink.run.local_port);
		if (!of->udp)
			check_tcp(end, i, &stream->tcp);
	}
	check_cpus(of, end, &snapshot);
	client_snapshot_free(&snapshot);
}

/* Both ends by themselves: a client that ends by time or bytes, and its server. */
static void iperf(void)
{
	static const struct { bool bytes, udp; enum ktput_reason reason; } rows[] = {
		{ false, false, KTPUT_REASON_TIME }, { true, false, KTPUT_REASON_BYTES },
		{ false, true, KTPUT_REASON_TIME },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct client_snapshot early;
		struct units_error err;
		struct both of;

		start_both(&of, CONFIG_ENGINE_IPERF3, rows[i].bytes, rows[i].udp);
		await_client();
		check_run(&of, &of.sink, KTPUT_STATE_RUNNING, KTPUT_REASON_NONE);
		check_run(&of, &of.source, KTPUT_STATE_RUNNING, KTPUT_REASON_NONE);
		TEST_TRUE("a port", of.sink.run.local_port);
		TEST_U64("streams", of.source.run.streams, STREAMS);
		of.source.backend->watch(&of.source);
		of.sink.backend->watch(&of.sink);
		/* Where the kernel does not tell of sockets, none is known. */
		TEST_TRUE("sockets", of.source.engine->sockets.count ==
				     (of.source.engine->sockets.looks && !rows[i].udp ? 2 : 0));
		TEST_U64("sockets of a server", of.sink.engine->sockets.count, 0);
		TEST_U64("early", of.source.backend->snapshot(&of.source, 0, &early, &err), 0);
		TEST_U64("no streams yet", early.stream_count, 0);
		check_cpus(&of, &of.source, &early);
		client_snapshot_free(&early);
		let_go();
		await_end(&of.source);
		await_end(&of.sink);
		check_run(&of, &of.source, KTPUT_STATE_ENDED, rows[i].reason);
		check_run(&of, &of.sink, KTPUT_STATE_ENDED, KTPUT_REASON_PEERS);
		check_streams(&of, &of.source);
		check_streams(&of, &of.sink);
		close_both(&of);
	}
}

/* A client is interrupted, once; its server ends with it, or when it was long enough. */
static void stopped(void)
{
	struct units_error err = { "" };
	struct both of;

	start_both(&of, CONFIG_ENGINE_IPERF3, false, false);
	await_client();
	TEST_U64("stop", of.source.backend->stop(&of.source, &err), 0);
	await_end(&of.source);
	check_run(&of, &of.source, KTPUT_STATE_ENDED, KTPUT_REASON_STOPPED);
	TEST_U64("streams", of.source.run.streams, STREAMS);
	await_end(&of.sink);
	check_run(&of, &of.sink, KTPUT_STATE_ENDED, KTPUT_REASON_PEERS);
	TEST_U64("stop what has ended", of.sink.backend->stop(&of.sink, &err), 0);
	close_both(&of);

	start_both(&of, CONFIG_ENGINE_IPERF3, false, false);
	await_client();
	TEST_U64("stop", of.sink.backend->stop(&of.sink, &err), 0);
	TEST_TRUE("it is waited for",
		  of.sink.engine->patience_ns > user_clock_now() + 5000000000);
	TEST_U64("refresh", of.sink.backend->refresh(&of.sink, &err), 0);
	check_run(&of, &of.sink, KTPUT_STATE_RUNNING, KTPUT_REASON_NONE);
	of.sink.engine->patience_ns = user_clock_now();
	TEST_U64("refresh", of.sink.backend->refresh(&of.sink, &err), 0);
	await_end(&of.sink);
	check_run(&of, &of.sink, KTPUT_STATE_ENDED, KTPUT_REASON_PEERS);
	let_go();
	await_end(&of.source);
	check_run(&of, &of.source, KTPUT_STATE_ENDED, KTPUT_REASON_TIME);
	close_both(&of);
}

/* A client that prints what its server has: that one has ended only when both have. */
static void nuttcp(void)
{
	static const uint64_t bytes[] = { 12 * 131072, 1310720 };
	struct units_error err = { "" };
	struct both of;

	start_both(&of, CONFIG_ENGINE_NUTTCP, false, false);
	await_client();
	TEST_TRUE("a port for each stream", of.sink.run.local_port + STREAMS <= UINT16_MAX);
	/* The server ends first. */
	child_signal(&of.sink.engine->child, SIGKILL);
	TEST_TRUE("ended", poll(&(struct pollfd){ of.sink.engine->child.fd, POLLIN, 0 }, 1,
				60000) == 1);
	TEST_TRUE("nothing to be waited for", of.sink.backend->fd(&of.sink) == -1);
	TEST_U64("refresh", of.sink.backend->refresh(&of.sink, &err), 0);
	check_run(&of, &of.sink, KTPUT_STATE_RUNNING, KTPUT_REASON_NONE);
	let_go();
	await_end(&of.source);
	await_end(&of.sink);
	for (int i = 0; i < 2; i++) {
		struct session_end *end = i ? &of.sink : &of.source;
		struct client_snapshot snapshot;

		TEST_U64("snapshot", end->backend->snapshot(end, 0, &snapshot, &err), 0);
		TEST_U64("all streams are one", snapshot.stream_count, 1);
		TEST_U64("bytes", snapshot.streams[0].counters.bytes, bytes[i]);
		client_snapshot_free(&snapshot);
	}
	close_both(&of);
}

static void absent(void)
{
	char *path = strdup(getenv("PATH"));
	struct units_error err = { "" };
	struct session_end end = {
		.config.engine = CONFIG_ENGINE_IPERF3, .backend = &backend_engine,
	};

	config_set(&end.config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	setenv("PATH", "/nowhere", 1);
	TEST_TRUE("refused", end.backend->start(&end, &end, false, &err));
	TEST_CONTAINS("why", err.text, "refused: iperf3 is not installed here");
	setenv("PATH", path, 1);
	end.backend->close(&end, true);
	free(path);
}

static const struct test_case cases[] = {
	{ "iperf3, as both ends print it", iperf },
	{ "what is stopped", stopped },
	{ "nuttcp, as its client prints it", nuttcp },
	{ "not installed", absent },
};

/* This program by the names of those that it plays, in a directory of its own. */
int main(int count, char **words)
{
	static const char *const names[] = { "iperf3", "nuttcp" };
	char directory[] = "/tmp/test_engine.XXXXXX", path[64];
	const char *name = strrchr(words[0], '/');
	int ret = 1;

	(void)count;
	name = name ? name + 1 : words[0];
	for (size_t i = 0; i < TEST_COUNT(names); i++)
		if (!strcmp(name, names[i]))
			return play(name, words);
	if (!mkdtemp(directory))
		return 1;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		char self[256] = "";

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
		    symlink(self, path))
			goto remove;
	}
	setenv("PATH", directory, 1);
	ret = test_run(cases, TEST_COUNT(cases));
remove:
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
	return ret;
}
