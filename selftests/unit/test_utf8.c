// SPDX-License-Identifier: GPL-2.0
/* UTF-8: valid characters, and the replacement of invalid bytes. */
#include <stdlib.h>

#include "../../tools/base/json.h"
#include "test.h"

#define R	"\xef\xbf\xbd"

/* The ends of each form of RFC 3629. */
static void characters(void)
{
	static const char *const rows[] = {
		"\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i], utf8_length(rows[i]), strlen(rows[i]));
	TEST_U64("none", utf8_length(""), 0);
	TEST_U64("the first of two", utf8_length("\xc3\xa9\xc3\xa9"), 2);
}

static void copies(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" }, { "a\tb", "a\tb" }, { "\xc3\xa9", "\xc3\xa9" },
		{ "\xe9.json", R ".json" }, { "a\xff", "a" R },
		{ "\x80", R }, { "\xbfz", R "z" },
		/* Cut short, by the end and by another character. */
		{ "\xc3", R }, { "\xe2\x82", R R }, { "\xf0\x9f\x98", R R R },
		{ "\xc3\xc3\xa9", R "\xc3\xa9" }, { "\xe2\x82z", R R "z" },
		/* Overlong encodings. */
		{ "\xc0\x9b", R R }, { "\xc1\xbf", R R },
		{ "\xe0\x82\x9b", R R R }, { "\xf0\x8f\xbf\xbf", R R R R },
		/* A surrogate, and beyond the last character. */
		{ "\xed\xa0\x80", R R R }, { "\xf4\x90\x80\x80", R R R R },
		{ "\xf5\x80\x80\x80", R R R R },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		char *copy = utf8_copy(rows[i].text);

		TEST_STRING(rows[i].want, copy, rows[i].want);
		free(copy);
	}
}

static const struct test_case cases[] = {
	{ "characters of one to four bytes", characters },
	{ "bytes that belong to none are U+FFFD", copies },
};

TEST_MAIN(cases)
