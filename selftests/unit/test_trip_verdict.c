// SPDX-License-Identifier: GPL-2.0
/* trip_verdict: what limits a ping-pong, by what is known of its round trips. */
#include <math.h>
#include <string.h>

#include "../../tools/analysis/trip_verdict.h"
#include "test.h"

/* One request at a time, which wakes two threads of two CPUs. */
static struct trip_facts plain(void)
{
	return (struct trip_facts) {
		.trips_per_s = 40000, .alone = true, .latency_ns = 25000,
		.least_ns = 20000, .own_ns = 15000, .way_ns = 10000,
		.wake_ups = 2, .user = true,
		.source = { true, 0, .own = 0.4, .foreign = 0.01,
			    .delayed = 0.05, .asleep = 0.55,
			    .work = "source calls", .others = "other tasks" },
		.sink = { true, 1, .own = 0.2, .foreign = 0.02,
			  .delayed = 0.05, .asleep = 0.75,
			  .work = "sink calls", .others = "other tasks" },
	};
}

static const char *remedy_of(const struct verdict *verdict)
{
	static char text[REMEDY_TEXT];

	return remedy_text(verdict->remedies, text, sizeof(text));
}

static struct verdict judged(const struct trip_facts *facts, const char *name,
			     const char *text)
{
	struct verdict have;

	trip_verdict(facts, &have);
	TEST_STRING("name", have.name, name);
	TEST_CONTAINS("text", have.text, text);
	TEST_TRUE("remedy", !strcmp(name, "none") || have.remedies);
	return have;
}

static void each(void)
{
	struct trip_facts facts = plain();
	struct verdict have;

	have = judged(&facts, "wake_ups",
		      "wake-ups: 2.0 threads are woken per round trip of 25.00 us");
	TEST_STRING("remedy", remedy_of(&have), "wait spin, which wakes no thread");
	TEST_STRING("sure", verdict_sure(have.sure), "medium");
	facts.slowest_stage = "run";
	facts.slowest_where = "between";
	facts.slowest_share = 0.834;
	have = judged(&facts, "wake_ups",
		      "; of what the slowest 1% take longer, 83% passed in 'run': between");
	TEST_CONTAINS("the rest", have.text, "threads are woken");
	facts.slowest_stage = NULL;
	have = judged(&facts, "wake_ups", "");
	TEST_TRUE("not known", !strstr(have.text, "slowest"));
	facts.user = false;
	have = judged(&facts, "wake_ups", "");
	TEST_STRING("remedy", remedy_of(&have),
		    "reply callback, which wakes no thread");
	/* Datagrams do not tell how long the way is. */
	facts.way_ns = NAN;
	have = judged(&facts, "wake_ups", "");
	TEST_STRING("sure", verdict_sure(have.sure), "low");

	facts = plain();
	facts.latency_ns = 10e6;
	facts.way_ns = 9e6;
	have = judged(&facts, "way",
		      "path delay: 90% of the mean round trip of 10000.00 us, by the minimum of TCP, 9000.00 us");
	/* Datagrams tell by their least round trip, less what wakes threads. */
	facts.way_ns = NAN;
	facts.least_ns = 9e6;
	judged(&facts, "way", "84% of the mean");
	facts.least_ns = 8e6;
	judged(&facts, "way", "80% of the mean");
	/* What work and delays have, the path has not; it may still be what takes most. */
	facts.own_ns = 3.6e6;
	judged(&facts, "way", "48% of the mean");
	facts.own_ns = 4.2e6;
	judged(&facts, "wake_ups", "works for 42%");
	facts.own_ns = 3e6;
	facts.wake_ups = 0;
	judged(&facts, "way", "60% of the mean");
	facts.sink.delayed = 0.45;
	judged(&facts, "none", "20% is path delay");

	/* Softirqs answer. */
	facts = plain();
	facts.wake_ups = 0;
	have = judged(&facts, "cpu", "60% of the round trip of 25.00 us");
	TEST_CONTAINS("remedy", remedy_of(&have), ", or reply callback");
	facts.callback = true;
	have = judged(&facts, "cpu", "60% of the round trip of 25.00 us");
	TEST_STRING("no remedy that it has", remedy_of(&have),
		    "less work per round trip: smaller messages");
	facts.own_ns = 5000;
	judged(&facts, "none", "20% of a round trip is CPU work of the run, 40% is path delay");
	facts.alone = false;
	judged(&facts, "none", "requests overlap");

	facts = plain();
	facts.source.own = 0.96;
	facts.source.asleep = 0.02;
	judged(&facts, "cpu", "CPU 0: 96.0% used by this run");
	/* A CPU that polls is full, and limits nothing. */
	facts.spins = true;
	facts.wake_ups = 0;
	facts.way_ns = 20000;
	judged(&facts, "way", "");
}

static void common(void)
{
	struct trip_facts facts = plain();
	struct verdict have;

	facts.rate_per_s = 41000;
	judged(&facts, "rate", "97.56% of it is reached");
	facts.rate_per_s = 50000;
	judged(&facts, "wake_ups", "");

	facts = plain();
	facts.think_share = 0.6;
	judged(&facts, "application", "it waited (think) 60% of the time");

	facts = plain();
	facts.lost_share = 0.02;
	judged(&facts, "loss", "2.00% of the datagrams were lost");
	facts = plain();
	facts.resent = 20;
	facts.resent_share = 0.02;
	judged(&facts, "loss", "2.00% of the segments were lost");

	facts = plain();
	facts.quota_share = 0.7;
	judged(&facts, "quota", "70% of the time");
	facts.quota_share = 0.02;
	judged(&facts, "wake_ups", "");

	facts = plain();
	facts.disturbed = true;
	have = judged(&facts, "wake_ups", "");
	TEST_STRING("sure", verdict_sure(have.sure), "low");
	facts.sink.foreign = 0.8;
	facts.sink.delayed = 0.6;
	judged(&facts, "other_work", "waited for a CPU for 65% of the mean");
	facts.sink.delayed = 0.9;
	facts.sink.asleep = 0;
	judged(&facts, "other_work", "it used 80% of CPU 1 (other tasks)");

	facts = plain();
	facts.latency_ns = NAN;
	trip_verdict(&facts, &have);
	TEST_STRING("nothing known", have.text, "");
}

static const struct test_case cases[] = {
	{ "the parts of a round trip", each },
	{ "rules shared with runs that have goodput", common },
};

TEST_MAIN(cases)
