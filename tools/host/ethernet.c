// SPDX-License-Identifier: GPL-2.0
/* ethernet: parse and print MAC addresses and VLAN tags. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ethernet.h"

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
