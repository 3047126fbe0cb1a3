// SPDX-License-Identifier: GPL-2.0
/* extend: a counter of 32 bits, told in 64. */
#include <linux/types.h>
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

#include "../../kmod/extend.h"
#include "test.h"

static const struct {
	const char *what;
	u64 total;
	u32 counter;
	u64 extended;
} rows[] = {
	{ "nothing", 0, 0, 0 },
	{ "the first", 0, 7, 7 },
	{ "no change", 7, 7, 7 },
	{ "the last before it wraps", 7, UINT32_MAX, UINT32_MAX },
	{ "it wraps", UINT32_MAX, 0, 1ULL << 32 },
	{ "it has wrapped", UINT32_MAX - 1ULL, 5, (1ULL << 32) + 5 },
	{ "and again", (1ULL << 33) - 1, 5, (1ULL << 33) + 5 },
	{ "no change thereafter", (1ULL << 33) + 5, 5, (1ULL << 33) + 5 },
};

static void extends(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i].what,
			 ktput_extend(rows[i].total, rows[i].counter),
			 rows[i].extended);
}

static const struct test_case cases[] = {
	{ "a counter goes on beyond 32 bits", extends },
};

TEST_MAIN(cases)
