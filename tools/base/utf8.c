// SPDX-License-Identifier: GPL-2.0
/* utf8: check text for UTF-8, or convert it. */
#include <stdlib.h>
#include <string.h>

#include "units.h"
#include "utf8.h"

/* U+FFFD replaces each byte that is not part of a character. */
#define REPLACEMENT	"\xef\xbf\xbd"

/*
 * RFC 3629, section 4: the bounds of the second byte exclude overlong forms,
 * surrogates, and code points above U+10FFFF. All other bytes are 80 to BF.
 */
static const struct {
	unsigned char first, last;
	unsigned char length;
	unsigned char second_low, second_high;
} forms[] = {
	{ 0x01, 0x7f, 1, 0x00, 0xff },
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

/**
 * utf8_length() - length of a character in bytes
 * @text: first byte of the character; the text ends with NUL
 *
 * Return: 1 to 4, or 0 at invalid bytes or at the end.
 */
size_t utf8_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (at[0] < forms[i].first || at[0] > forms[i].last)
			continue;
		if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
			return 0;
		/* Also stops at NUL. */
		for (size_t j = 2; j < forms[i].length; j++)
			if ((at[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

/**
 * utf8_copy() - convert text to UTF-8
 * @text: any bytes, ended by NUL
 *
 * Return: a copy, for free(), with U+FFFD in place of each byte that is not part
 * of a character; or NULL with errno.
 */
char *utf8_copy(const char *text)
{
	char *copy = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (*text) {
		const size_t length = utf8_length(text);

		if (length)
			to = mempcpy(to, text, length);
		else
			to = stpcpy(to, REPLACEMENT);
		text += length ? length : 1;
	}
	*to = '\0';
	return copy;
}
