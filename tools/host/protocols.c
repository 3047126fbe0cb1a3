// SPDX-License-Identifier: GPL-2.0
/* protocols: what IP, UDP and TCP of a network namespace dropped on receipt. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netns.h"
#include "protocols.h"

/* Of the calling thread; /proc/net is that of the first thread. */
#define HERE	"/proc/thread-self/net/"

#define BLANKS	"\n: "

#define AT(member)	offsetof(struct protocols, member)

/* Counters of the kernel: the group, the name, and where they are added. */
static const struct row {
	const char *group;
	const char *name;
	size_t at;
} rows[] = {
	{ "Udp", "RcvbufErrors", AT(udp_buffer_errors) },
	{ "Udp", "MemErrors", AT(udp_memory_errors) },
	{ "Udp", "InCsumErrors", AT(udp_checksum_errors) },
	{ "Udp", "NoPorts", AT(udp_no_ports) },
	{ "Tcp", "InCsumErrors", AT(tcp_checksum_errors) },
	{ "TcpExt", "TCPBacklogDrop", AT(tcp_socket_drops) },
	{ "TcpExt", "TCPRcvQDrop", AT(tcp_socket_drops) },
	{ "TcpExt", "IPReversePathFilter", AT(ip_drops) },
	{ "Ip", "InHdrErrors", AT(ip_drops) },
	{ "Ip", "InAddrErrors", AT(ip_drops) },
	{ "Ip", "InDiscards", AT(ip_drops) },
	{ "Ip", "ReasmFails", AT(ip_drops) },
	{ "IpExt", "InNoRoutes", AT(ip_drops) },
	{ "IpExt", "InTruncatedPkts", AT(ip_drops) },
	{ "Ip6", "InHdrErrors", AT(ip6_drops) },
	{ "Ip6", "InAddrErrors", AT(ip6_drops) },
	{ "Ip6", "InDiscards", AT(ip6_drops) },
	{ "Ip6", "ReasmFails", AT(ip6_drops) },
	{ "Ip6", "InNoRoutes", AT(ip6_drops) },
	{ "Ip6", "InTruncatedPkts", AT(ip6_drops) },
};

/* Add a counter of which there is a row. */
static bool add(const char *group, const char *name, uint64_t value, void *to)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].group, group) || strcmp(rows[i].name, name))
			continue;
		*(uint64_t *)((char *)to + rows[i].at) += value;
		return true;
	}
	return false;
}

/* A line of names and its line of values. Returns how many are used. */
static unsigned int take_lines(char *names, char *values, protocols_take take,
			       void *to)
{
	char *names_left, *values_left, *group, *name, *value;
	unsigned int used = 0;

	group = strtok_r(names, BLANKS, &names_left);
	/* The group is repeated. */
	strtok_r(values, BLANKS, &values_left);
	while (group && (name = strtok_r(NULL, BLANKS, &names_left)) &&
	       (value = strtok_r(NULL, BLANKS, &values_left)))
		used += take(group, name, strtoull(value, NULL, 10), to);
	return used;
}

/**
 * protocols_each() - take the counters of a file
 * @from: file in the format of /proc/net/snmp or /proc/net/netstat
 * @take: called with each
 * @to: passed to @take
 *
 * Return: how many are used.
 */
unsigned int protocols_each(FILE *from, protocols_take take, void *to)
{
	char *names = NULL, *values = NULL;
	size_t names_size = 0, values_size = 0;
	unsigned int used = 0;

	while (getline(&names, &names_size, from) > 0 &&
	       getline(&values, &values_size, from) > 0)
		used += take_lines(names, values, take, to);
	free(names);
	free(values);
	return used;
}

/**
 * protocols_parse() - add the counters of a file
 * @from: file as of protocols_each()
 * @to: the counters are added
 *
 * Return: false if it has none of them.
 */
bool protocols_parse(FILE *from, struct protocols *to)
{
	return protocols_each(from, add, to);
}

/**
 * protocols_parse_ipv6() - add the counters of IPv6
 * @from: file in the format of /proc/net/snmp6, whose lines have a name and a value
 * @to: the counters are added
 *
 * Return: false if it has none of them.
 */
bool protocols_parse_ipv6(FILE *from, struct protocols *to)
{
	char name[64], group[64];
	unsigned long long value;
	unsigned int used = 0;
	char *six;

	while (fscanf(from, "%63s %llu", name, &value) == 2) {
		six = strchr(name, '6');
		if (!six)
			continue;
		/* "Ip6"; and of UDP the group of both. */
		snprintf(group, sizeof(group), "%.*s",
			 (int)(six - name) + !strncmp(name, "Ip6", 3), name);
		used += add(group, six + 1, value, to);
	}
	return used;
}

static bool take(const char *path,
		 bool (*parse)(FILE *from, struct protocols *to),
		 struct protocols *to)
{
	FILE *from = fopen(path, "re");
	bool done;

	if (!from)
		return false;
	done = parse(from, to);
	fclose(from);
	return done;
}

/**
 * protocols_read() - read the counters of a network namespace
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @to: filled in; unknown if those of IPv4 cannot be read
 */
void protocols_read(const char *netns, struct protocols *to)
{
	struct units_error ignored;
	struct netns_visit visit;

	*to = (struct protocols) { 0 };
	if (netns_enter(&visit, netns, &ignored))
		return;
	to->known = take(HERE "snmp", protocols_parse, to) &&
		    take(HERE "netstat", protocols_parse, to);
	/* Without IPv6 there is no such file. */
	take(HERE "snmp6", protocols_parse_ipv6, to);
	netns_leave(&visit);
}

/**
 * protocols_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading, of the same namespace
 *
 * Return: the difference; unknown if either reading is.
 */
struct protocols protocols_difference(const struct protocols *later,
				      const struct protocols *earlier)
{
	struct protocols to = *later;

	if (!later->known || !earlier->known)
		return (struct protocols) { 0 };
	to.udp_buffer_errors -= earlier->udp_buffer_errors;
	to.udp_memory_errors -= earlier->udp_memory_errors;
	to.udp_checksum_errors -= earlier->udp_checksum_errors;
	to.udp_no_ports -= earlier->udp_no_ports;
	to.tcp_checksum_errors -= earlier->tcp_checksum_errors;
	to.tcp_socket_drops -= earlier->tcp_socket_drops;
	to.ip_drops -= earlier->ip_drops;
	to.ip6_drops -= earlier->ip6_drops;
	return to;
}
