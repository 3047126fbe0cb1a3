// SPDX-License-Identifier: GPL-2.0
/* address: parse, compare and print IP addresses. */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "netns.h"

/* The addresses of a word, each once; a negative error of getaddrinfo(), or how many. */
static int resolve(const char *word, int family, int flags,
		   struct address *list, size_t room)
{
	const struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_STREAM,
		.ai_flags = flags,
	};
	struct addrinfo *found;
	int ret = getaddrinfo(word, NULL, &hints, &found);
	size_t count = 0;

	if (ret)
		return ret < 0 ? ret : -ret;
	for (struct addrinfo *one = found; one && count < room;
	     one = one->ai_next) {
		memset(&list[count], 0, sizeof(*list));
		memcpy(&list[count].storage, one->ai_addr, one->ai_addrlen);
		count++;
	}
	freeaddrinfo(found);
	return count;
}

/**
 * address_list() - parse an address, or resolve a host name to all its addresses
 * @netns: network namespace as netns_enter() takes it, or NULL; the zone of an address
 *	is a device there. Names are those of the calling thread's namespace.
 * @word: address or name; an IPv6 address without brackets
 * @family: AF_INET, AF_INET6, or AF_UNSPEC for either
 * @list: filled in, with port 0, in the order in which to try them
 * @room: elements of it
 * @err: why there is none
 *
 * A literal address needs no DNS query.
 *
 * Return: number of addresses, 0 with a message in @err.
 */
size_t address_list(const char *netns, const char *word, int family,
		    struct address *list, size_t room, struct units_error *err)
{
	const bool zone = strchr(word, '%');
	struct netns_visit visit;
	const char *hint = "";
	int ret;

	if (zone && netns_enter(&visit, netns, err))
		return 0;
	ret = resolve(word, family, AI_NUMERICHOST, list, room);
	if (zone)
		netns_leave(&visit);
	if (ret < 0)
		ret = resolve(word, family, 0, list, room);
	if (ret > 0)
		return ret;
	if (strchr(word, '/'))
		hint = "; give a host or an address, without / and what follows";
	else if (strchr(word, ':') && strchr(word, ':') == strrchr(word, ':'))
		hint = "; the port is a keyword of its own, 'port P'";
	units_refuse(err, "address '%s': %s%s%s%s", word, gai_strerror(ret),
		     family == AF_INET ? " (IPv4)" :
		     family == AF_INET6 ? " (IPv6)" : "",
		     zone ? "; what follows % is a device of its network namespace" : "",
		     hint);
	return 0;
}

/**
 * address_parse_at() - parse an address, or resolve a host name
 * @netns: network namespace as netns_enter() takes it, or NULL
 * @word: address or name; an IPv6 address without brackets
 * @family: AF_INET, AF_INET6, or AF_UNSPEC for either
 * @address: the first address found, with port 0
 * @err: why there is none
 */
int address_parse_at(const char *netns, const char *word, int family,
		     struct address *address, struct units_error *err)
{
	return address_list(netns, word, family, address, 1, err) ? 0 : -1;
}

/**
 * address_parse() - parse an address, or resolve a host name
 * @word: address or name; an IPv6 address without brackets
 * @family: AF_INET, AF_INET6, or AF_UNSPEC for either
 * @address: the first address found, with port 0
 * @err: why there is none
 */
int address_parse(const char *word, int family, struct address *address,
		  struct units_error *err)
{
	return address_parse_at(NULL, word, family, address, err);
}

/**
 * address_read() - parse the output of address_show()
 * @text: the text, or NULL
 * @address: filled in, with port 0; AF_UNSPEC if the text is not an address
 *
 * Return: true if it is one.
 */
bool address_read(const char *text, struct address *address)
{
	*address = (struct address) { .storage.ss_family = AF_UNSPEC };
	if (!text)
		return false;
	if (inet_pton(AF_INET, text, &address->ipv4.sin_addr) == 1)
		address->storage.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &address->ipv6.sin6_addr) == 1)
		address->storage.ss_family = AF_INET6;
	return address_family(address) != AF_UNSPEC;
}

/**
 * address_read_port() - parse the output of address_show_port()
 * @text: the text, or NULL
 * @address: filled in; AF_UNSPEC if the text is not an address
 *
 * Return: true if it is one.
 */
bool address_read_port(const char *text, struct address *address)
{
	char host[sizeof(((struct address_text *)NULL)->text)];
	const char *colon = text ? strrchr(text, ':') : NULL;
	const bool brackets = text && *text == '[';

	host[0] = '\0';
	if (colon)
		snprintf(host, sizeof(host), "%.*s",
			 (int)(colon - text) - 2 * brackets, text + brackets);
	if (!address_read(host, address))
		return false;
	address_set_port(address, strtoul(colon + 1, NULL, 10));
	return true;
}

int address_family(const struct address *address)
{
	return address->storage.ss_family;
}

unsigned int address_ip_version(const struct address *address)
{
	if (address_family(address) == AF_INET6 &&
	    !IN6_IS_ADDR_V4MAPPED(&address->ipv6.sin6_addr))
		return 6;
	return 4;
}

/**
 * address_unmap() - make an IPv4-mapped address of IPv6 one of IPv4
 * @address: any address
 */
void address_unmap(struct address *address)
{
	const uint16_t port = address_port(address);
	struct in_addr ipv4;

	if (address_family(address) != AF_INET6 ||
	    address_ip_version(address) == 6)
		return;
	memcpy(&ipv4, &address->ipv6.sin6_addr.s6_addr[12], sizeof(ipv4));
	*address = (struct address) { 0 };
	address->ipv4.sin_family = AF_INET;
	address->ipv4.sin_addr = ipv4;
	address_set_port(address, port);
}

uint16_t address_port(const struct address *address)
{
	if (address_family(address) == AF_INET6)
		return ntohs(address->ipv6.sin6_port);
	return ntohs(address->ipv4.sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
	if (address_family(address) == AF_INET6)
		address->ipv6.sin6_port = htons(port);
	else
		address->ipv4.sin_port = htons(port);
}

/**
 * address_scope() - scope of a link-local address
 * @address: address, such as fe80::1%eth0
 *
 * Return: index of the device, or 0.
 */
uint32_t address_scope(const struct address *address)
{
	return address_family(address) == AF_INET6 ?
	       address->ipv6.sin6_scope_id : 0;
}

/**
 * address_is_link_local() - whether an address is valid on one link only
 * @address: address
 *
 * Return: true for fe80::/10.
 */
bool address_is_link_local(const struct address *address)
{
	return address_family(address) == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&address->ipv6.sin6_addr);
}

/**
 * address_set_scope() - set the scope of a link-local address
 * @address: address; any other is unchanged
 * @device: index of the device
 */
void address_set_scope(struct address *address, uint32_t device)
{
	if (address_is_link_local(address))
		address->ipv6.sin6_scope_id = device;
}

/**
 * address_bytes() - the address in network byte order
 * @address: address of either family
 *
 * Return: address_length() bytes inside @address.
 */
const void *address_bytes(const struct address *address)
{
	if (address_family(address) == AF_INET6)
		return &address->ipv6.sin6_addr;
	return &address->ipv4.sin_addr;
}

size_t address_length(const struct address *address)
{
	return address_family(address) == AF_INET6 ? sizeof(struct in6_addr) :
						     sizeof(struct in_addr);
}

/**
 * address_is_any() - whether an address names no host
 * @address: address, may be AF_UNSPEC
 *
 * Return: true for AF_UNSPEC, 0.0.0.0 and ::.
 */
bool address_is_any(const struct address *address)
{
	const unsigned char *bytes = address_bytes(address);

	if (address_family(address) == AF_UNSPEC)
		return true;
	for (size_t i = 0; i < address_length(address); i++)
		if (bytes[i])
			return false;
	return true;
}

struct address_text address_show(const struct address *address)
{
	struct address_text out = { "any" };

	if (address_family(address) != AF_UNSPEC)
		inet_ntop(address_family(address), address_bytes(address),
			  out.text, sizeof(out.text));
	return out;
}

struct address_text address_show_port(const struct address *address)
{
	const char *format = address_family(address) == AF_INET6 ?
			     "[%s]:%u" : "%s:%u";
	struct address_text host = address_show(address), out;

	snprintf(out.text, sizeof(out.text), format, host.text,
		 address_port(address));
	return out;
}

/* IEEE 802.1Q-2022 9.6: 4095 is reserved; the priority has three bits. */
#define TAG_ID_MAX	4094
#define TAG_PRIORITY_MAX	7
#define TAG_PRIORITY_SHIFT	13

/**
 * ethernet_parse_mac() - parse a MAC address
 * @word: six hexadecimal numbers of one or two digits, separated by colons
 * @mac: the address
 * @err: why it is refused
 */
int ethernet_parse_mac(const char *word, struct ethernet_mac *mac,
		       struct units_error *err)
{
	struct ethernet_mac parsed;
	const char *p = word;

	for (int i = 0; i < ETHERNET_MAC_BYTES; i++) {
		const char *digits = p;

		while (isxdigit((unsigned char)*p))
			p++;
		if (p == digits || p - digits > 2 ||
		    *p != (i < ETHERNET_MAC_BYTES - 1 ? ':' : '\0'))
			return units_refuse(err,
					    "MAC address '%.40s' is not of the form 02:00:00:00:00:01",
					    word);
		parsed.byte[i] = strtoul(digits, NULL, 16);
		p++;
	}
	*mac = parsed;
	return 0;
}

/**
 * ethernet_parse_tag() - parse a VLAN tag
 * @word: identifier, followed by a colon and the priority if that is not 0
 * @tci: tag control information
 * @err: why it is refused
 */
int ethernet_parse_tag(const char *word, uint64_t *tci,
		       struct units_error *err)
{
	const char *colon = strchrnul(word, ':');
	uint64_t id, priority = 0;
	char part[8];

	if (colon - word >= (long)sizeof(part))
		return units_refuse(err,
				    "VLAN tag '%.40s' is not of the form ID or ID:PRIORITY",
				    word);
	memcpy(part, word, colon - word);
	part[colon - word] = '\0';
	if (units_parse_count(part, 0, TAG_ID_MAX, &id, err) ||
	    (*colon && units_parse_count(colon + 1, 0, TAG_PRIORITY_MAX,
					 &priority, err)))
		return -1;
	*tci = priority << TAG_PRIORITY_SHIFT | id;
	return 0;
}

struct ethernet_text ethernet_show_mac(const uint8_t *byte)
{
	struct ethernet_text out;

	snprintf(out.text, sizeof(out.text),
		 "%02x:%02x:%02x:%02x:%02x:%02x", byte[0], byte[1], byte[2],
		 byte[3], byte[4], byte[5]);
	return out;
}

/**
 * ethernet_group_mac() - MAC address of an IP multicast group
 * @address: IP address
 * @mac: filled in for a group: RFC 1112 6.4, RFC 2464 7
 *
 * Return: true if it is a group.
 */
bool ethernet_group_mac(const struct address *address,
			struct ethernet_mac *mac)
{
	const uint8_t *byte = address_bytes(address);

	if (address_family(address) == AF_INET6) {
		if (!IN6_IS_ADDR_MULTICAST(&address->ipv6.sin6_addr))
			return false;
		*mac = (struct ethernet_mac) {
			{ 0x33, 0x33, byte[12], byte[13], byte[14], byte[15] }
		};
		return true;
	}
	if (!IN_MULTICAST(ntohl(address->ipv4.sin_addr.s_addr)))
		return false;
	*mac = (struct ethernet_mac) {
		{ 0x01, 0x00, 0x5e, byte[1] & 0x7f, byte[2], byte[3] }
	};
	return true;
}
