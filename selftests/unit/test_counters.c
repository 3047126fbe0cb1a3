// SPDX-License-Identifier: GPL-2.0
/* counters: those of a turn, each by itself. */
#include "kernel.h"

#include "../../kmod/counters.h"
#include "test.h"

#define COUNTERS	(sizeof(struct ktput_counters) / sizeof(u64))

union counters {
	struct ktput_counters named;
	u64 all[COUNTERS];
};

static void fill(union counters *counters, u64 factor)
{
	for (size_t i = 0; i < COUNTERS; i++)
		counters->all[i] = factor * (i + 1);
}

static void are(const char *what, const union counters *counters, u64 factor)
{
	for (size_t i = 0; i < COUNTERS; i++)
		TEST_U64(what, counters->all[i], factor * (i + 1));
}

static void together(void)
{
	union counters sum = {}, turn, copy;

	fill(&turn, 10);
	ktput_counters_add(&sum.named, &turn.named);
	ktput_counters_add(&sum.named, &turn.named);
	are("added", &sum, 20);
	ktput_counters_read(&copy.named, &sum.named);
	are("read", &copy, 20);
	ktput_counters_subtract(&copy.named, &turn.named);
	are("taken away", &copy, 10);
	are("left alone", &sum, 20);
}

static void wake_ups(void)
{
	union counters counters = {};

	ktput_counters_wake_up(&counters.named);
	TEST_U64("wake-ups", counters.named.wake_ups, 1);
	counters.named.wake_ups = 0;
	are("all others", &counters, 0);
	clock_cycles = 5;
	TEST_U64("clock", ktput_counters_clock(), 5);
}

static const struct test_case cases[] = {
	{ "added, read and taken away", together },
	{ "a wake-up", wake_ups },
};

TEST_MAIN(cases)
