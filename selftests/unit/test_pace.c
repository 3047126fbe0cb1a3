// SPDX-License-Identifier: GPL-2.0
/* pace: when the module's streams may send, by a clock that the test sets. */
#include "kernel.h"

/* What pacing has of its surroundings: kmod/config.h, kmod/worker.h and timers. */
#define KTPUT_CONFIG_H
#define KTPUT_WORKER_H
#include <linux/ktput.h>

struct ktput_config {
	u64 packet_rate, pacing_rate;
	u32 message_size, streams;
	enum ktput_pattern pattern;
};

struct ktput_turn {
	unsigned int ready;
};

enum ktput_verdict {
	KTPUT_TURN_AGAIN,
	KTPUT_TURN_WAIT,
};

enum hrtimer_restart {
	HRTIMER_NORESTART,
};

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	u64 expires;
};

#define CLOCK_MONOTONIC		1
#define HRTIMER_MODE_ABS_PINNED	2
#define ns_to_ktime(ns)		(ns)

static void hrtimer_setup(struct hrtimer *timer,
			  enum hrtimer_restart (*function)(struct hrtimer *timer),
			  int clock, int mode)
{
	(void)clock;
	(void)mode;
	timer->function = function;
}

static void hrtimer_start(struct hrtimer *timer, u64 expires, int mode)
{
	(void)mode;
	timer->expires = expires;
}

static void hrtimer_cancel(struct hrtimer *timer)
{
	timer->expires = 0;
}

static void ktput_turn_ready(struct ktput_turn *turn)
{
	turn->ready++;
}

#include "../../kmod/pace.c"
#include "test.h"

#define START	1000000000ULL

static struct ktput_turn turn;

/* Before the first turn of a stream. */
static struct ktput_pace begun(struct ktput_config config, u32 slot)
{
	struct ktput_pace pace = {};

	if (!config.streams)
		config.streams = 1;
	clock_monotonic = START;
	ktput_pace_init(&pace, &turn);
	ktput_pace_begin(&pace, &config, slot);
	return pace;
}

static struct ktput_pace paced(struct ktput_config config, u32 slot)
{
	struct ktput_pace pace = begun(config, slot);

	(void)ktput_pace_credit(&pace);
	return pace;
}

static void none(void)
{
	struct ktput_pace pace = paced((struct ktput_config) { .message_size = 9 }, 0);

	TEST_U64("credit", (u64)ktput_pace_credit(&pace), S64_MAX);
	TEST_U64("packets", ktput_pace_packets(&pace, 1000, 128), 128);
	ktput_pace_sent(&pace, 5, 5000);
	TEST_U64("next", pace.next, 0);
}

/* Each is due as many gaps after the first, to the nanosecond, at any rate. */
static void by_the_rate(void)
{
	static const u64 rates[] = { 1, 7, 1000, 999983, 3000000, 1ULL << 40 };

	for (size_t i = 0; i < TEST_COUNT(rates); i++) {
		struct ktput_pace pace = paced((struct ktput_config) {
			.packet_rate = rates[i], .message_size = 100 }, 0);
		unsigned int n;

		for (n = 0; n < 100000; n++)
			ktput_pace_sent(&pace, 1, 100);
		/* 2^-32 ns are lost at each. */
		TEST_TRUE("due", START + n * 1000000000ULL / rates[i] - pace.next <= 1);
	}
}

static void bytes(void)
{
	struct ktput_pace pace = paced((struct ktput_config) {
		.pacing_rate = 1000000, .message_size = 100 }, 0);

	ktput_pace_sent(&pace, 3, 1500);
	TEST_TRUE("due", START + 1500000 - pace.next <= 1);
	TEST_U64("cost", ktput_pace_cost(&pace, 1500), 1500);
}

/* A millisecond for each packet. */
static struct ktput_pace thousand(void)
{
	return paced((struct ktput_config) {
		.packet_rate = 1000, .message_size = 100 }, 0);
}

static void credit(void)
{
	struct ktput_pace pace = thousand();

	TEST_U64("at once", (u64)ktput_pace_credit(&pace), 1);
	ktput_pace_sent(&pace, 1, 100);
	TEST_U64("sent", (u64)ktput_pace_credit(&pace), 0);
	clock_monotonic += 999999;
	TEST_U64("a moment early", (u64)ktput_pace_credit(&pace), 0);
	clock_monotonic += 2;
	TEST_U64("due", (u64)ktput_pace_credit(&pace), 1);
	/* The rate is rounded down. */
	clock_monotonic += 3300000;
	TEST_U64("three late", (u64)ktput_pace_credit(&pace), 4);
	TEST_U64("three late", ktput_pace_packets(&pace, 100, 128), 4);
	TEST_U64("no more than asked for", ktput_pace_packets(&pace, 100, 2), 2);
}

/* What is older than 5 ms is forgone. */
static void forgone(void)
{
	struct ktput_pace pace = thousand();

	clock_monotonic += 70000000;
	TEST_U64("packets", (u64)ktput_pace_credit(&pace), 5);
	TEST_U64("next", pace.next, clock_monotonic - 5000000);
	ktput_pace_sent(&pace, 5, 500);
	TEST_U64("up to date", (u64)ktput_pace_credit(&pace), 1);
}

/* Of bytes the last packet may take more than there are. */
static void packets(void)
{
	struct ktput_pace pace = paced((struct ktput_config) {
		.pacing_rate = 1000000, .message_size = 100 }, 0);

	TEST_U64("one byte is due", ktput_pace_packets(&pace, 1000, 128), 1);
	clock_monotonic += 3500000;
	TEST_U64("3501 are", ktput_pace_packets(&pace, 1000, 128), 4);
	ktput_pace_sent(&pace, 4, 4000);
	TEST_U64("499 too many", ktput_pace_packets(&pace, 1000, 128), 0);
}

/* First turns are spread over the time of a packet. */
static void slots(void)
{
	for (u32 slot = 0; slot < 4; slot++) {
		struct ktput_pace by_packet = paced((struct ktput_config) {
			.packet_rate = 1000, .message_size = 100, .streams = 4 }, slot);
		struct ktput_pace by_byte = paced((struct ktput_config) {
			.pacing_rate = 100000, .message_size = 100, .streams = 4 }, slot);

		TEST_TRUE("packets", START + slot * 250000 - by_packet.next <= 1);
		TEST_TRUE("bytes", START + slot * 250000 - by_byte.next <= 1);
	}
}

/* The rate begins with the first turn, but round trips count from their due time. */
static void first_turns(void)
{
	struct ktput_config config = { .packet_rate = 1000, .message_size = 100,
				       .streams = 4 };
	struct ktput_pace pace = begun(config, 0);

	clock_monotonic += 3000000;
	TEST_U64("one is due", (u64)ktput_pace_credit(&pace), 1);
	TEST_U64("next", pace.next, START + 3000000);
	pace = begun(config, 2);
	clock_monotonic += 3000000;
	TEST_U64("none is due", (u64)ktput_pace_credit(&pace), 0);
	TEST_TRUE("next", START + 3500000 - pace.next <= 1);
	config.pattern = KTPUT_PATTERN_PING_PONG;
	pace = begun(config, 0);
	clock_monotonic += 3000000;
	TEST_U64("requests are due", (u64)ktput_pace_credit(&pace), 3);
	TEST_U64("next", pace.next, START);
}

static void waits(void)
{
	struct ktput_pace pace = thousand();

	pace.next = clock_monotonic + 4000;
	TEST_U64("soon", ktput_pace_wait(&pace), KTPUT_TURN_AGAIN);
	TEST_U64("no timer", pace.timer.expires, 0);
	pace.next = clock_monotonic - 1;
	TEST_U64("over", ktput_pace_wait(&pace), KTPUT_TURN_AGAIN);
	pace.next = clock_monotonic + 6000;
	TEST_U64("later", ktput_pace_wait(&pace), KTPUT_TURN_WAIT);
	TEST_U64("a timer", pace.timer.expires, pace.next);
	turn.ready = 0;
	pace.timer.function(&pace.timer);
	TEST_U64("ready", turn.ready, 1);
	TEST_U64("a while", ktput_pace_look_again(&pace, 7000), KTPUT_TURN_WAIT);
	TEST_U64("a timer", pace.timer.expires, clock_monotonic + 7000);
	ktput_pace_stop(&pace);
	TEST_U64("no timer", pace.timer.expires, 0);
}

static const struct test_case cases[] = {
	{ "no pace", none },
	{ "packets are due by the rate", by_the_rate },
	{ "bytes are due by the rate", bytes },
	{ "credit", credit },
	{ "what is too old is forgone", forgone },
	{ "packets of bytes", packets },
	{ "streams begin one after the other", slots },
	{ "first turns", first_turns },
	{ "turns and timers", waits },
};

TEST_MAIN(cases)
