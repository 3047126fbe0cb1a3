// SPDX-License-Identifier: GPL-2.0
/* tcp_memory: shortage of memory, from counters of the kernel. */
#include <stdio.h>

#include "../../tools/host/tcp_memory.h"
#include "test.h"

#define COUNTERS						\
	"TcpExt: SyncookiesSent TCPRcvQDrop TCPMemoryPressures "\
	"TCPMemoryPressuresChrono TCPLast\n"			\
	"TcpExt: 1 14481 3 1500 9\n"				\
	"IpExt: TCPMemoryPressures\n"				\
	"IpExt: 77\n"

#define PROTOCOLS(tcp, mptcp)						\
	"protocol  size sockets  memory press maxhdr  slab module\n"	\
	"TCPv6     2392      4     188   no     320   yes  kernel\n"	\
	"MPTCP     1832      0      -1   " mptcp "      0   yes  kernel\n" \
	"UDP       1216      2       0   NI       0   yes  kernel\n"	\
	"TCP       2232      1     188   " tcp "     320   yes  kernel\n"

static struct tcp_memory parsed(char *counters, char *protocols)
{
	FILE *one = fmemopen(counters, strlen(counters), "r");
	FILE *other = fmemopen(protocols, strlen(protocols), "r");
	struct tcp_memory memory;

	tcp_memory_parse(one, other, &memory);
	fclose(one);
	fclose(other);
	return memory;
}

static void parse(void)
{
	struct tcp_memory memory;

	memory = parsed((char[]){ COUNTERS },
			(char[]){ PROTOCOLS("yes", "no") });
	TEST_TRUE("all there", memory.known);
	TEST_TRUE("yes", memory.pressure);
	TEST_U64("pressures", memory.pressures, 3);
	TEST_U64("time", memory.pressure_ms, 1500);
	TEST_U64("drops", memory.drops, 14481);
	memory = parsed((char[]){ COUNTERS },
			(char[]){ PROTOCOLS("no", "yes") });
	TEST_TRUE("all there", memory.known);
	TEST_TRUE("another protocol's", !memory.pressure);
}

static void incomplete(void)
{
	struct tcp_memory memory;

	memory = parsed((char[]){ "TcpExt: TCPRcvQDrop TCPMemoryPressures\n"
				  "TcpExt: 1 2\n" },
			(char[]){ PROTOCOLS("yes", "no") });
	TEST_TRUE("a counter is missing", !memory.known);
	memory = parsed((char[]){ "TcpExt: TCPRcvQDrop TCPMemoryPressures "
				  "TCPMemoryPressuresChrono\nTcpExt: 1 2\n" },
			(char[]){ PROTOCOLS("yes", "no") });
	TEST_TRUE("a value is missing", !memory.known);
	memory = parsed((char[]){ COUNTERS },
			(char[]){ "protocol  size sockets  memory press\n" });
	TEST_TRUE("the protocol is missing", !memory.known);
}

static void add(void)
{
	const struct tcp_memory earlier = {
		.known = true, .pressures = 3, .pressure_ms = 1500,
		.drops = 10,
	};
	const struct tcp_memory later = {
		.known = true, .pressures = 5, .pressure_ms = 1600,
		.drops = 17, .pressure = true,
	};
	struct tcp_memory_span span = { 0 };

	tcp_memory_add(&span, &(struct tcp_memory) { 0 }, &later);
	TEST_TRUE("one is not known", !span.known && !span.pressures);
	tcp_memory_add(&span, &earlier, &later);
	TEST_TRUE("known", span.known);
	TEST_TRUE("at the end", span.at_end && !span.at_begin);
	TEST_U64("pressures", span.pressures, 2);
	TEST_U64("time", span.pressure_ms, 100);
	TEST_U64("drops", span.drops, 7);
	tcp_memory_add(&span, &later, &later);
	TEST_TRUE("at the begin", span.at_end && span.at_begin);
	tcp_memory_add(&span, &earlier, &later);
	TEST_U64("of two", span.pressures, 4);
}

static void said(const struct tcp_memory_span *span, const char *pages,
		 const char *want)
{
	struct units_error text;

	if (!tcp_memory_say(span, pages, &text))
		snprintf(text.text, sizeof(text.text), "nothing");
	TEST_STRING("text", text.text, want);
}

static void say(void)
{
	struct tcp_memory_span span = { .known = true, .drops = 7 };

	said(&span, "", "nothing");
	span.at_begin = true;
	said(&span, "",
	     "TCP was in memory pressure when the run began, and dropped 7 segments on receipt: net.ipv4.tcp_mem bounds the rate");
	span.at_begin = false;
	span.at_end = true;
	said(&span, "",
	     "TCP was in memory pressure when the run ended, and dropped 7 segments on receipt: net.ipv4.tcp_mem bounds the rate");
	span.at_begin = true;
	said(&span, "",
	     "TCP was in memory pressure when the run began, and dropped 7 segments on receipt: net.ipv4.tcp_mem bounds the rate");
	span.pressures = 1;
	said(&span, "",
	     "TCP came into memory pressure 1 time, and dropped 7 segments on receipt: net.ipv4.tcp_mem bounds the rate");
	span.pressures = 18446744073709551615U;
	span.drops = 18446744073709551615U;
	said(&span, "100000000 100000000 100000000",
	     "TCP came into memory pressure 18446744073709551615 times, and dropped 18446744073709551615 segments on receipt: net.ipv4.tcp_mem (100000000 100000000 100000000 pages, of all sockets) bounds the rate");
}

static const struct test_case cases[] = {
	{ "what the kernel tells", parse },
	{ "a kernel that does not tell all", incomplete },
	{ "two readings, in several network namespaces", add },
	{ "the sentence", say },
};

TEST_MAIN(cases)
