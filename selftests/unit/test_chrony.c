// SPDX-License-Identifier: GPL-2.0
/* chrony: what "chronyc -c tracking" prints. */
#include "../../tools/remote/chrony.h"
#include "test.h"

static void tracking(void)
{
	struct chrony chrony;

	/* 2 us fast; a root delay of 4 us, and a dispersion of 3 us. */
	chrony_parse("0A060001,10.6.0.1,2,1795623557.418303000,-0.000002000,"
		     "0.000001,0.000003,-1.5,0.001,0.05,0.000004000,"
		     "0.000003000,64.2,Normal\n", &chrony);
	TEST_U64("known", chrony.known, true);
	TEST_U64("ahead", chrony.ahead_ns, 2000);
	TEST_U64("error", chrony.error_ns, 5000);
}

static void unknown(void)
{
	static const char *const texts[] = {
		"", "506 Cannot talk to daemon\n",
		"00000000,none,0,0.000000000,0.000000000,0.000000000,"
		"0.000000000,-9.1,0.000,0.000,1.000000000,1.000000000,0.0,"
		"Not synchronised\n",
	};
	struct chrony chrony;

	for (size_t i = 0; i < TEST_COUNT(texts); i++) {
		chrony_parse(texts[i], &chrony);
		TEST_U64(texts[i], chrony.known, false);
	}
}

static const struct test_case cases[] = {
	{ "a clock that chronyd keeps", tracking },
	{ "a clock that it does not keep", unknown },
};

TEST_MAIN(cases)
