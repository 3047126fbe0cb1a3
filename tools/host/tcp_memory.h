/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcp_memory: detect a shortage of TCP memory.
 *
 * net.ipv4.tcp_mem has three numbers of pages, for all sockets of the machine. Above
 * the second, TCP enters memory pressure until it is below the first (tcp(7)):
 * windows do not grow, and queues are pruned. Above the third, TCP drops received
 * segments.
 *
 * The state is that of the machine, shown in /proc/net/protocols. The number of times
 * that TCP entered it is counted per network namespace, for its own sockets (TcpExt
 * of /proc/net/netstat).
 */
#ifndef KTPUT_TOOLS_TCP_MEMORY_H
#define KTPUT_TOOLS_TCP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/units.h"

/* Three numbers of pages, separated by blanks. */
#define TCP_MEMORY_PAGES	64

/**
 * struct tcp_memory - TCP memory state in a network namespace
 * @known: it could be read
 * @pressure: TCP is in memory pressure
 * @netns: inode of the network namespace
 * @pressures: times that its sockets brought TCP into memory pressure
 * @pressure_ms: milliseconds of the periods that its sockets ended
 * @drops: segments that its sockets had no room for
 * @send_max_bytes: how far the kernel lets a send buffer grow (net.ipv4.tcp_wmem); 0 if it
 *	cannot be read
 * @pages: net.ipv4.tcp_mem, or empty if it cannot be read
 */
struct tcp_memory {
	bool known;
	bool pressure;
	uint64_t netns;
	uint64_t pressures;
	uint64_t pressure_ms;
	uint64_t drops;
	uint64_t send_max_bytes;
	char pages[TCP_MEMORY_PAGES];
};

/**
 * struct tcp_memory_span - difference of two readings
 * @known: both could be read
 * @at_begin: TCP was in memory pressure at the first
 * @at_end: TCP was in memory pressure at the last
 * @pressures: times that TCP entered it
 * @pressure_ms: milliseconds of the periods that have ended
 * @drops: segments without room
 */
struct tcp_memory_span {
	bool known;
	bool at_begin;
	bool at_end;
	uint64_t pressures;
	uint64_t pressure_ms;
	uint64_t drops;
};

void tcp_memory_parse(FILE *counters, FILE *protocols, struct tcp_memory *to);
void tcp_memory_read(const char *netns, struct tcp_memory *to);
void tcp_memory_add(struct tcp_memory_span *span,
		    const struct tcp_memory *earlier,
		    const struct tcp_memory *later);
bool tcp_memory_say(const struct tcp_memory_span *span, const char *pages,
		    struct units_error *text);

#endif
