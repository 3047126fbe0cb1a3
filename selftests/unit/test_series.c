// SPDX-License-Identifier: GPL-2.0
/* series: intervals that are kept, joined and left out. */
#include <math.h>

#include "../../tools/analysis/series.h"
#include "test.h"

#define SECOND	1000000000ULL
#define MS	1000000ULL

/* An interval with @bytes that ends at @to_ns; the next begins there. */
static uint64_t add(struct series *series, uint64_t from_ns, uint64_t to_ns,
		    uint64_t bytes)
{
	series_add(series, &(struct series_interval) {
		.from_ns = from_ns, .to_ns = to_ns, .bytes = bytes,
		.packets = bytes / 10, .busy_cycles = 3.0 * bytes,
		.own_cycles = 2.0 * bytes,
	}, false);
	return to_ns;
}

static void quantities(void)
{
	struct series series = { 0 };
	struct statistics have;
	uint64_t at = 0;

	at = add(&series, at, SECOND, 1000);
	at = add(&series, at, 2 * SECOND, 3000);
	series_statistics(&series, SECOND, SERIES_GOODPUT_BPS, &have);
	TEST_U64("count", have.count, 2);
	TEST_U64("mean", llround(have.mean), 16000);
	TEST_U64("max", llround(have.max), 24000);
	/* 16000 bit/s more within a second, of a mean of 16000. */
	TEST_U64("steadiness", llround(have.steadiness_per_s * 1000), 1000);
	series_statistics(&series, SECOND, SERIES_PACKETS_PER_S, &have);
	TEST_U64("packets", llround(have.mean), 200);
	series_statistics(&series, SECOND, SERIES_BUSY_CYCLES_PER_BYTE, &have);
	TEST_U64("cycles", llround(have.mean * 1000), 3000);
	series_statistics(&series, SECOND, SERIES_OWN_CYCLES_PER_BYTE, &have);
	TEST_U64("own cycles", llround(have.mean * 1000), 2000);

	/* One without payload has no cycles per byte. */
	at = add(&series, at, 3 * SECOND, 0);
	series_statistics(&series, SECOND, SERIES_BUSY_CYCLES_PER_BYTE, &have);
	TEST_U64("count without payload", have.count, 2);
	series_statistics(&series, SECOND, SERIES_GOODPUT_BPS, &have);
	TEST_U64("count of rates", have.count, 3);
	series_free(&series);
	TEST_U64("empty", series.count, 0);
}

static void left_out(void)
{
	struct series series = { 0 };
	struct statistics have;
	uint64_t at = 2 * SECOND;

	TEST_TRUE("none", !series_leaves_out_last(&series, SECOND));
	series_add(&series, &(struct series_interval) {
		.to_ns = at, .bytes = 77,
	}, true);
	TEST_U64("warm-up", series.warm_up, 1);
	TEST_U64("warm-up", series.count, 0);
	at = add(&series, at, 3 * SECOND, 1000);
	at = add(&series, at, 4 * SECOND + 10 * MS, 1000);
	TEST_TRUE("a little longer",
		  !series_leaves_out_last(&series, SECOND));
	at = add(&series, at, 5 * SECOND - 40 * MS, 1000);
	TEST_TRUE("5% shorter", series_leaves_out_last(&series, SECOND));
	series.count--;
	at = 4 * SECOND + 10 * MS;
	at = add(&series, at, 4 * SECOND + 500 * MS, 1);
	TEST_TRUE("shorter", series_leaves_out_last(&series, SECOND));
	series_statistics(&series, SECOND, SERIES_GOODPUT_BPS, &have);
	TEST_U64("without the last", have.count, 2);
	at = add(&series, at, 5 * SECOND + 600 * MS, 1);
	TEST_TRUE("longer", series_leaves_out_last(&series, SECOND));
	series_free(&series);
}

/* Ten times more than fit, and two: no byte is lost, no time either. */
static void bounded(void)
{
	const uint64_t count = 10 * SERIES_MAX + 2;
	uint64_t at = 0, bytes = 0, want = 0, packets = 0, packets_want = 0;
	double cycles = 0, own = 0;
	struct series series = { 0 };
	bool adjacent = true;
	struct statistics have;

	for (uint64_t i = 0; i < count; i++) {
		want += i % 97;
		packets_want += i % 97 / 10;
		at = add(&series, at, at + 10 * MS, i % 97);
	}
	TEST_TRUE("bounded", series.count <= SERIES_MAX &&
		  series.size <= SERIES_MAX);
	TEST_U64("joined", series.joined, 16);
	TEST_U64("the last is open", series.open, 2);
	for (size_t i = 0; i < series.count; i++) {
		bytes += series.interval[i].bytes;
		packets += series.interval[i].packets;
		cycles += series.interval[i].busy_cycles;
		own += series.interval[i].own_cycles;
		adjacent &= series.interval[i].from_ns ==
			    (i ? series.interval[i - 1].to_ns : 0);
	}
	TEST_U64("bytes", bytes, want);
	TEST_U64("packets", packets, packets_want);
	TEST_U64("cycles", llround(cycles), 3 * want);
	TEST_U64("own cycles", llround(own), 2 * want);
	TEST_TRUE("adjacent", adjacent);
	TEST_U64("end", series.interval[series.count - 1].to_ns,
		 count * 10 * MS);
	TEST_TRUE("the last is not full",
		  series_leaves_out_last(&series, 10 * MS));
	series_statistics(&series, 10 * MS, SERIES_GOODPUT_BPS, &have);
	TEST_U64("count", have.count, 10 * SERIES_MAX / 16);
	/* The remainder of the last 97 moves it by less than that. */
	TEST_TRUE("mean", fabs(have.mean - 48 * 8 * 100) < 3);
	series_free(&series);
}

static const struct test_case cases[] = {
	{ "rates and cycles of intervals", quantities },
	{ "warm-up and a last interval of another length", left_out },
	{ "bounded memory, and nothing lost", bounded },
};

TEST_MAIN(cases)
