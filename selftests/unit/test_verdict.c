// SPDX-License-Identifier: GPL-2.0
/* verdict: what holds a run back, the first that there is evidence of. */
#include <math.h>
#include <string.h>

#include "../../tools/analysis/verdict.h"
#include "test.h"

enum { RATE, CPU, SEND_BUFFER, WINDOW, BUS, ETHERNET, ATM, LINK, LIMITS };

static const char *const names[LIMITS] = {
	"rate", "cpu", "send_buffer", "window", "bus", "ethernet", "atm",
	"link",
};

/* Shares of the CPU that the run and others had most of, and the sink's. */
struct cpus {
	double own, sink, beside, foreign;
};

/* Of a goodput of 1000 Mb/s: limits in Mb/s, 0 where there is none. */
struct row {
	const char *what;
	double limit[LIMITS];
	struct verdict_facts facts;
	struct cpus cpus;
	double loss;
	const char *binds;
	enum verdict_sure sure;
	const char *also;
};

#define F(...)	.facts = { __VA_ARGS__ }

static const struct row rows[] = {
	{ "nothing is known", .binds = "none", .sure = VERDICT_LOW },
	/* A stream paced to 500 Mb/s whose CPUs were busy with other work. */
	{ "the pace, and not the CPU", { [RATE] = 1004, [CPU] = 1000 },
	  F(.paced = true, .disturbed = true),
	  .cpus = { .own = .01, .beside = .01, .foreign = .99 },
	  .binds = "pace", .sure = VERDICT_MEDIUM, .also = "other work" },
	{ "a rate, with loss", { [RATE] = 1050 }, .loss = 0.05,
	  .binds = "rate", .sure = VERDICT_MEDIUM, .also = "loss" },
	{ "a rate that is not reached", { [RATE] = 1060, [CPU] = 1000 },
	  .cpus = { .own = .96 }, .binds = "cpu", .sure = VERDICT_HIGH },
	/* An MTU of 1500: the link is full, and the CPU as well. */
	{ "the link, and the CPU as well", { [ETHERNET] = 999.7, [CPU] = 1000,
					     [LINK] = 1060 },
	  .cpus = { .own = .97 }, .binds = "ethernet", .sure = VERDICT_MEDIUM,
	  .also = "CPU" },
	{ "a link of which a little is left", { [BUS] = 1110 },
	  .binds = "bus", .sure = VERDICT_HIGH },
	{ "a link of which more is left", { [BUS] = 1120, [CPU] = 1000 },
	  .binds = "cpu", .sure = VERDICT_LOW },
	{ "cells", { [ATM] = 1005, [LINK] = 1100 },
	  .binds = "atm", .sure = VERDICT_HIGH },
	{ "a link, and what follows from it", { [LINK] = 1050 },
	  F(.resent_share = .01, .resent_at = LOSS_QUEUE, .shaped_share = 1,
	    .congestion_share = 1), .binds = "link", .sure = VERDICT_HIGH },
	{ "a quota", { [CPU] = 2000 },
	  F(.quota_share = .5, .window_share = .9, .busy_share = .2),
	  .binds = "quota", .sure = VERDICT_HIGH },
	{ "a quota that is hardly felt", { [CPU] = 1000 },
	  F(.quota_share = .04), .binds = "cpu", .sure = VERDICT_LOW },
	/* A busy loop on the sink's CPU: not the run's, and not the window. */
	{ "a busy loop beside the sink", { [CPU] = 4000, [WINDOW] = 50000 },
	  F(.window_share = .9, .disturbed = true),
	  .cpus = { .own = .4, .sink = .25, .beside = .25, .foreign = .75 },
	  .binds = "other_work", .sure = VERDICT_HIGH },
	{ "others, but the CPU had time left", { [CPU] = 4000 },
	  F(.window_share = .9, .window_used = 1, .disturbed = true),
	  .cpus = { .own = .4, .sink = .4, .beside = .4, .foreign = .5 },
	  .binds = "window", .sure = VERDICT_LOW },
	{ "the run's CPU is full, another one disturbed", { [CPU] = 1000 },
	  F(.disturbed = true),
	  .cpus = { .own = .98, .beside = .2, .foreign = .3 },
	  .binds = "cpu", .sure = VERDICT_LOW },
	{ "a window that TCP waited for", { [WINDOW] = 1100, [CPU] = 1050 },
	  F(.window_share = .8, .window_used = .9),
	  .binds = "window", .sure = VERDICT_MEDIUM, .also = "CPU" },
	{ "a window that is reached", { [WINDOW] = 1100, [CPU] = 3000,
					[SEND_BUFFER] = 1105 },
	  .binds = "window", .sure = VERDICT_MEDIUM },
	{ "a receiver that reads too late", { [WINDOW] = 90000 },
	  F(.window_share = .9, .window_used = .01),
	  .binds = "receiver", .sure = VERDICT_HIGH },
	{ "a receiver whose own CPU is full", { [WINDOW] = 90000 },
	  F(.window_share = .9, .window_used = .01),
	  .cpus = { .own = .97, .sink = .97 },
	  .binds = "cpu", .sure = VERDICT_HIGH },
	{ "a buffer that TCP waited for", { [CPU] = 3000 },
	  F(.send_buffer_share = .7),
	  .binds = "send_buffer", .sure = VERDICT_HIGH },
	{ "a buffer that is reached", { [WINDOW] = 1200, [SEND_BUFFER] = 1105 },
	  .binds = "send_buffer", .sure = VERDICT_MEDIUM },
	{ "a buffer whose round trips are longer than the least one",
	  { [WINDOW] = 2000, [SEND_BUFFER] = 1500 },
	  .binds = "send_buffer", .sure = VERDICT_MEDIUM },
	{ "a buffer that is not full", { [SEND_BUFFER] = 1600 },
	  .binds = "none", .sure = VERDICT_LOW },
	{ "loss, and a CPU as well", { [CPU] = 1000 }, .loss = LOSS_MATTERS,
	  .binds = "loss", .sure = VERDICT_MEDIUM, .also = "CPU" },
	{ "loss that does not matter", { [CPU] = 1000 },
	  .loss = LOSS_MATTERS / 2, .binds = "cpu", .sure = VERDICT_LOW },
	{ "segments that are sent again", { [CPU] = 3000 },
	  F(.resent_share = .01, .resent_at = LOSS_WAY, .congestion_share = .9),
	  .binds = "loss", .sure = VERDICT_MEDIUM },
	{ "a queue that holds its rate", { [CPU] = 9000 },
	  F(.shaped_share = .5, .congestion_share = .9),
	  .binds = "queue", .sure = VERDICT_HIGH },
	{ "a queue that drops", { [CPU] = 9000 },
	  F(.shaped_share = .5, .resent_share = .01, .resent_at = LOSS_QUEUE),
	  .binds = "loss", .sure = VERDICT_HIGH },
	{ "a CPU that has a little left", { [CPU] = 1052 },
	  .binds = "cpu", .sure = VERDICT_LOW },
	{ "a CPU whose own share is not its limit", { [CPU] = 1000 },
	  .cpus = { .own = .5 }, .binds = "none", .sure = VERDICT_LOW },
	{ "a CPU that is full while there are bytes", { [CPU] = 1000 },
	  .cpus = { .own = .92 }, .binds = "cpu", .sure = VERDICT_HIGH },
	{ "a CPU that is never quite full", { [CPU] = 1080 },
	  .cpus = { .own = .92 }, .binds = "none", .sure = VERDICT_LOW },
	{ "a sender that writes too seldom", { [CPU] = 9000 },
	  F(.busy_share = .2), .binds = "application", .sure = VERDICT_MEDIUM },
	{ "a congestion window", { [CPU] = 9000 },
	  F(.busy_share = 1, .congestion_share = .8),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },
	{ "a congestion window that is not full", { [CPU] = 9000 },
	  F(.busy_share = 1, .congestion_share = .6),
	  .binds = "none", .sure = VERDICT_LOW },
	{ "a congestion window that was passed by far", { [CPU] = 9000 },
	  F(.busy_share = 1, .congestion_share = 1.5),
	  .binds = "none", .sure = VERDICT_LOW },
	/* Of the least limit 76.58 % was reached. */
	{ "the least, which is far away", { [CPU] = 1305.8, [LINK] = 2000 },
	  .binds = "none", .sure = VERDICT_LOW },
};

static struct verdict find(const struct row *row)
{
	const struct cpus *cpus = &row->cpus;
	const struct losses losses = { .share = row->loss,
				       .most = LOSS_SOCKET };
	struct verdict_facts facts = row->facts;
	struct ceiling limits[LIMITS];
	struct verdict have;

	for (size_t i = 0; i < LIMITS; i++)
		limits[i] = (struct ceiling) {
			.name = names[i], .title = names[i],
			.bps = row->limit[i] * 1e6,
		};
	facts.goodput_bps = 1e9;
	facts.ceilings = limits;
	facts.count = LIMITS;
	facts.losses = row->loss ? &losses : NULL;
	if (!facts.busy_share)
		facts.busy_share = NAN;
	if (!facts.congestion_share)
		facts.congestion_share = NAN;
	/* What others have of them fills them, and is not the run's. */
	facts.own = (struct verdict_cpu) { cpus->own, 1, cpus->own,
					   1 - cpus->own, "it" };
	facts.sink = (struct verdict_cpu) { cpus->sink, 2, cpus->sink,
					    1 - cpus->sink, "it" };
	facts.foreign = (struct verdict_cpu) { cpus->foreign, 3, cpus->beside,
					       cpus->foreign, "a loop" };
	verdict_find(&facts, &have);
	return have;
}

static void order(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct verdict have = find(&rows[i]);

		TEST_STRING(rows[i].what, have.name, rows[i].binds);
		TEST_U64(rows[i].what, have.sure, rows[i].sure);
		TEST_STRING(rows[i].what, have.also ?
			    verdict_title(have.also) : "none",
			    rows[i].also ? rows[i].also : "none");
		TEST_TRUE(rows[i].what, have.kind == VERDICT_NONE ||
			  (have.text[0] && have.remedy));
	}
}

static void says(void)
{
	static const struct row lost = { .limit = { [LINK] = 5000 },
					 .loss = .02 };
	static const struct row none = { .limit = { [CPU] = 1305.8,
						    [LINK] = 2000 } };
	static struct row mixed = {
		.limit = { [CPU] = 1100, [WINDOW] = 2000, [LINK] = 4000 },
		.facts = { .busy_share = 1, .window_waits = .3,
			   .send_buffer_waits = .2,
			   .span_ns = VERDICT_SHORT_NS },
		.cpus = { .own = .748 },
	};
	static const struct {
		struct row of;
		const char *remedy;
	} full[] = {
		{ { .limit = { [BUS] = 1000 } }, "more lanes" },
		{ { .limit = { [ETHERNET] = 1000 } }, "a greater MTU" },
		{ { .limit = { [ATM] = 1000 } }, "fill their cells" },
	};
	static const struct row hog = {
		.facts = { .disturbed = true },
		.cpus = { .beside = .25, .foreign = .75 },
	};
	struct verdict have = find(&lost);

	TEST_STRING("loss", have.text,
		    "loss: 2.00% of the datagrams were lost, most by the sink's sockets, whose buffers were full");
	TEST_STRING("what may help", have.remedy,
		    loss_remedy(LOSS_SOCKET));
	for (size_t i = 0; i < TEST_COUNT(full); i++)
		TEST_CONTAINS("what may help a link", find(&full[i].of).remedy,
			      full[i].remedy);
	have = find(&none);
	TEST_STRING("the two nearest", have.text,
		    "none alone; nearest: cpu (76.58% of it is reached), link (50.00% of it is reached)");
	have = find(&mixed);
	TEST_STRING("several in turn", have.text,
		    "none alone; nearest: CPU 1 (the run had 74.8% of it), window (TCP waited for it 30% of its busy time)");
	TEST_STRING("what may help then", have.remedy,
		    "more streams: one sends while another waits");
	mixed.facts.span_ns--;
	have = find(&mixed);
	TEST_STRING("what may help a short run", have.remedy,
		    "a longer run: this one is too short to tell");
	mixed.facts.span_ns++;
	mixed.facts.busy_share = NAN;
	have = find(&mixed);
	TEST_STRING("what may help datagrams whose CPU is nearest", have.remedy,
		    "more streams, each on a CPU of its own, or greater messages");
	mixed.limit[LINK] = 1300;
	TEST_TRUE("what may help where it is not", !find(&mixed).remedy);
	have = find(&hog);
	TEST_STRING("others", have.text,
		    "other work: CPU 3 was full, and 75% of it went to others (a loop)");
}

static void links(void)
{
	const struct ceiling limits[] = {
		{ .name = "cpu", .bps = 1e9 }, { .name = "bus" },
		{ .name = "ethernet", .bps = 1.1e9 },
		{ .name = "link", .bps = 1.2e9 },
	};

	TEST_U64("none is reached", verdict_link(limits, 4, .98e9),
		 CEILING_NONE);
	TEST_U64("one", verdict_link(limits, 4, 1e9), 2);
	TEST_U64("the least of two", verdict_link(limits, 4, 1.09e9), 2);
}

static const struct test_case cases[] = {
	{ "the first that there is evidence of", order },
	{ "its evidence", says },
	{ "a link that is reached", links },
};

TEST_MAIN(cases)
