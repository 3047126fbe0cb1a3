// SPDX-License-Identifier: GPL-2.0
/* monitor_metrics: write the counters of runs for a collector of metrics. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analysis/arrivals.h"
#include "../analysis/measure.h"
#include "../module/counters_help.h"
#include "../module/names.h"
#include "commands.h"

#define NAME(counter)	#counter

static const char *const counter_names[] = {
	KTPUT_COUNTERS_EACH(NAME)
};

static const char *const counter_help[] = { COUNTERS_HELP };

static uint64_t streams_of(const struct client_snapshot *run)
{
	return run->run.streams;
}

static uint64_t retransmitted(const struct client_snapshot *run)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < run->stream_count; i++)
		sum += run->streams[i].tcp.retransmissions;
	return sum;
}

static uint64_t received(const struct client_snapshot *run)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < run->stream_count; i++)
		sum += run->streams[i].datagrams.received;
	return sum;
}

static uint64_t socket_drops(const struct client_snapshot *run)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < run->stream_count; i++)
		sum += run->streams[i].datagrams.drops;
	return sum;
}

/* What is not a counter of the module's table. */
static const struct figure {
	const char *name, *type, *help;
	uint64_t (*of)(const struct client_snapshot *run);
} figures[] = {
	{ "ktput_run_streams", "gauge", "Streams of the run.", streams_of },
	{ "ktput_run_tcp_retransmissions_total", "counter",
	  "Segments that TCP sent again.", retransmitted },
	{ "ktput_run_datagrams_received_total", "counter",
	  "Datagrams that a sink received.", received },
	/* One that arrives late is lost no more. */
	{ "ktput_run_datagrams_lost", "gauge",
	  "Datagrams that a sink has missed so far.", arrivals_passed_over },
	{ "ktput_run_socket_drops_total", "counter",
	  "Datagrams that the sockets of a sink dropped.", socket_drops },
};

/**
 * metrics_begin() - start a set of metrics
 * @metrics: becomes empty
 * @netns: network namespace of its runs, or NULL for this one
 */
void metrics_begin(struct metrics *metrics, const char *netns)
{
	metrics->netns = netns;
	metrics->count = 0;
}

/**
 * metrics_add() - add a run
 * @metrics: the set
 * @config: its configuration, which has to outlive the set
 * @snapshot: its counters, likewise; a run beyond KTPUT_MAX_RUNS is left out
 */
void metrics_add(struct metrics *metrics, const struct config *config,
		 const struct client_snapshot *snapshot)
{
	if (metrics->count < COUNT(metrics->runs))
		metrics->runs[metrics->count++] = (struct metrics_run) {
			.config = config, .snapshot = snapshot,
		};
}

static void write_head(FILE *to, const char *name, const char *type,
		       const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Text that a user has given: quoted as the format has it. */
static void write_label(FILE *to, const char *name, const char *text)
{
	fprintf(to, ",%s=\"", name);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", to);
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

/* The peer of a sink are many, or none yet: it has no label. */
static void write_value(FILE *to, const char *name, const char *netns,
			const struct metrics_run *of, uint64_t value)
{
	const struct client_run *run = &of->snapshot->run;
	const struct config *config = of->config;

	fprintf(to, "%s{run=\"%" PRIu32 "\",role=\"%s\",transport=\"%s\",layer=\"%s\"",
		name, run->id, names_role(run->role),
		names_transport(config->number[KTPUT_A_CONFIG_TRANSPORT]),
		names_layer(config->number[KTPUT_A_CONFIG_LAYER]));
	if (run->role == KTPUT_ROLE_SOURCE)
		write_label(to, "peer", address_show(&config->remote).text);
	if (netns)
		write_label(to, "netns", netns);
	fprintf(to, "} %" PRIu64 "\n", value);
}

static void write_all(FILE *to, const struct metrics *metrics)
{
	const struct metrics_run *run, *end = metrics->runs + metrics->count;
	char name[64];

	_Static_assert(COUNT(counter_names) == COUNT(counter_help),
		       "a sentence on each counter");
	for (size_t i = 0; i < COUNT(counter_names); i++) {
		snprintf(name, sizeof(name), "ktput_run_%s_total",
			 counter_names[i]);
		write_head(to, name, "counter", counter_help[i]);
		for (run = metrics->runs; run < end; run++)
			write_value(to, name, metrics->netns, run,
				    measure_total(run->snapshot).each[i]);
	}
	for (size_t i = 0; i < COUNT(figures); i++) {
		write_head(to, figures[i].name, figures[i].type,
			   figures[i].help);
		for (run = metrics->runs; run < end; run++)
			write_value(to, figures[i].name, metrics->netns, run,
				    figures[i].of(run->snapshot));
	}
}

/**
 * metrics_replace() - write a set in place of a file
 * @metrics: the set
 * @file: file; a reader finds the former one or this one, never a part
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1.
 */
int metrics_replace(const struct metrics *metrics, const char *file,
		    struct units_error *err)
{
	char path[4096];
	FILE *to = NULL;
	int fd;

	/* The collector reads names that end in .prom alone. */
	if ((size_t)snprintf(path, sizeof(path), "%s.XXXXXX", file) >=
	    sizeof(path))
		return units_refuse(err,
				    "'%s' is too long for the name of a file",
				    file);
	fd = mkstemp(path);
	if (fd >= 0)
		to = fdopen(fd, "w");
	if (!to) {
		units_refuse(err, "%s: %s", file, strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(path);
		}
		return -1;
	}
	write_all(to, metrics);
	/* Others read it; mkstemp() makes files for their owner alone. */
	if (fflush(to) || ferror(to) ||
	    fchmod(fd, 0644)) {
		units_refuse(err, "%s: %s", file, strerror(errno));
		fclose(to);
		unlink(path);
		return -1;
	}
	if (fclose(to) || rename(path, file)) {
		units_refuse(err, "%s: %s", file, strerror(errno));
		unlink(path);
		return -1;
	}
	return 0;
}
