// SPDX-License-Identifier: GPL-2.0
/* stages_overhead: what the programs cost is what turns with and without them differ by. */
#include <math.h>

#include "../../tools/analysis/stages_overhead.h"
#include "test.h"

static void same(const char *what, double have, double want)
{
	if (have != want && !(fabs(have - want) <= 1e-9 * fabs(want) + 1e-8))
		TEST_FAIL("%s: have %.9g, want %.9g", what, have, want);
}

/* A message takes so long without programs. */
#define MESSAGE_NS	10000

/* How far the run has come. */
static struct stages_reading reading = { 77, 777, 7 };

/* So many messages pass, each with @more. */
static void pass(struct stages_overhead *overhead, enum stages_part part,
		 unsigned int messages, uint64_t more)
{
	reading.messages += messages;
	reading.now_ns += messages * (MESSAGE_NS + more);
	reading.cost_ns += messages * (MESSAGE_NS + more);
	stages_overhead_add(overhead, part, &reading);
}

/* Ten per cent with the programs, five while they are changed, and what all are slower. */
static void turn(struct stages_overhead *overhead, uint64_t slower)
{
	pass(overhead, STAGES_WITH, 100, 1000 + slower);
	pass(overhead, STAGES_CHANGING, 100, 500 + slower);
	pass(overhead, STAGES_WITHOUT, 200, slower);
	pass(overhead, STAGES_CHANGING, 100, 500 + slower);
	pass(overhead, STAGES_WITH, 100, 1000 + slower);
	stages_overhead_turn(overhead);
}

static void differences(void)
{
	struct stages_overhead overhead = { .last = reading };

	turn(&overhead, 0);
	turn(&overhead, 10000);
	TEST_U64("turns", overhead.turns, 2);
	same("attached", overhead.attached[0], 0.1);
	same("in all", overhead.whole[0], 0.05);
	same("of slower messages", overhead.attached[1], 0.05);
	same("in all", overhead.whole[1], 0.025);
}

/* A run that gets slower all the time has no difference. */
static void drift(void)
{
	struct stages_overhead overhead = { .last = reading };

	pass(&overhead, STAGES_WITH, 100, 1000);
	pass(&overhead, STAGES_CHANGING, 100, 2000);
	pass(&overhead, STAGES_WITHOUT, 100, 3000);
	pass(&overhead, STAGES_CHANGING, 100, 4000);
	pass(&overhead, STAGES_WITH, 100, 5000);
	stages_overhead_turn(&overhead);
	same("attached", overhead.attached[0], 0);
	same("in all", overhead.whole[0], 0);
}

static void pause(void)
{
	struct stages_overhead overhead = { .last = reading };

	same("not known", stages_overhead_pause(&overhead, 0.05), 0);
	pass(&overhead, STAGES_WITH, 100, 1000);
	same("nor now", stages_overhead_pause(&overhead, 0.05), 0);
	pass(&overhead, STAGES_WITHOUT, 100, 0);
	same("so much with another half", stages_overhead_pause(&overhead, 0.1), 0);
	same("for 5%, a third more", stages_overhead_pause(&overhead, 0.05),
	     3200000 / 3.0);
	stages_overhead_turn(&overhead);
	same("5% of the whole run", stages_overhead_pause(&overhead, 0.05), 0);
	same("for 2.5%, as long again", stages_overhead_pause(&overhead, 0.025),
	     2100000);
	same("for none, forever", stages_overhead_pause(&overhead, 0), INFINITY);
	pass(&overhead, STAGES_WITHOUT, 1000, 0);
	same("less than that", stages_overhead_pause(&overhead, 0.025), 0);
}

static void without_messages(void)
{
	struct stages_overhead overhead = { .last = reading };

	pass(&overhead, STAGES_WITH, 100, 1000);
	pass(&overhead, STAGES_WITHOUT, 0, 0);
	stages_overhead_turn(&overhead);
	TEST_U64("none without programs", overhead.turns, 0);
	pass(&overhead, STAGES_WITH, 0, 0);
	pass(&overhead, STAGES_WITHOUT, 100, 0);
	stages_overhead_turn(&overhead);
	TEST_U64("none with them", overhead.turns, 0);
	for (int i = 0; i < STAGES_TURNS_MAX + 1; i++)
		turn(&overhead, 0);
	TEST_U64("no more than are kept", overhead.turns, STAGES_TURNS_MAX);
}

static const struct test_case cases[] = {
	{ "a turn has what messages take longer with the programs", differences },
	{ "what gets slower all the time is no overhead", drift },
	{ "a pause is so long that a turn keeps to the share", pause },
	{ "a turn without messages does not count", without_messages },
};

TEST_MAIN(cases)
