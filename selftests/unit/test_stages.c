// SPDX-License-Identifier: GPL-2.0
/* stages: stamps are joined by message, and its stages add up to its whole time. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/analysis/stages.h"
#include "test.h"

#define SENT_NS		1000000000ULL
#define PORTS		(40000U << 16 | 5010)
#define PACKET		0xffff888000001000ULL

/* Time in each stage of a message, by its end. */
static const uint64_t times[STAGES_PLACES] = {
	[STAGES_SENT] = 1001, [STAGES_QUEUED] = 203,
	[STAGES_TRANSMITTED] = 30007, [STAGES_RECEIVED] = 411,
	[STAGES_ENTERED] = 59, [STAGES_DELIVERED] = 613,
	[STAGES_WOKEN] = 31, [STAGES_RUNNING] = 5003,
	[STAGES_TAKEN] = 70001, [STAGES_COPIED] = 17,
};

#define WHOLE_NS \
	(1001 + 203 + 30007 + 411 + 59 + 613 + 31 + 5003 + 70001 + 17)

static struct stages_stamp stamp_at(uint32_t number, enum stages_place place,
				    uint64_t time_ns)
{
	return (struct stages_stamp) {
		.time_ns = time_ns, .sent_ns = SENT_NS + number,
		.packet = PACKET, .number = number, .ports = PORTS,
		.place = place,
	};
}

/* A message passes all places but those of @missed, with @more in one stage. */
static void pass(struct stages *stages, uint32_t number, uint32_t missed,
		 enum stages_place stage, uint64_t more)
{
	uint64_t now = SENT_NS + number;

	for (enum stages_place i = STAGES_SENT; i <= stages->last; i++) {
		struct stages_stamp stamp;

		now += times[i] + (i == stage ? more : 0);
		stamp = stamp_at(number, i, now);
		if (i >= stages->first && !(missed & 1U << i))
			stages_add(stages, &stamp);
	}
}

static void begin(struct stages *stages)
{
	if (stages_begin(stages, STAGES_HANDED, STAGES_COPIED))
		abort();
}

/* Computes, and releases the stages. */
static struct stages_result end(struct stages *stages, uint64_t every,
				uint64_t from_ns)
{
	struct stages_result result;

	TEST_TRUE("computed", !stages_compute(stages, every, from_ns, &result));
	stages_free(stages);
	return result;
}

static uint64_t sum(const struct stages_result *result)
{
	uint64_t all = 0;

	for (int i = 0; i < STAGES_PLACES; i++)
		all += result->row[i].sum_ns;
	return all;
}

static void stages_add_up(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	pass(&stages, 0, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("messages", result.messages, 1);
	TEST_U64("whole", result.whole.sum_ns, WHOLE_NS);
	TEST_U64("sum of the stages", sum(&result), WHOLE_NS);
	for (enum stages_place i = STAGES_SENT; i <= STAGES_COPIED; i++) {
		TEST_U64(stages_key(i), result.row[i].sum_ns, times[i]);
		TEST_U64(stages_key(i), result.row[i].p50_ns, times[i]);
		TEST_U64(stages_key(i), result.row[i].p99_ns, times[i]);
	}
	TEST_U64("none before the first place", result.row[0].seen, 0);
}

static void missed_place_joins_two_stages(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	for (int i = 0; i < 10; i++)
		pass(&stages, i, 1U << STAGES_RECEIVED, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("messages", result.messages, 10);
	TEST_U64("not seen", result.row[STAGES_RECEIVED].seen, 0);
	TEST_U64("in the next stage", result.row[STAGES_ENTERED].p50_ns,
		 times[STAGES_RECEIVED] + times[STAGES_ENTERED]);
	TEST_U64("sum", sum(&result), 10 * WHOLE_NS);

	/* Of a single message, the others' stages would not be its own. */
	begin(&stages);
	for (int i = 0; i < 10; i++)
		pass(&stages, i, i == 4 ? 1U << STAGES_RECEIVED : 0,
		     STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 9);
	TEST_U64("partial", result.partial, 1);
	TEST_U64("seen", result.row[STAGES_RECEIVED].seen, 1);

	/* What a single message has is no stage of the others. */
	begin(&stages);
	for (int i = 0; i < 10; i++)
		pass(&stages, i, i == 4 ? 0 : 1U << STAGES_RECEIVED,
		     STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 10);
	TEST_U64("not seen", result.row[STAGES_RECEIVED].seen, 0);
}

static void lost_and_copied_do_not_count(void)
{
	struct stages stages;
	struct stages_result result;
	struct stages_stamp copy;

	begin(&stages);
	for (int i = 0; i < 5; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	/* One gets no further than the driver, of another there is a copy. */
	pass(&stages, 5, ~0U << STAGES_RECEIVED, STAGES_HANDED, 0);
	pass(&stages, 6, 0, STAGES_HANDED, 0);
	copy = stamp_at(6, STAGES_RECEIVED, SENT_NS + 500000);
	copy.packet++;
	stages_add(&stages, &copy);
	/* The number comes round again. */
	copy = stamp_at(3, STAGES_SENT, SENT_NS + 9000000);
	copy.sent_ns += 8000000;
	stages_add(&stages, &copy);
	/* A packet passes a bridge, and the CPUs report in any order. */
	copy = stamp_at(4, STAGES_QUEUED, SENT_NS + 9000000);
	stages_add(&stages, &copy);
	/* Another stream has the same numbers. */
	copy = stamp_at(2, STAGES_COPIED, SENT_NS + 9000000);
	copy.ports++;
	stages_add(&stages, &copy);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 5);
	TEST_U64("duplicated", result.duplicated, 1);
	TEST_U64("unfinished", result.unfinished, 2);
	TEST_U64("partial", result.partial, 1);
	TEST_U64("sum", sum(&result), 5 * WHOLE_NS);
	TEST_U64("whole", result.whole.sum_ns, 5 * WHOLE_NS);
}

static void earliest_of_a_packet_counts(void)
{
	struct stages stages;
	struct stages_result result;
	struct stages_stamp again;

	begin(&stages);
	again = stamp_at(0, STAGES_TRANSMITTED, SENT_NS + 50000);
	stages_add(&stages, &again);
	pass(&stages, 0, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("messages", result.messages, 1);
	TEST_U64("queue", result.row[STAGES_TRANSMITTED].sum_ns,
		 times[STAGES_TRANSMITTED]);
}

static void clock_that_is_set(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	pass(&stages, 0, 0, STAGES_HANDED, 0);
	pass(&stages, 1, 0, STAGES_RECEIVED, -1000000ULL);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 1);
	TEST_U64("disordered", result.disordered, 1);
	TEST_U64("whole", result.whole.sum_ns, WHOLE_NS);
}

static void each_nth(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	for (int i = 0; i < 64; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	result = end(&stages, 8, SENT_NS + 16);
	TEST_U64("every", result.every, 8);
	TEST_U64("of 8, after the warm-up", result.messages, 6);

	/* As many as are kept, of a long run. */
	begin(&stages);
	for (uint32_t i = 0; i < 3 * STAGES_MESSAGES_MAX; i++) {
		struct stages_stamp stamp = stamp_at(i, STAGES_SENT,
						     SENT_NS + i + 1);

		stages_add(&stages, &stamp);
	}
	TEST_TRUE("not too many", stages.count <= STAGES_MESSAGES_MAX);
	result = end(&stages, 1, 0);
	TEST_U64("every", result.every, 4);
	TEST_U64("of all", result.unfinished, 3 * STAGES_MESSAGES_MAX / 4);
}

/* The other end is in another kernel, whose clock is another one. */
static void one_end(void)
{
	struct stages stages;
	struct stages_result result;

	if (stages_begin(&stages, STAGES_RECEIVED, STAGES_TAKEN))
		abort();
	for (int i = 0; i < 4; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, SENT_NS);
	TEST_U64("messages", result.messages, 4);
	TEST_U64("first has no stage", result.row[STAGES_RECEIVED].seen, 0);
	TEST_U64("whole", result.whole.p50_ns, 59 + 613 + 31 + 5003 + 70001);
	TEST_U64("sum", sum(&result), result.whole.sum_ns);

	if (stages_begin(&stages, STAGES_RECEIVED, STAGES_TAKEN))
		abort();
	for (int i = 0; i < 4; i++)
		pass(&stages, i, 1U << STAGES_RECEIVED, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("from the first place seen", result.messages, 4);
	TEST_U64("whole", result.whole.p50_ns, 613 + 31 + 5003 + 70001);
}

static void percentiles(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	for (int i = 0; i < 200; i++)
		pass(&stages, i, 0, STAGES_TAKEN, i * 1000);
	result = end(&stages, 1, 0);
	TEST_U64("p50", result.row[STAGES_TAKEN].p50_ns,
		 times[STAGES_TAKEN] + 99 * 1000);
	TEST_U64("p99", result.row[STAGES_TAKEN].p99_ns,
		 times[STAGES_TAKEN] + 197 * 1000);
	TEST_U64("whole, p99", result.whole.p99_ns, WHOLE_NS + 197 * 1000);
	TEST_U64("too few for the slowest", result.slowest[STAGES_PERCENT], 0);
}

/* The slowest are late in the queue by 3 parts, and at the reader by 1. */
static void slowest(void)
{
	struct stages stages;
	struct stages_result result;
	double excess = 0;

	begin(&stages);
	for (int i = 0; i < 1000; i++) {
		struct stages_stamp stamp;
		uint64_t now = SENT_NS + i;

		for (enum stages_place j = STAGES_SENT; j <= STAGES_COPIED; j++) {
			const bool late = i % 100 == 7;

			now += times[j];
			if (late && j == STAGES_TRANSMITTED)
				now += 3000000;
			if (late && j == STAGES_TAKEN)
				now += 1000000;
			stamp = stamp_at(i, j, now);
			stages_add(&stages, &stamp);
		}
	}
	result = end(&stages, 1, 0);
	TEST_U64("slowest", result.slowest[STAGES_PERCENT], 10);
	TEST_U64("one in a thousand", result.slowest[STAGES_PERMILLE], 0);
	TEST_U64("all of them", result.whole.slowest_ns[STAGES_PERCENT], WHOLE_NS + 4000000);
	TEST_U64("excess", result.whole.excess_ns[STAGES_PERCENT], 4000000);
	TEST_U64("in the queue", result.row[STAGES_TRANSMITTED].excess_ns[STAGES_PERCENT],
		 3000000);
	TEST_U64("at the reader", result.row[STAGES_TAKEN].excess_ns[STAGES_PERCENT], 1000000);
	TEST_U64("elsewhere", fabs(result.row[STAGES_SENT].excess_ns[STAGES_PERCENT]), 0);
	for (int i = 0; i < STAGES_PLACES; i++)
		excess += result.row[i].excess_ns[STAGES_PERCENT];
	TEST_TRUE("adds up", fabs(excess - result.whole.excess_ns[STAGES_PERCENT]) < 1e-3);

	begin(&stages);
	for (int i = 0; i < 999; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("too few", result.slowest[STAGES_PERCENT], 0);
}

/* Of 10,000, one in a thousand is late in the queue, and one in a hundred at the reader. */
static void one_in_a_thousand(void)
{
	struct stages stages;
	struct stages_result result;
	double share = 0;

	begin(&stages);
	for (int i = 0; i < 10000; i++)
		pass(&stages, i, 0, i % 1000 ? STAGES_TAKEN : STAGES_TRANSMITTED,
		     i % 1000 ? (i % 100 ? 0 : 1000000) : 9000000);
	result = end(&stages, 1, 0);
	TEST_U64("of 1%", result.slowest[STAGES_PERCENT], 100);
	TEST_U64("of 0.1%", result.slowest[STAGES_PERMILLE], 10);
	TEST_U64("excess of 0.1%", result.whole.excess_ns[STAGES_PERMILLE],
		 9000000);
	TEST_U64("in the queue",
		 result.row[STAGES_TRANSMITTED].excess_ns[STAGES_PERMILLE],
		 9000000);
	TEST_U64("excess of 1%", result.whole.excess_ns[STAGES_PERCENT],
		 900000 + 900000);
	TEST_U64("the worst of 0.1%",
		 stages_worst(&result, STAGES_PERMILLE, &share),
		 STAGES_TRANSMITTED);
	TEST_TRUE("has all", share > 0.999 && share < 1.001);

	begin(&stages);
	for (int i = 0; i < 9999; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("too few", result.slowest[STAGES_PERMILLE], 0);
	TEST_U64("none is slower",
		 stages_worst(&result, STAGES_PERCENT, &share), STAGES_HANDED);
}

/* A message that waits for its reader: woken and running at these times after it came. */
static struct stages_result waited(int64_t woken, int64_t running)
{
	const uint64_t came = SENT_NS + 1001 + 203 + 30007 + 411 + 59 + 613;
	const struct stages_reader reader = {
		.woken_ns = came + woken, .running_ns = came + running,
		.instead = "bash",
	};
	struct stages stages;
	struct stages_stamp taken;

	begin(&stages);
	taken = stamp_at(0, STAGES_TAKEN, came + 31 + 5003 + 70001);
	stages_add_reader(&stages, &taken, &reader);
	pass(&stages, 0, 1U << STAGES_WOKEN | 1U << STAGES_RUNNING,
	     STAGES_HANDED, 0);
	return end(&stages, 1, 0);
}

static void readers(void)
{
	struct stages_result result = waited(40, 6000);

	TEST_U64("followed", result.messages, 1);
	TEST_U64("woken", result.row[STAGES_WOKEN].sum_ns, 40);
	TEST_U64("running", result.row[STAGES_RUNNING].sum_ns, 5960);
	TEST_U64("taken", result.row[STAGES_TAKEN].sum_ns, 75035 - 6000);
	TEST_U64("sum", sum(&result), WHOLE_NS);

	/* It came when the reader was woken already, or ran. */
	result = waited(-500, 6000);
	TEST_U64("woken", result.row[STAGES_WOKEN].sum_ns, 0);
	TEST_U64("running", result.row[STAGES_RUNNING].sum_ns, 6000);
	TEST_U64("sum", sum(&result), WHOLE_NS);
	result = waited(-500, -100);
	TEST_U64("running", result.row[STAGES_RUNNING].sum_ns, 0);
	TEST_U64("taken", result.row[STAGES_TAKEN].sum_ns, 75035);
	/* It was woken before it slept, on its CPU. */
	result = waited(700, -100);
	TEST_U64("woken", result.row[STAGES_WOKEN].sum_ns, 700);
	TEST_U64("running", result.row[STAGES_RUNNING].sum_ns, 0);
	TEST_U64("sum", sum(&result), WHOLE_NS);
}

/* Of 1,000, the slowest wait for their readers: those of "a" longer, of "b" more often. */
static void tasks_before_readers(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	for (int i = 0; i < 1000; i++) {
		const bool late = i < 10, first = i < 3;
		const uint64_t wait = first ? 8000000 : late ? 1000000 : 0;
		const uint64_t came = SENT_NS + i + 32294;
		struct stages_reader reader = {
			.woken_ns = came, .running_ns = came + wait,
			.instead = "b",
		};
		struct stages_stamp taken =
			stamp_at(i, STAGES_TAKEN, came + 75035 + wait);

		if (first)
			reader.instead[0] = 'a';
		stages_add_reader(&stages, &taken, &reader);
		pass(&stages, i, 1U << STAGES_WOKEN | 1U << STAGES_RUNNING,
		     STAGES_TAKEN, wait);
	}
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 1000);
	TEST_U64("tasks", result.tasks, 2);
	TEST_STRING("longest", result.task[0].name, "a");
	TEST_U64("times", result.task[0].messages, 3);
	TEST_U64("time", result.task[0].wait_ns, 24000000);
	TEST_STRING("next", result.task[1].name, "b");
	TEST_U64("times", result.task[1].messages, 7);
	TEST_U64("running", result.row[STAGES_RUNNING].excess_ns[STAGES_PERCENT],
		 (24000000 + 7000000) / 10);
}

/* A response has the places of its request once more; one of five does not come. */
static struct stages_result round_trips(bool away)
{
	const enum stages_place last = STAGES_BACK + STAGES_COPIED;
	struct stages stages;

	if (stages_begin(&stages, STAGES_HANDED, last))
		abort();
	stages.away = away;
	for (int i = 0; i < 5; i++) {
		uint64_t now = SENT_NS + i;

		for (enum stages_place j = STAGES_SENT; j <= last; j++) {
			struct stages_stamp stamp;

			now += j <= STAGES_BACK ? times[j] :
						  2 * times[j - STAGES_BACK];
			stamp = stamp_at(i, j, now);
			/* The response is another packet. */
			stamp.packet += j > STAGES_BACK;
			if (i != 3 || j <= STAGES_BACK)
				stages_add(&stages, &stamp);
		}
	}
	return end(&stages, 1, 0);
}

static void round_trip(void)
{
	struct stages_result result = round_trips(false);

	TEST_U64("followed", result.messages, 4);
	TEST_U64("unfinished", result.unfinished, 1);
	TEST_U64("whole", result.whole.p50_ns, 3 * WHOLE_NS);
	TEST_U64("sum", sum(&result), 4 * 3 * WHOLE_NS);
	TEST_U64("queue of the response",
		 result.row[STAGES_BACK + STAGES_TRANSMITTED].p50_ns, 2 * 30007);
	TEST_STRING("its name", stages_key(STAGES_BACK + STAGES_TRANSMITTED),
		    "back_queue");
	TEST_STRING("of the sink", stages_key(STAGES_BACK + STAGES_SENT),
		    "answer");

	/* The sink is another's, even if it is seen. */
	result = round_trips(true);
	TEST_U64("followed", result.messages, 4);
	TEST_U64("sum", sum(&result), 4 * 3 * WHOLE_NS);
	TEST_U64("nothing there", result.row[STAGES_BACK + STAGES_SENT].seen, 0);
	TEST_U64("its last place", result.row[STAGES_TRANSMITTED].seen, 1);
	TEST_U64("there and back", result.row[STAGES_BACK + STAGES_RECEIVED].p50_ns,
		 411 + 59 + 613 + 31 + 5003 + 70001 + 17 +
		 2 * (1001 + 203 + 30007 + 411));
}

static void windows(void)
{
	struct stages stages;
	struct stages_result result;

	/* Of 30 messages the first ten began before it, the last ten after it. */
	begin(&stages);
	stages.from_ns = SENT_NS + 10;
	for (int i = 0; i < 20; i++)
		pass(&stages, i, i == 10 ? 1U << STAGES_COPIED : 0,
		     i == 12 ? STAGES_RUNNING : STAGES_HANDED, 500);
	stages.to_ns = SENT_NS + 20;
	TEST_U64("the slowest", stages_longest(&stages), WHOLE_NS + 500);
	for (int i = 20; i < 30; i++)
		pass(&stages, i, 0, STAGES_HANDED, 0);
	/* What began in it may end after it. */
	pass(&stages, 10, 0, STAGES_HANDED, 0);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 10);
	TEST_U64("unfinished", result.unfinished, 0);
	TEST_U64("sum", sum(&result), 10 * WHOLE_NS + 500);

	/* Where the source is elsewhere, its clock tells nothing. */
	if (stages_begin(&stages, STAGES_RECEIVED, STAGES_COPIED))
		abort();
	TEST_U64("none", stages_longest(&stages), UINT64_MAX);
	stages.from_ns = SENT_NS + 35000;
	/* One begins before it, with a place within; one is all within. */
	pass(&stages, 0, 1U << STAGES_RECEIVED | 1U << STAGES_ENTERED,
	     STAGES_HANDED, 0);
	pass(&stages, 1, 0, STAGES_TRANSMITTED, 10000);
	TEST_U64("the slowest", stages_longest(&stages),
		 59 + 613 + 31 + 5003 + 70001 + 17);
	result = end(&stages, 1, 0);
	TEST_U64("followed", result.messages, 1);
	TEST_U64("partial", result.partial, 0);
}

static void none(void)
{
	struct stages stages;
	struct stages_result result;

	begin(&stages);
	result = end(&stages, 1, 0);
	TEST_U64("messages", result.messages, 0);
	TEST_U64("whole", result.whole.sum_ns, 0);
}

static const struct test_case cases[] = {
	{ "the stages of a message add up to its whole time", stages_add_up },
	{ "a place that is not seen joins two stages",
	  missed_place_joins_two_stages },
	{ "messages that are lost, copied or alike do not mix",
	  lost_and_copied_do_not_count },
	{ "a packet that passes again was there before",
	  earliest_of_a_packet_counts },
	{ "a clock that is set makes no stage negative", clock_that_is_set },
	{ "each n-th message, and no more than are kept", each_nth },
	{ "one end in this kernel", one_end },
	{ "percentiles", percentiles },
	{ "what the slowest take longer, by stage", slowest },
	{ "what one in a thousand takes longer", one_in_a_thousand },
	{ "a reader is woken, and runs, after the message came", readers },
	{ "what had the CPUs of readers before them", tasks_before_readers },
	{ "there and back", round_trip },
	{ "what did not begin in a window does not count", windows },
	{ "without a message", none },
};

TEST_MAIN(cases)
