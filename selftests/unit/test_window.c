// SPDX-License-Identifier: GPL-2.0
/*
 * window: what the datagrams that arrive at the module come to, beside a model that
 * remembers every number.
 */
#include "kernel.h"

struct sk_buff;

static inline const void *skb_header_pointer(const struct sk_buff *skb, int offset,
					     int length, void *copy)
{
	(void)skb;
	(void)offset;
	(void)length;
	return copy;
}

#include "../../kmod/datagram.c"
#include "test.h"

static struct ktput_arrivals *arrivals(void)
{
	struct ktput_arrivals *made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);

	ktput_arrivals_init(made);
	return made;
}

#define WINDOW	(64 * KTPUT_WINDOW_WORDS)
#define STEPS	200000

/* One arrives, so many ns after it was sent. */
static void arrive(struct ktput_arrivals *to, u32 sequence, s64 transit, u32 length)
{
	struct ktput_datagram header;

	clock_real += 1000;
	ktput_datagram_fill(&header, 7, sequence, clock_real - transit);
	ktput_arrivals_add(to, &header, length, clock_real);
}

/*
 * What each number has come to, of those that a run of STEPS may have. Numbers are
 * 64 bits wide here, and begin where the test says.
 */
struct model {
	u64 first;
	u64 next;
	bool *seen;
	u64 lost, reordered, duplicates, late;
};

/* Before the oldest number of the window, whose words are whole. */
static bool is_late(const struct model *model, u64 number)
{
	const u64 latest = model->next - 1;

	return number + WINDOW - 64 + latest % 64 < latest;
}

static void model_add(struct model *model, u64 number)
{
	bool *seen = &model->seen[number - model->first];

	if (number >= model->next) {
		model->lost += number - model->next;
		model->next = number + 1;
	} else if (is_late(model, number)) {
		model->late++;
		return;
	} else if (*seen) {
		model->duplicates++;
	} else {
		model->reordered++;
		model->lost--;
	}
	*seen = true;
}

static void agree(const char *what, const struct ktput_arrivals *have,
		  const struct model *want)
{
	TEST_U64(what, have->stats.lost, want->lost);
	TEST_U64(what, have->stats.reordered, want->reordered);
	TEST_U64(what, have->stats.duplicates, want->duplicates);
	TEST_U64(what, have->stats.late, want->late);
	TEST_U64(what, have->stats.next, (u32)want->next);
	TEST_U64(what, have->stats.received - have->stats.duplicates -
		 have->stats.late + have->stats.lost, want->next - want->first);
}

/*
 * Numbers near the latest, as a way that loses, delays and doubles has them come:
 * just behind it, about where the window ends, and in leaps beyond it.
 */
static u64 pick(const struct model *model)
{
	const u64 back = model->next - model->first;
	const unsigned int kind = (unsigned int)random() % 16;
	u64 behind;

	if (kind < 9)
		return model->next;
	if (kind < 11)
		return model->next + 1 + (u64)random() % 3;
	if (kind == 11)
		return model->next + (u64)random() % (2 * WINDOW);
	behind = kind < 14 ? (u64)random() % 70 :
			     WINDOW - 130 + (u64)random() % 140;
	return behind < back ? model->next - 1 - behind : model->next;
}

static void follow(const char *what, u64 first)
{
	struct ktput_arrivals *have = arrivals();
	struct model want = { .first = first, .next = first };
	unsigned int i, failures = test_failures;

	/* A leap is WINDOW on the average, once in 16. */
	want.seen = calloc((size_t)STEPS * WINDOW / 4, sizeof(*want.seen));
	have->stats.next = (u32)first;
	for (i = 0; i < STEPS && test_failures == failures; i++) {
		const u64 number = pick(&want);

		model_add(&want, number);
		arrive(have, (u32)number, 0, 100);
		agree(what, have, &want);
	}
	TEST_U64("datagrams", have->stats.received, i);
	TEST_U64("bytes", have->bytes, 100ULL * i);
	TEST_TRUE("all kinds have come", want.lost && want.reordered &&
		  want.duplicates && want.late);
	free(want.seen);
	kfree(have);
}

/* A window from the beginning, so that nothing is before it. */
static void random_numbers(void)
{
	srandom(1);
	follow("from 0", 0);
	srandom(2);
	follow("from 2^20 + 5", (1 << 20) + 5);
}

/* They end at 2^32, and go on at 0. */
static void wraps(void)
{
	struct ktput_arrivals *have = arrivals();

	srandom(3);
	follow("over the end", (1ULL << 32) - 5000);
	/* A leap over it leaves what the window has. */
	have->stats.next = (u32)-10;
	for (u32 n = (u32)-10; n; n++)
		arrive(have, n, 0, 1);
	arrive(have, 5, 0, 1);
	arrive(have, (u32)-3, 0, 1);
	TEST_U64("duplicates", have->stats.duplicates, 1);
	TEST_U64("lost", have->stats.lost, 5);
	kfree(have);
}

/* A source that began before the sink: the first numbers are unknown. */
static void before_the_first(void)
{
	struct ktput_arrivals *have = arrivals();

	arrive(have, 0, 0, 1);
	arrive(have, U32_MAX, 0, 1);
	arrive(have, U32_MAX - 5000, 0, 1);
	TEST_U64("late", have->stats.late, 2);
	TEST_U64("lost", have->stats.lost, 0);
	TEST_U64("reordered", have->stats.reordered, 0);
	kfree(have);
}

/* One leap is as long as there are words, and nothing old is left. */
static void leaps(void)
{
	static const u32 by[] = { 1, 63, 64, 65, WINDOW - 1, WINDOW, WINDOW + 1,
				  1 << 20 };

	for (size_t i = 0; i < TEST_COUNT(by); i++) {
		struct ktput_arrivals *have = arrivals();
		const u32 to = 2 * WINDOW + by[i];
		u32 n;

		for (n = 0; n <= 2 * WINDOW; n++)
			arrive(have, n, 0, 1);
		arrive(have, to, 0, 1);
		TEST_U64("lost", have->stats.lost, by[i] - 1);
		for (n = to - 1; n > 2 * WINDOW && to - n < WINDOW - 64; n--)
			arrive(have, n, 0, 1);
		TEST_U64("duplicates", have->stats.duplicates, 0);
		TEST_U64("late", have->stats.late, 0);
		kfree(have);
	}
}

static void delays(void)
{
	struct ktput_arrivals *have = arrivals();

	arrive(have, 0, -500, 1);
	TEST_U64("least", (u64)have->stats.delay_min, (u64)-500);
	TEST_U64("greatest", (u64)have->stats.delay_max, (u64)-500);
	arrive(have, 1, -100, 1);
	arrive(have, 2, -300, 1);
	TEST_U64("least", (u64)have->stats.delay_min, (u64)-500);
	TEST_U64("greatest", (u64)have->stats.delay_max, (u64)-100);
	TEST_U64("sum", (u64)have->stats.delay_sum, (u64)-900);
	kfree(have);
}

/* RFC 3550, appendix A.8, whose J is rounded as there. */
static void jitter(void)
{
	struct ktput_arrivals *have = arrivals();
	s64 transit = 0, before = 0;
	u64 want = 0;

	srandom(4);
	for (u32 n = 0; n < 1000; n++) {
		transit = random() % 1000000 - 500000;
		arrive(have, n, transit, 1);
		if (n)
			want += (u64)llabs(transit - before) - ((want + 8) >> 4);
		before = transit;
		TEST_U64("jitter", have->stats.jitter, want);
	}
	kfree(have);
}

/* Readers get a copy. */
static void reads(void)
{
	struct ktput_arrivals *from = arrivals(), to;

	arrive(from, 3, 9, 50);
	ktput_arrivals_read(&to, from);
	arrive(from, 4, 9, 50);
	TEST_U64("datagrams", to.stats.received, 1);
	TEST_U64("bytes", to.bytes, 50);
	TEST_U64("lost", to.stats.lost, 3);
	kfree(from);
}

static void headers(void)
{
	struct ktput_datagram header, copy;

	ktput_datagram_fill(&header, 0x01020304, 0x05060708, 0x1122334455667788);
	TEST_TRUE("in the order of the network",
		  !memcmp(&header, "\1\2\3\4\5\6\7\10\x11\x22\x33\x44\x55\x66\x77\x88",
			  sizeof(header)));
	copy = header;
	TEST_TRUE("of the run", ktput_datagram_find(NULL, 0, 16, header.cookie, &copy));
	TEST_TRUE("of another",
		  !ktput_datagram_find(NULL, 0, 16, header.cookie ^ 1, &copy));
	TEST_TRUE("too short",
		  !ktput_datagram_find(NULL, 0, 15, header.cookie, &copy));
}

static const struct test_case cases[] = {
	{ "numbers at random, as a model has them", random_numbers },
	{ "numbers that pass 2^32", wraps },
	{ "numbers before the first", before_the_first },
	{ "leaps of all lengths", leaps },
	{ "delays, also below 0", delays },
	{ "jitter as in RFC 3550", jitter },
	{ "a copy of what has come", reads },
	{ "headers", headers },
};

TEST_MAIN(cases)
