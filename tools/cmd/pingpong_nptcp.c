// SPDX-License-Identifier: GPL-2.0
/*
 * pingpong_nptcp: measure round trips with NetPIPE's NPtcp.
 *
 * NPtcp runs anew for each size, as two processes with the same options, on the CPUs
 * and in the namespaces of the two ends. It makes seven trials, and writes half of
 * the mean round trip of the fastest trial to a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/interrupt.h"
#include "../engines/child.h"
#include "../host/netns.h"
#include "pingpong_sweep.h"

#define PROGRAM		"NPtcp"
#define PACKAGE		"netpipe-tcp"
#define DEFAULT_PORT	5002

/* Number and period of the polls for the receiver to listen. */
#define LISTEN_LOOKS	1000
#define LISTEN_LOOK_MS	10

#define WORD_MAX	64

/**
 * struct command_line - a command line of NPtcp
 * @words: terminated by NULL
 * @text: storage of the words
 */
struct command_line {
	char *words[16];
	char text[16][WORD_MAX];
};

/* Output files of the processes. */
struct scratch {
	char directory[WORD_MAX];
	char result[WORD_MAX];
	char ignored[WORD_MAX];
};

static void add_word(struct command_line *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_word(struct command_line *command, const char *format, ...)
{
	size_t i = 0;
	va_list list;

	while (command->words[i])
		i++;
	va_start(list, format);
	vsnprintf(command->text[i], WORD_MAX, format, list);
	va_end(list);
	command->words[i] = command->text[i];
}

static uint16_t port_of(const struct start_plan *plan)
{
	return RUN_GIVEN(plan->context, port) ?
	       plan->options->port : DEFAULT_PORT;
}

/* Both ends need the same options, except for the host and the file. */
static void make_command(struct command_line *command, const char *host,
			 const char *file, const struct start_plan *plan,
			 uint64_t bytes)
{
	/* Round trips of each trial. */
	const struct config *config = &plan->session.source.config;
	const uint64_t trips = config->number[KTPUT_A_CONFIG_MESSAGES];

	*command = (struct command_line) { 0 };
	add_word(command, PROGRAM);
	if (host)
		add_word(command, "-h%s", host);
	add_word(command, "-P%" PRIu16, port_of(plan));
	add_word(command, "-l%" PRIu64, bytes);
	add_word(command, "-u%" PRIu64, bytes);
	add_word(command, "-p0");
	add_word(command, "-n%" PRIu64, trips);
	if (config_has(config, KTPUT_A_CONFIG_SNDBUF))
		add_word(command, "-b%" PRIu64,
			 config->number[KTPUT_A_CONFIG_SNDBUF]);
	add_word(command, "-o%s", file);
}

static void allow_cpus(const struct units_cpus *cpus)
{
	cpu_set_t *set = CPU_ALLOC(UNITS_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(UNITS_CPU_MAX);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	UNITS_EACH_CPU(i, cpus)
		CPU_SET_S(i, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
}

/* A child inherits its parent's namespace and CPUs. */
static int start(struct child *child, const struct session_end *end,
		 const struct command_line *command, struct units_error *err)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const int outputs[] = { nowhere, nowhere };
	struct units_cpus cpus = { .all = true };
	struct netns_visit visit;
	struct units_error why;
	cpu_set_t before;
	int ret;

	if (config_has(&end->config, KTPUT_A_CONFIG_CPUS) &&
	    units_parse_cpus(end->config.cpus, &cpus, err))
		return -1;
	if (netns_enter(&visit, end->netns, err))
		return -1;
	sched_getaffinity(0, sizeof(before), &before);
	if (!cpus.all)
		allow_cpus(&cpus);
	ret = child_start(child, command->words, outputs, &why);
	sched_setaffinity(0, sizeof(before), &before);
	netns_leave(&visit);
	if (nowhere >= 0)
		close(nowhere);
	if (!ret)
		return 0;
	units_refuse(err, "%s; Debian has it in " PACKAGE ": apt-get install "
		     PACKAGE, why.text);
	return -1;
}

/* Whether a process' namespace has a TCP socket that listens on a port. */
static bool listens(pid_t pid, uint16_t port)
{
	unsigned int local, state;
	char name[WORD_MAX];
	char line[256];
	bool found = false;
	FILE *table;

	snprintf(name, sizeof(name), "/proc/%d/net/tcp", pid);
	table = fopen(name, "re");
	while (table && !found && fgets(line, sizeof(line), table))
		found = sscanf(line, "%*d: %*x:%x %*x:%*x %x", &local,
			       &state) == 2 && local == port && state == 0x0a;
	if (table)
		fclose(table);
	return found;
}

/* True once the child has ended, false after a timeout or a signal. */
static bool ends_within(const struct child *child, int ms)
{
	struct pollfd fds[] = {
		{ .fd = child->fd, .events = POLLIN },
		{ .fd = interrupt_catch(), .events = POLLIN },
	};

	return poll(fds, 2, ms) > 0 && fds[0].revents;
}

static int await_listener(struct child *receiver, uint16_t port,
			  struct units_error *err)
{
	for (int i = 0; i < LISTEN_LOOKS && !interrupt_count(); i++) {
		if (listens(receiver->pid, port))
			return 0;
		if (ends_within(receiver, LISTEN_LOOK_MS))
			break;
	}
	units_refuse(err, PROGRAM " does not listen on port %" PRIu16
		     ": choose another with 'port'", port);
	return -1;
}

static int await_end(struct child *sender, struct units_error *err)
{
	int status;

	while (!ends_within(sender, -1))
		if (interrupt_count())
			return 0;
	status = child_wait(sender);
	if (!status)
		return 0;
	units_refuse(err, PROGRAM " ended with status %d", status);
	return -1;
}

/* A line has bytes, Mbit/s of 2^20, and half a round trip in seconds. */
static int parse(const char *text, struct pingpong_point *point)
{
	double bytes, mbps, seconds;

	for (; text; text = strchr(text, '\n')) {
		text += strspn(text, "\n");
		if (sscanf(text, "%lf %lf %lf", &bytes, &mbps, &seconds) != 3 ||
		    bytes != point->bytes || !(seconds > 0))
			continue;
		point->min_ns = 0;
		point->p50_ns = 0;
		point->mean_ns = 2 * seconds * UNITS_NSEC_PER_SEC;
		point->throughput_bps = bytes * 8 / seconds;
		return 0;
	}
	return -1;
}

static int read_result(const char *file, struct pingpong_point *point,
		       struct units_error *err)
{
	char text[1024] = "";
	FILE *from = fopen(file, "re");

	if (from) {
		text[fread(text, 1, sizeof(text) - 1, from)] = '\0';
		fclose(from);
	}
	if (from && !parse(text, point))
		return 0;
	units_refuse(err, PROGRAM " has written no result for %" PRIu64
		     " bytes", point->bytes);
	return -1;
}

static int run(const struct start_plan *plan, const struct scratch *scratch,
	       struct pingpong_point *point, struct units_error *err)
{
	const struct session *session = &plan->session;
	struct child sender = { .fd = -1 }, receiver = { .fd = -1 };
	struct command_line command;
	int ret;

	make_command(&command, NULL, scratch->ignored, plan, point->bytes);
	ret = start(&receiver, &session->sink, &command, err);
	if (!ret)
		ret = await_listener(&receiver, port_of(plan), err);
	if (!ret) {
		make_command(&command, address_show(&plan->to).text,
			     scratch->result, plan, point->bytes);
		ret = start(&sender, &session->source, &command, err);
	}
	if (!ret)
		ret = await_end(&sender, err);
	if (!ret && !interrupt_count())
		ret = read_result(scratch->result, point, err);
	child_close(&sender);
	child_close(&receiver);
	return ret;
}

/**
 * pingpong_nptcp_measure() - measure a size with NPtcp
 * @plan: the ends, none of them started
 * @point: the size; the rest is filled in
 * @interrupted: set if the user ended it without a result
 * @err: why there is no result
 */
int pingpong_nptcp_measure(const struct start_plan *plan,
			   struct pingpong_point *point, bool *interrupted,
			   struct units_error *err)
{
	struct scratch scratch = { .directory = "/tmp/ktput-XXXXXX" };
	int ret;

	interrupt_catch();
	if (!plan->session.sink.present) {
		units_refuse(err,
			     "engine nptcp: %s is not on this host, where both ends are started: give 'sink-netns', or an address of this host",
			     address_show(&plan->to).text);
		return -1;
	}
	if (address_family(&plan->to) != AF_INET) {
		units_refuse(err, "engine nptcp: it knows IPv4 only");
		return -1;
	}
	if (!mkdtemp(scratch.directory)) {
		units_refuse(err, "%s: %s", scratch.directory, strerror(errno));
		return -1;
	}
	snprintf(scratch.result, WORD_MAX, "%s/result", scratch.directory);
	snprintf(scratch.ignored, WORD_MAX, "%s/ignored", scratch.directory);
	ret = run(plan, &scratch, point, err);
	unlink(scratch.result);
	unlink(scratch.ignored);
	rmdir(scratch.directory);
	*interrupted = interrupt_count();
	return *interrupted ? 0 : ret;
}
