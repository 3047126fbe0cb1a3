// SPDX-License-Identifier: GPL-2.0
/* Code points: by name, by number, and what is neither. */
#include "../../tools/run/run_options.h"
#include "test.h"

static void named(void)
{
	static const struct {
		const char *word;
		uint64_t tos;
	} rows[] = {
		/* RFC 3246, 2597, 2474 and 8622, with two bits of ECN below. */
		{ "ef", 0xb8 }, { "EF", 0xb8 }, { "af41", 0x88 },
		{ "af13", 0x38 }, { "cs1", 0x20 }, { "cs0", 0 }, { "le", 4 },
		{ "0", 0 }, { "46", 0xb8 }, { "63", 0xfc },
	};
	struct units_error err;
	uint64_t tos;

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		tos = 1;
		TEST_TRUE("taken", !dscp_parse(rows[i].word, &tos, &err));
		TEST_U64(rows[i].word, tos, rows[i].tos);
	}
}

static void refused(void)
{
	static const char *const words[] = { "64", "-1", "af44", "e", "", "0.5" };
	struct units_error err;
	uint64_t tos;

	for (size_t i = 0; i < TEST_COUNT(words); i++) {
		TEST_TRUE(words[i], dscp_parse(words[i], &tos, &err));
		TEST_CONTAINS("text", err.text,
			      "neither a name, as ef, af41 or cs1, nor a number");
	}
}

static const struct test_case cases[] = {
	{ "names and numbers", named },
	{ "what is neither", refused },
};

TEST_MAIN(cases)
