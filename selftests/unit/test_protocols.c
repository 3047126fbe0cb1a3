// SPDX-License-Identifier: GPL-2.0
/* protocols: what the files of the kernel tell, of both IP versions. */
#include <stdio.h>

#include "../../tools/host/protocols.h"
#include "test.h"

#define SNMP							\
	"Ip: Forwarding InReceives InHdrErrors InAddrErrors InDiscards ReasmFails\n" \
	"Ip: 2 64 1 2 4 8\n"					\
	"IcmpMsg: InType3\n"					\
	"IcmpMsg: 9\n"						\
	"Tcp: RtoAlgorithm MaxConn InErrs InCsumErrors\n"	\
	"Tcp: 1 -1 12 11\n"					\
	"Udp: InDatagrams NoPorts InErrors RcvbufErrors InCsumErrors MemErrors\n" \
	"Udp: 1000 3 60 20 30 10\n"				\
	"UdpLite: InDatagrams RcvbufErrors InCsumErrors\n"	\
	"UdpLite: 0 77 77\n"

#define NETSTAT							\
	"TcpExt: SyncookiesSent IPReversePathFilter TCPBacklogDrop TCPRcvQDrop\n" \
	"TcpExt: 1 16 5 6\n"					\
	"IpExt: InNoRoutes InTruncatedPkts InOctets\n"		\
	"IpExt: 32 64 1\n"

#define SNMP6							\
	"Ip6InReceives                   \t12\n"		\
	"Ip6InHdrErrors                  \t100\n"		\
	"Ip6InNoRoutes                   \t200\n"		\
	"Icmp6InMsgs                     \t3\n"			\
	"Udp6RcvbufErrors                \t7\n"			\
	"Udp6InCsumErrors                \t8\n"			\
	"UdpLite6InCsumErrors            \t9\n"

static bool taken(bool (*parse)(FILE *from, struct protocols *to), char *text,
		  struct protocols *to)
{
	FILE *from = fmemopen(text, strlen(text), "r");
	const bool known = parse(from, to);

	fclose(from);
	return known;
}

static void each(void)
{
	struct protocols to = { 0 };

	TEST_TRUE("snmp", taken(protocols_parse, (char[]){ SNMP }, &to));
	TEST_TRUE("netstat", taken(protocols_parse, (char[]){ NETSTAT }, &to));
	TEST_U64("full buffers", to.udp_buffer_errors, 20);
	TEST_U64("memory", to.udp_memory_errors, 10);
	TEST_U64("checksums", to.udp_checksum_errors, 30);
	TEST_U64("ports", to.udp_no_ports, 3);
	TEST_U64("checksums of TCP", to.tcp_checksum_errors, 11);
	TEST_U64("sockets of TCP", to.tcp_socket_drops, 11);
	TEST_U64("IP", to.ip_drops, 127);
	TEST_TRUE("snmp6", taken(protocols_parse_ipv6, (char[]){ SNMP6 }, &to));
	TEST_U64("full buffers of both", to.udp_buffer_errors, 27);
	TEST_U64("checksums of both", to.udp_checksum_errors, 38);
	TEST_U64("IPv4 as before", to.ip_drops, 127);
	TEST_U64("IPv6", to.ip6_drops, 300);
	TEST_TRUE("nothing", !taken(protocols_parse, (char[]){ "Ip: A\nIp: 1\n" },
				    &to));
}

static void difference(void)
{
	const struct protocols earlier = { true, 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct protocols later = { true, 11, 22, 33, 44, 55, 66, 77, 88 };
	struct protocols to = protocols_difference(&later, &earlier);

	TEST_TRUE("known", to.known);
	TEST_U64("full buffers", to.udp_buffer_errors, 10);
	TEST_U64("memory", to.udp_memory_errors, 20);
	TEST_U64("checksums", to.udp_checksum_errors, 30);
	TEST_U64("ports", to.udp_no_ports, 40);
	TEST_U64("checksums of TCP", to.tcp_checksum_errors, 50);
	TEST_U64("sockets of TCP", to.tcp_socket_drops, 60);
	TEST_U64("IPv4", to.ip_drops, 70);
	TEST_U64("IPv6", to.ip6_drops, 80);
	to = protocols_difference(&later, &(struct protocols) { 0 });
	TEST_TRUE("one reading", !to.known);
	TEST_U64("and no drops", to.ip_drops, 0);
}

static const struct test_case cases[] = {
	{ "each counter", each },
	{ "difference", difference },
};

TEST_MAIN(cases)
