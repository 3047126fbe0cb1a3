// SPDX-License-Identifier: GPL-2.0
/* tcp_memory: detect a shortage of TCP memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "environment.h"
#include "netns.h"
#include "protocols.h"
#include "tcp_memory.h"

/* Of the calling thread; /proc/self is that of the first thread. */
#define HERE	"/proc/thread-self/"

static bool take_counter(const char *group, const char *name, uint64_t value,
			 void *data)
{
	struct tcp_memory *to = data;
	const struct {
		const char *name;
		uint64_t *at;
	} rows[] = {
		{ "TCPMemoryPressures", &to->pressures },
		{ "TCPMemoryPressuresChrono", &to->pressure_ms },
		{ "TCPRcvQDrop", &to->drops },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(group, "TcpExt") || strcmp(name, rows[i].name))
			continue;
		*rows[i].at = value;
		return true;
	}
	return false;
}

/* Columns by title: protocol, size, sockets, memory, press, ... */
static bool parse_protocols(FILE *file, struct tcp_memory *to)
{
	char *line = NULL, name[32], state[8];
	bool known = false;
	size_t size = 0;

	while (!known && getline(&line, &size, file) > 0)
		known = sscanf(line, "%31s %*s %*s %*s %7s", name, state) ==
			2 && !strcmp(name, "TCP");
	to->pressure = known && !strcmp(state, "yes");
	free(line);
	return known;
}

/**
 * tcp_memory_parse() - parse the kernel's files
 * @counters: file in the format of /proc/net/netstat
 * @protocols: file in the format of /proc/net/protocols
 * @to: filled in, except the namespace; unknown if anything is missing
 */
void tcp_memory_parse(FILE *counters, FILE *protocols, struct tcp_memory *to)
{
	*to = (struct tcp_memory) { 0 };
	/* All three are used. */
	to->known = protocols_each(counters, take_counter, to) == 3 &&
		    parse_protocols(protocols, to);
}

/* Least, first and greatest size of a send buffer. */
static void read_send_max(struct tcp_memory *to)
{
	char *line = environment_read_line("/proc/sys/net/ipv4/tcp_wmem");

	if (!line || sscanf(line, "%*u %*u %" SCNu64, &to->send_max_bytes) != 1)
		to->send_max_bytes = 0;
	free(line);
}

static void read_here(struct tcp_memory *to)
{
	FILE *counters = fopen(HERE "net/netstat", "re");
	FILE *protocols = fopen(HERE "net/protocols", "re");
	struct stat netns;

	if (counters && protocols && !stat(HERE "ns/net", &netns)) {
		tcp_memory_parse(counters, protocols, to);
		to->netns = netns.st_ino;
	}
	if (counters)
		fclose(counters);
	if (protocols)
		fclose(protocols);
}

/* The file exists in the initial network namespace only. */
static void read_pages(struct tcp_memory *to)
{
	char *line = environment_read_line("/proc/sys/net/ipv4/tcp_mem");

	for (char *c = line; c && *c; c++)
		if (*c == '\t')
			*c = ' ';
	snprintf(to->pages, sizeof(to->pages), "%s", line ? line : "");
	free(line);
}

/**
 * tcp_memory_read() - read the TCP memory state
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: filled in; unknown if it cannot be read
 */
void tcp_memory_read(const char *netns, struct tcp_memory *to)
{
	struct units_error ignored;
	struct netns_visit visit;

	*to = (struct tcp_memory) { 0 };
	if (netns_enter(&visit, netns, &ignored))
		return;
	read_here(to);
	read_send_max(to);
	netns_leave(&visit);
	read_pages(to);
}

/**
 * tcp_memory_add() - add the difference of two readings in a network namespace
 * @span: sum over network namespaces, all zero at first
 * @earlier: earlier reading
 * @later: later reading, of the same namespace
 */
void tcp_memory_add(struct tcp_memory_span *span,
		    const struct tcp_memory *earlier,
		    const struct tcp_memory *later)
{
	if (!earlier->known || !later->known)
		return;
	span->known = true;
	span->at_begin |= earlier->pressure;
	span->at_end |= later->pressure;
	span->pressures += later->pressures - earlier->pressures;
	span->pressure_ms += later->pressure_ms - earlier->pressure_ms;
	span->drops += later->drops - earlier->drops;
}

/**
 * tcp_memory_say() - describe a shortage of memory
 * @span: sum over the network namespaces of a run
 * @pages: net.ipv4.tcp_mem, empty if unknown
 * @text: filled in
 *
 * Return: false without a known shortage; @text is not filled in then.
 */
bool tcp_memory_say(const struct tcp_memory_span *span, const char *pages,
		    struct units_error *text)
{
	char what[64];

	if (!span->pressures && !span->at_begin && !span->at_end)
		return false;
	if (span->pressures)
		snprintf(what, sizeof(what),
			 "came into memory pressure %" PRIu64 " time%s",
			 span->pressures, span->pressures == 1 ? "" : "s");
	else
		snprintf(what, sizeof(what),
			 "was in memory pressure when the run %s",
			 span->at_begin ? "began" : "ended");
	units_refuse(text, "TCP %s, and dropped %" PRIu64
		     " segments on receipt: net.ipv4.tcp_mem%s%s%s bounds the rate",
		     what, span->drops, *pages ? " (" : "", pages,
		     *pages ? " pages, of all sockets)" : "");
	return true;
}
