/* SPDX-License-Identifier: GPL-2.0 */
/*
 * protocols: what IP, UDP and TCP of a network namespace dropped on receipt.
 *
 * The kernel counts per network namespace, for all traffic and all sockets in it
 * (/proc/net/snmp, snmp6 and netstat). Of UDP, IPv4 and IPv6 are added up.
 */
#ifndef KTPUT_TOOLS_PROTOCOLS_H
#define KTPUT_TOOLS_PROTOCOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct protocols - packets that the protocols of a network namespace dropped
 * @known: they could be read
 * @udp_buffer_errors: the receive buffer of a UDP socket was full
 * @udp_memory_errors: UDP had as much memory as it may have (net.ipv4.udp_mem)
 * @udp_checksum_errors: the UDP checksum was wrong
 * @udp_no_ports: no UDP socket had the port
 * @tcp_checksum_errors: the TCP checksum was wrong
 * @tcp_socket_drops: a TCP socket had no room
 * @ip_drops: IPv4 dropped them: header, address, route, reverse path, reassembly
 * @ip6_drops: likewise IPv6
 */
struct protocols {
	bool known;
	uint64_t udp_buffer_errors;
	uint64_t udp_memory_errors;
	uint64_t udp_checksum_errors;
	uint64_t udp_no_ports;
	uint64_t tcp_checksum_errors;
	uint64_t tcp_socket_drops;
	uint64_t ip_drops;
	uint64_t ip6_drops;
};

/**
 * typedef protocols_take - take a counter
 * @group: its group, such as "TcpExt"
 * @name: its name
 * @value: its value
 * @to: argument of protocols_each()
 *
 * Return: true if it is used.
 */
typedef bool (*protocols_take)(const char *group, const char *name,
			       uint64_t value, void *to);

unsigned int protocols_each(FILE *from, protocols_take take, void *to);
bool protocols_parse(FILE *from, struct protocols *to);
bool protocols_parse_ipv6(FILE *from, struct protocols *to);
void protocols_read(const char *netns, struct protocols *to);
struct protocols protocols_difference(const struct protocols *later,
				      const struct protocols *earlier);

#endif
