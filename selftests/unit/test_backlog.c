// SPDX-License-Identifier: GPL-2.0
/* backlog: whom packets wait for, and how long. */
#include <math.h>

#include "../../tools/host/backlog.h"
#include "test.h"

static void kinds(void)
{
	static const struct {
		const char *kind;
		bool holds;
	} rows[] = {
		{ "fq_codel", false }, { "mq", false }, { "pfifo_fast", false },
		{ "noqueue", false }, { "tbf", true }, { "htb", true }, { "fq", true },
		{ "netem", true }, { "cake", true }, { "fq_", true }, { "", true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i].kind, backlog_holds_rate(rows[i].kind), rows[i].holds);
}

static void shares(void)
{
	struct backlog backlog = { .samples = 8, .standing = 2, .kind = "fq_codel" };

	TEST_TRUE("a quarter", backlog_share(&backlog) == 0.25);
	backlog = (struct backlog) { .samples = 8, .standing = 2, .kind = "netem" };
	TEST_TRUE("of a delay nothing is known", isnan(backlog_share(&backlog)));
	backlog = (struct backlog) { .kind = "fq_codel" };
	TEST_TRUE("nor without a look", isnan(backlog_share(&backlog)));
}

static const struct test_case cases[] = {
	{ "which kinds hold a rate", kinds },
	{ "how long packets waited", shares },
};

TEST_MAIN(cases)
