// SPDX-License-Identifier: GPL-2.0
/* verdict: which limit binds, the first of those with evidence. */
#include <math.h>

#include "../../tools/analysis/loss.h"
#include "../../tools/analysis/verdict.h"
#include "test.h"

enum { RATE, CPU, SEND_BUFFER, WINDOW, BUS, ETHERNET, ATM, LINK, LIMITS };

static const char *const names[LIMITS] = {
	"rate", "cpu", "send_buffer", "window", "bus", "ethernet", "atm",
	"link",
};

/* Of a goodput of 1000 Mb/s: limits in Mb/s, 0 where there is none. */
struct row {
	const char *what;
	double limit[LIMITS];
	double loss;
	const char *waited_for;
	enum verdict_kind kind;
	size_t binds;
};

static const struct row rows[] = {
	{ "nothing is known", .kind = VERDICT_NONE, .binds = CEILING_NONE },
	/* A stream paced to 500 Mb/s whose CPUs were busy with other work. */
	{ "the pace, and not the CPU", { [RATE] = 1004, [CPU] = 1000 },
	  .kind = VERDICT_SHARE, .binds = RATE },
	{ "a rate, with loss", { [RATE] = 1050, [CPU] = 1000 }, .loss = 0.05,
	  .kind = VERDICT_SHARE, .binds = RATE },
	{ "a rate that is not reached", { [RATE] = 1060, [CPU] = 1000 },
	  .kind = VERDICT_SHARE, .binds = CPU },
	/* An MTU of 1500: the link is full, and the CPU as well. */
	{ "the link, and not the CPU", { [ETHERNET] = 999.7, [CPU] = 1000,
					 [LINK] = 1060 },
	  .kind = VERDICT_SHARE, .binds = ETHERNET },
	{ "a link of which a little is left", { [BUS] = 1110, [CPU] = 1000 },
	  .kind = VERDICT_SHARE, .binds = BUS },
	{ "a link of which more is left", { [BUS] = 1120, [CPU] = 1000 },
	  .kind = VERDICT_SHARE, .binds = CPU },
	{ "cells", { [ATM] = 1005, [LINK] = 1100 }, .kind = VERDICT_SHARE,
	  .binds = ATM },
	{ "the link, and not the window", { [LINK] = 1100, [WINDOW] = 1000 },
	  .waited_for = "window", .kind = VERDICT_SHARE, .binds = LINK },
	{ "a window that TCP waited for", { [WINDOW] = 5000, [CPU] = 1000 },
	  .waited_for = "window", .kind = VERDICT_WAITED, .binds = WINDOW },
	{ "a buffer that TCP waited for", { [CPU] = 1000 },
	  .waited_for = "send_buffer", .kind = VERDICT_WAITED,
	  .binds = SEND_BUFFER },
	{ "a window that is reached", { [WINDOW] = 1100, [CPU] = 1000,
					[SEND_BUFFER] = 1105 },
	  .kind = VERDICT_SHARE, .binds = WINDOW },
	{ "a buffer that is reached", { [WINDOW] = 1108, [SEND_BUFFER] = 1105 },
	  .kind = VERDICT_SHARE, .binds = SEND_BUFFER },
	{ "loss, and not the CPU", { [CPU] = 1000 }, .loss = LOSS_MATTERS,
	  .kind = VERDICT_LOSS, .binds = CEILING_NONE },
	{ "loss that does not matter", { [CPU] = 1000 },
	  .loss = LOSS_MATTERS / 2, .kind = VERDICT_SHARE, .binds = CPU },
	{ "loss, and a link that is full", { [ETHERNET] = 1000 }, .loss = 0.5,
	  .kind = VERDICT_SHARE, .binds = ETHERNET },
	{ "a CPU that has a little left", { [CPU] = 1052 },
	  .kind = VERDICT_SHARE, .binds = CPU },
	{ "a CPU that has more left", { [CPU] = 1053 },
	  .kind = VERDICT_NONE, .binds = CEILING_NONE },
	/* Of the least limit 76.58 % was reached. */
	{ "the least, which is far away", { [CPU] = 1305.8, [LINK] = 2000 },
	  .kind = VERDICT_NONE, .binds = CEILING_NONE },
};

static void order(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct ceiling limits[LIMITS];
		struct verdict have;

		for (size_t j = 0; j < LIMITS; j++)
			limits[j] = (struct ceiling) {
				.name = names[j], .bps = rows[i].limit[j] * 1e6,
			};
		have = verdict_find(limits, LIMITS, &(struct verdict_facts) {
			.goodput_bps = 1e9, .loss_share = rows[i].loss,
			.waited_for = rows[i].waited_for,
		});
		TEST_U64(rows[i].what, have.kind, rows[i].kind);
		TEST_U64(rows[i].what, have.ceiling, rows[i].binds);
	}
}

static const struct test_case cases[] = {
	{ "the first that there is evidence of", order },
};

TEST_MAIN(cases)
