// SPDX-License-Identifier: GPL-2.0
/* monitor_metrics: what a collector reads of runs, and alerts and panels on it. */
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/cmd/commands.h"
#include "files.h"
#include "test.h"

static char text[65536];

static const char *slurp(const char *path)
{
	FILE *from = fopen(path, "r");
	size_t length = from ? fread(text, 1, sizeof(text) - 1, from) : 0;

	text[length] = '\0';
	if (from)
		fclose(from);
	return text;
}

static const struct config udp = {
	.number[KTPUT_A_CONFIG_TRANSPORT] = KTPUT_TRANSPORT_UDP,
	.number[KTPUT_A_CONFIG_LAYER] = KTPUT_LAYER_QUEUE,
	.remote.ipv4 = { .sin_family = AF_INET, .sin_addr.s_addr = 0x0200000a },
};

static struct client_cpu cpus[] = {
	{ .counters.bytes = 3000 }, { .counters.bytes = 1 },
};

static struct client_stream streams[] = {
	{ .tcp.retransmissions = 4, .datagrams = { .received = 7, .drops = 2 } },
	{ .tcp.retransmissions = 1, .datagrams = { .received = 1 } },
};

static const struct client_snapshot source = {
	.run = { .id = 3, .role = KTPUT_ROLE_SOURCE, .streams = 2 },
	.cpus = cpus, .cpu_count = TEST_COUNT(cpus),
	.streams = streams, .stream_count = TEST_COUNT(streams),
};

static const struct client_snapshot sink = {
	.run = { .id = 4, .role = KTPUT_ROLE_SINK, .streams = 1 },
	.cpus = cpus, .cpu_count = 1,
};

/* What is written of both runs in a network namespace. */
static const char *written(const char *netns)
{
	static const struct config tcp;
	struct metrics metrics;
	struct units_error err;
	char path[128];

	files_begin();
	metrics_begin(&metrics, netns);
	metrics_add(&metrics, &udp, &source);
	metrics_add(&metrics, &tcp, &sink);
	snprintf(path, sizeof(path), "%s/k.prom", files_root);
	if (metrics_replace(&metrics, path, &err))
		TEST_FAIL("%s", err.text);
	slurp(path);
	files_end();
	return text;
}

static void labels(void)
{
	const char *all = written(NULL);

	TEST_CONTAINS("a source", all, "\nktput_run_bytes_total{run=\"3\",role=\"source\","
		      "transport=\"udp\",layer=\"queue\",peer=\"10.0.0.2\"} 3001\n");
	TEST_CONTAINS("a sink has no peer", all, "\nktput_run_bytes_total{run=\"4\","
		      "role=\"sink\",transport=\"tcp\",layer=\"socket\"} 3000\n");
	TEST_CONTAINS("of all streams", all, "ktput_run_tcp_retransmissions_total{run=\"3\","
		      "role=\"source\",transport=\"udp\",layer=\"queue\",peer=\"10.0.0.2\"} 5\n");
	TEST_CONTAINS("a name that wants to be quoted", written("a\"b\\c\nd"),
		      "layer=\"socket\",netns=\"a\\\"b\\\\c\\nd\"} 3000\n");
}

/* Each metric has one heading, and one value for each run behind it. */
static void headings(void)
{
	char name[64], value[64], kind[16];
	unsigned int values = 2, heads = 0;

	written(NULL);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "# HELP %63s", name) == 1) {
			TEST_U64(name, values, 2);
			values = 0;
			heads++;
		} else if (sscanf(line, "# TYPE %63s %15s", value, kind) == 2) {
			TEST_STRING("type", value, name);
			TEST_U64(name, !strcmp(kind, "counter"),
				 !strcmp(name + strlen(name) - strlen("_total"), "_total"));
		} else if (sscanf(line, "%63[^{]", value) == 1) {
			TEST_STRING("value", value, name);
			values++;
		}
	}
	TEST_U64("of the last", values, 2);
	TEST_TRUE("metrics", heads > 10);
}

/* The metrics of runs that a file names are there. Those of a mesh are of the laboratory. */
static void names_of(const char *folder, const char *file)
{
	char path[256], *rules, *at;
	unsigned int named = 0;

	snprintf(path, sizeof(path), "%s/../../tools/prometheus/%s", folder, file);
	rules = strdup(slurp(path));
	written(NULL);
	for (at = rules; (at = strstr(at, "ktput_run_")); named++) {
		char line[80] = "\n";
		size_t length = 1;

		while (length < sizeof(line) - 2 && (islower(*at) || *at == '_'))
			line[length++] = *at++;
		line[length++] = '{';
		line[length] = '\0';
		TEST_CONTAINS(file, text, line);
	}
	TEST_TRUE(file, named > 4);
	free(rules);
}

static void alerts(void)
{
	const char *folder = getenv("KTPUT_MANUAL");

	if (!folder) {
		test_skip("KTPUT_MANUAL names no folder of manuals");
		return;
	}
	names_of(folder, "ktput.rules.yml");
	names_of(folder, "ktput.dashboard.json");
}

static const struct test_case cases[] = {
	{ "labels of runs", labels },
	{ "headings and values", headings },
	{ "alerts and panels are on metrics that there are", alerts },
};

TEST_MAIN(cases)
