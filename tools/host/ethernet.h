/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ethernet: parse and print MAC addresses and VLAN tags.
 */
#ifndef KTPUT_TOOLS_ETHERNET_H
#define KTPUT_TOOLS_ETHERNET_H

#include <stdbool.h>
#include <stdint.h>

#include "address.h"
#include "../base/units.h"

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
