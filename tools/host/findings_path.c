// SPDX-License-Identifier: GPL-2.0
/* findings_path: check the limits of the protocol stack and the path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "findings.h"
#include "tcp_memory.h"

#define IPV4		"/proc/sys/net/ipv4/"
#define CORE		"/proc/sys/net/core/"

/* Rate assumed for a link of unknown rate. */
#define ASSUMED_BPS	10000000000ULL
/* Half of a socket buffer is overhead of packets. */
#define OVERHEAD	2
/* Buffer space for a millisecond of 10 Gbit/s. */
#define SOCKET_BYTES	(2 * 1024 * 1024)
/* Number of sockets with full buffers that tcp_mem should hold. */
#define SOCKETS		4

/* Read the numbers of a line; missing ones are 0. */
static int read_numbers(const struct doctor *doctor, const char *path,
			uint64_t *numbers, int count)
{
	char *line = doctor_read(doctor, "%s", path), *at = line;

	for (int i = 0; i < count; i++)
		numbers[i] = at ? strtoull(at, &at, 10) : 0;
	free(line);
	return line ? 0 : -1;
}

/* Check the memory of all TCP sockets. */
DOCTOR_CHECK(tcp_memory)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	struct tcp_memory memory = { 0 };
	uint64_t pages[3], rmem[3], need;
	char counters[256], protocols[256];
	FILE *from[2];

	if (read_numbers(doctor, IPV4 "tcp_mem", pages, 3) ||
	    read_numbers(doctor, IPV4 "tcp_rmem", rmem, 3))
		return DOCTOR_SILENT;
	snprintf(counters, sizeof(counters), "%s/proc/net/netstat",
		 doctor->root);
	snprintf(protocols, sizeof(protocols), "%s/proc/net/protocols",
		 doctor->root);
	from[0] = fopen(counters, "re");
	from[1] = fopen(protocols, "re");
	if (from[0] && from[1])
		tcp_memory_parse(from[0], from[1], &memory);
	for (int i = 0; i < 2; i++)
		if (from[i])
			fclose(from[i]);
	need = SOCKETS * rmem[2] / page;
	snprintf(finding->value, sizeof(finding->value),
		 "%" PRIu64 " %" PRIu64 " %" PRIu64, need, 2 * need, 4 * need);
	DOCTOR_SAY(finding, "pressure from %s%s",
		   units_show_size(pages[1] * page).text,
		   memory.pressure ? ", and TCP is in it now" : "");
	return memory.pressure || pages[1] < need ? DOCTOR_BAD : DOCTOR_GOOD;
}

/* Check whether a stream can fill the path. */
DOCTOR_CHECK(tcp_buffers)
{
	const struct doctor_link *link = &doctor->link;
	const uint64_t bps = link->rate_bps ? link->rate_bps : ASSUMED_BPS;
	const uint64_t rtt_ns = link->rtt_ns ? link->rtt_ns : DOCTOR_RTT_NS;
	const uint64_t need = (double)bps / 8 * rtt_ns / 1e9 * OVERHEAD;
	uint64_t rmem[3], wmem[3], least;

	if (read_numbers(doctor, IPV4 "tcp_rmem", rmem, 3) ||
	    read_numbers(doctor, IPV4 "tcp_wmem", wmem, 3))
		return DOCTOR_SILENT;
	least = rmem[2] < wmem[2] ? rmem[2] : wmem[2];
	snprintf(finding->value, sizeof(finding->value), "%" PRIu64, 2 * need);
	DOCTOR_SAY(finding, "tcp_%s allows %s; %s x %s%s needs %s",
		   rmem[2] < wmem[2] ? "rmem" : "wmem",
		   units_show_size(least).text, units_show_bitrate(bps).text,
		   units_show_time(rtt_ns).text,
		   link->rate_bps && link->rtt_ns ? "" : " (assumed)",
		   units_show_size(need).text);
	return least < need ? DOCTOR_BAD : DOCTOR_GOOD;
}

/* Check the maximum of socket buffers. */
DOCTOR_CHECK(socket_buffers)
{
	uint64_t bytes;

	if (read_numbers(doctor, CORE "rmem_max", &bytes, 1))
		return DOCTOR_SILENT;
	snprintf(finding->value, sizeof(finding->value), "%d", 8 * SOCKET_BYTES);
	DOCTOR_SAY(finding, "rmem_max %s", units_show_size(bytes).text);
	return bytes < SOCKET_BYTES ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Check for TCP timestamps. */
DOCTOR_CHECK(timestamps)
{
	uint64_t on;

	if (read_numbers(doctor, IPV4 "tcp_timestamps", &on, 1))
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s", on ? "on" : "off");
	return on ? DOCTOR_GOOD : DOCTOR_NOTE;
}

/* Check for netfilter hooks. */
DOCTOR_CHECK(firewall)
{
	char *tables = doctor_read(doctor, "/proc/net/ip_tables_names");
	const bool legacy = tables && *tables;

	free(tables);
	if (!doctor->link.hooks_known && !legacy)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%u base chain%s of nf_tables%s", doctor->link.hooks,
		   doctor->link.hooks == 1 ? "" : "s",
		   legacy ? ", and tables of iptables" : "");
	return doctor->link.hooks || legacy ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Check for connection tracking. */
DOCTOR_CHECK(tracking)
{
	uint64_t count;

	if (read_numbers(doctor, "/proc/sys/net/netfilter/nf_conntrack_count",
			 &count, 1))
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%" PRIu64 " connections", count);
	return count ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Check whether full packets pass. */
DOCTOR_CHECK(mtu)
{
	const struct doctor_link *link = &doctor->link;
	uint32_t path = link->path_mtu_bytes;

	if (!link->device.index)
		return DOCTOR_SILENT;
	if (link->routed && (!path || link->route.mtu_bytes < path))
		path = link->route.mtu_bytes;
	if (!path || path >= link->device.mtu_bytes) {
		DOCTOR_SAY(finding, "%" PRIu32, link->device.mtu_bytes);
		return DOCTOR_GOOD;
	}
	snprintf(finding->value, sizeof(finding->value), "%" PRIu32, path);
	DOCTOR_SAY(finding, "%" PRIu32 " of the path, %" PRIu32 " of the device",
		   path, link->device.mtu_bytes);
	return DOCTOR_BAD;
}
