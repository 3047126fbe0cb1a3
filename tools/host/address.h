/* SPDX-License-Identifier: GPL-2.0 */
/*
 * address: parse, compare and print IP addresses.
 */
#ifndef KTPUT_TOOLS_ADDRESS_H
#define KTPUT_TOOLS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../base/units.h"

/**
 * struct address - an IP address and a port
 * @storage: AF_INET, AF_INET6, or AF_UNSPEC for none
 * @ipv4: the same if the family is AF_INET; port in network byte order
 * @ipv6: the same if the family is AF_INET6; port in network byte order
 */
struct address {
	union {
		struct sockaddr_storage storage;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	};
};

/**
 * struct address_text - an address as a word, returned by value
 * @text: the address, followed by a colon and the port if requested
 */
struct address_text {
	char text[64];
};

int address_parse(const char *word, int family, struct address *address,
		  struct units_error *err);
int address_parse_at(const char *netns, const char *word, int family,
		     struct address *address, struct units_error *err);
size_t address_list(const char *netns, const char *word, int family,
		    struct address *list, size_t room, struct units_error *err);
bool address_read(const char *text, struct address *address);
bool address_read_port(const char *text, struct address *address);
int address_family(const struct address *address);
unsigned int address_ip_version(const struct address *address);
void address_unmap(struct address *address);
uint16_t address_port(const struct address *address);
void address_set_port(struct address *address, uint16_t port);
uint32_t address_scope(const struct address *address);
bool address_is_link_local(const struct address *address);
void address_set_scope(struct address *address, uint32_t device);
const void *address_bytes(const struct address *address);
size_t address_length(const struct address *address);
bool address_is_any(const struct address *address);
struct address_text address_show(const struct address *address);
struct address_text address_show_port(const struct address *address);

#define ETHERNET_MAC_BYTES	6

/**
 * struct ethernet_mac - a MAC address
 * @byte: as sent
 */
struct ethernet_mac {
	uint8_t byte[ETHERNET_MAC_BYTES];
};

/**
 * struct ethernet_text - a MAC address as a word, returned by value
 * @text: six hexadecimal numbers, separated by colons
 */
struct ethernet_text {
	char text[3 * ETHERNET_MAC_BYTES];
};

int ethernet_parse_mac(const char *word, struct ethernet_mac *mac,
		       struct units_error *err);
int ethernet_parse_tag(const char *word, uint64_t *tci,
		       struct units_error *err);
struct ethernet_text ethernet_show_mac(const uint8_t *byte);
bool ethernet_group_mac(const struct address *address,
			struct ethernet_mac *mac);

#endif
