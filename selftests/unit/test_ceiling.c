// SPDX-License-Identifier: GPL-2.0
/* The least of several limits, and what a CPU permits. */
#include <math.h>

#include "../../tools/ceilings/ceiling.h"
#include "test.h"

static void binding(void)
{
	struct ceiling list[3] = { { .name = "a" }, { .name = "b" },
				   { .name = "c" } };

	ceiling_unknown(&list[0], "nobody tells");
	ceiling_unknown(&list[1], "nobody tells");
	ceiling_unknown(&list[2], "nobody tells");
	TEST_TRUE("none", ceiling_binding(list, 3) == CEILING_NONE);
	ceiling_set(&list[1], 2e9, "%d and %d", 1, 1);
	TEST_STRING("why", list[1].because, "1 and 1");
	TEST_U64("one", ceiling_binding(list, 3), 1);
	ceiling_set(&list[2], 1e9, "less");
	TEST_U64("the least", ceiling_binding(list, 3), 2);
	ceiling_set(&list[0], 1e9, "as little, and sooner");
	TEST_U64("the first of them", ceiling_binding(list, 3), 0);
}

/*
 * The memo of 2001, table 6: a CPU of 1 GHz, busy to 98 % at 990 Mb/s, would be
 * busy all the time at 1010.
 */
static void cpu(void)
{
	double cycles_per_byte = 0.98 * 1e9 / (990.061369e6 / 8);

	TEST_TRUE("rate", fabs(ceiling_cpu_bps(1e9, cycles_per_byte) / 1e6 -
			       1010.266703) < 1e-5);
}

static const struct test_case cases[] = {
	{ "the least that is known binds", binding },
	{ "what the busiest CPU permits", cpu },
};

TEST_MAIN(cases)
