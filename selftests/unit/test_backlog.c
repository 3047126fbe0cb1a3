// SPDX-License-Identifier: GPL-2.0
/* Queues that stand: the queueing discipline of a device, and its driver's. */
#include <math.h>
#include <stdio.h>

#include "../../tools/host/backlog.h"
#include "files.h"
#include "test.h"

static void kinds(void)
{
	static const struct {
		const char *kind;
		bool holds;
	} rows[] = {
		{ "fq_codel", false }, { "mq", false }, { "pfifo_fast", false },
		{ "noqueue", false }, { "tbf", true }, { "htb", true }, { "fq", true },
		{ "netem", true }, { "cake", true }, { "fq_", true }, { "", true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i].kind, backlog_holds_rate(rows[i].kind), rows[i].holds);
}

static void shares(void)
{
	struct backlog backlog = { .samples = 8, .standing = 2, .kind = "fq_codel" };

	TEST_TRUE("a quarter", backlog_share(&backlog) == 0.25);
	backlog = (struct backlog) { .samples = 8, .standing = 2, .kind = "netem" };
	TEST_TRUE("of a delay nothing is known", isnan(backlog_share(&backlog)));
	backlog = (struct backlog) { .kind = "fq_codel" };
	TEST_TRUE("nor without a look", isnan(backlog_share(&backlog)));
}

/* The files of one queue of a device. */
static void queue_has(unsigned int index, const char *inflight, const char *limit)
{
	char name[64];

	snprintf(name, sizeof(name), "eth9/queues/tx-%u/byte_queue_limits/inflight", index);
	files_put(name, inflight);
	snprintf(name, sizeof(name), "eth9/queues/tx-%u/byte_queue_limits/limit", index);
	files_put(name, limit);
}

static void full(void)
{
	struct driver_queue queue = { 0 };

	files_begin();
	driver_queue_begin(&queue, files_root, "eth9");
	queue_has(0, "0\n", "3000\n");
	driver_queue_look(&queue);
	queue_has(0, "2999\n", "3000\n");
	driver_queue_look(&queue);
	queue_has(0, "3000\n", "3000\n");
	driver_queue_look(&queue);
	/* One queue that is full is enough, whichever it is. */
	queue_has(1, "0\n", "3000\n");
	driver_queue_look(&queue);
	queue_has(0, "0\n", "3000\n");
	queue_has(1, "4514\n", "3000\n");
	driver_queue_look(&queue);
	TEST_U64("looks", queue.samples, 5);
	TEST_U64("found one at its limit", queue.standing, 3);
	TEST_TRUE("three of five", driver_queue_share(&queue) == 3. / 5);
	files_end();
}

static void untold(void)
{
	struct driver_queue queue = { 0 };

	files_begin();
	driver_queue_look(&queue);
	driver_queue_begin(&queue, files_root, "eth9");
	driver_queue_look(&queue);
	/* Of a driver without limits both stay 0. */
	queue_has(0, "0\n", "0\n");
	queue_has(1, "0\n", "0\n");
	driver_queue_look(&queue);
	TEST_U64("looks", queue.samples, 0);
	TEST_TRUE("nothing is known", isnan(driver_queue_share(&queue)));
	queue_has(1, "0\n", "1514\n");
	driver_queue_look(&queue);
	TEST_TRUE("but of one that has a limit", driver_queue_share(&queue) == 0);
	files_end();
}

static void long_name(void)
{
	struct driver_queue queue = { 0 };

	driver_queue_begin(&queue, "/a/directory/that/is/as/long/as/the/path/of/all/devices",
			   "eth9");
	TEST_STRING("is looked at no further", queue.directory, "");
}

static const struct test_case cases[] = {
	{ "which kinds hold a rate", kinds },
	{ "how long packets waited", shares },
	{ "queues at their limits", full },
	{ "drivers that tell nothing", untold },
	{ "a path that is too long", long_name },
};

TEST_MAIN(cases)
