// SPDX-License-Identifier: GPL-2.0
/* dscp: names of differentiated services code points. */
#include <stddef.h>
#include <strings.h>

#include "dscp.h"

#define DSCP_MAX	63
/* Bits of ECN below it, in the byte of the IP header (RFC 3168, 5). */
#define ECN_BITS	2

/* IANA's registry: RFC 2474, 2597, 3246, 5865 and 8622. */
static const struct {
	const char *name;
	unsigned int dscp;
} names[] = {
	{ "cs0", 0 }, { "le", 1 }, { "cs1", 8 }, { "af11", 10 },
	{ "af12", 12 }, { "af13", 14 }, { "cs2", 16 }, { "af21", 18 },
	{ "af22", 20 }, { "af23", 22 }, { "cs3", 24 }, { "af31", 26 },
	{ "af32", 28 }, { "af33", 30 }, { "cs4", 32 }, { "af41", 34 },
	{ "af42", 36 }, { "af43", 38 }, { "cs5", 40 }, { "va", 44 },
	{ "ef", 46 }, { "cs6", 48 }, { "cs7", 56 },
};

/**
 * dscp_parse() - read a code point
 * @word: its name, in any case, or its number
 * @tos: filled in with the type of service, or traffic class, that has it
 * @err: filled in on failure
 *
 * Return: 0, or -1 if it is neither.
 */
int dscp_parse(const char *word, uint64_t *tos, struct units_error *err)
{
	uint64_t number;

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcasecmp(word, names[i].name))
			continue;
		*tos = names[i].dscp << ECN_BITS;
		return 0;
	}
	if (units_parse_count(word, 0, DSCP_MAX, &number, err))
		return units_refuse(err,
				    "'%s' is neither a name, as ef, af41 or cs1, nor a number from 0 to %d",
				    word, DSCP_MAX);
	*tos = number << ECN_BITS;
	return 0;
}
