// SPDX-License-Identifier: GPL-2.0
/* verdict: what limits a run, by evidence of each place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/analysis/evidence.h"
#include "../../tools/analysis/verdict.h"
#include "../../tools/run/run_options.h"
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
	struct verdict_facts facts;
	double loss;
	enum loss_place lost;
	const char *binds;
	enum verdict_sure sure;
	const char *says;
};

#define F(...)	.facts = { __VA_ARGS__ }
/* TCP is busy all the time, and waits for nothing that it tells of, but for what is said. */
#define TCP	.tcp = true
/* Shares of a CPU: the run's, others', and of its thread: delayed and asleep. */
#define HAS(own_, foreign_, delayed_, asleep_) { \
		.known = true, .id = 1, .own = own_, .foreign = foreign_, \
		.delayed = delayed_, .asleep = asleep_, \
		.work = "source calls", .others = "other tasks" }
/* A thread that waits most of the time, and one that never does. */
#define IDLE	HAS(.2, .02, .01, .79)
#define FULL	HAS(.97, .02, .01, .02)
/* One that others delay, and one beside which others run, and which they do not delay. */
#define LATE	HAS(.3, .7, .6, .1)
#define BESIDE	HAS(.05, .95, .02, .93)

static const struct row rows[] = {
	{ "nothing is known", .binds = "none", .sure = VERDICT_LOW },

	{ "a pace that is reached, beside others", { [RATE] = 1004, [CPU] = 1000 },
	  F(TCP, .paced = true, .disturbed = true, .source = BESIDE, .sink = LATE),
	  .binds = "pace", .sure = VERDICT_HIGH, .says = "99.60% of it" },
	{ "a rate", { [RATE] = 1050 }, .binds = "rate", .sure = VERDICT_HIGH },
	{ "a rate that is not reached", { [RATE] = 1060 },
	  F(.source = FULL, .sink = IDLE), .binds = "cpu",
	  .sure = VERDICT_MEDIUM },

	{ "a link, and a CPU as well", { [ETHERNET] = 999.7, [LINK] = 1060 },
	  F(TCP, .source = FULL, .sink = IDLE), .binds = "ethernet",
	  .sure = VERDICT_HIGH },
	{ "a link of which a little is left", { [BUS] = 1110 },
	  .binds = "bus", .sure = VERDICT_HIGH },
	{ "a link of which more is left", { [BUS] = 1120 },
	  .binds = "none", .sure = VERDICT_LOW },

	{ "a window that is small, by what is reached", { [WINDOW] = 1500 },
	  F(TCP, .window_waits = .9, .source = IDLE, .sink = IDLE),
	  .binds = "window", .sure = VERDICT_HIGH, .says = "90% of the time" },
	{ "a window that is small, by itself", { [WINDOW] = 9000 },
	  F(TCP, .window_waits = .9, .window_bytes = 2304, .source = IDLE,
	    .sink = IDLE), .binds = "window", .sure = VERDICT_HIGH },
	{ "a receiver that reads too late", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .source = IDLE, .sink = IDLE),
	  .binds = "receiver", .sure = VERDICT_HIGH },
	{ "and delays acknowledgements", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .window_used = .6, .rtt_us = 16000,
	    .nothing_between = true, .source = IDLE, .sink = IDLE),
	  .binds = "receiver", .sure = VERDICT_HIGH },
	{ "since others delay it", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .window_used = .6, .rtt_us = 16000,
	    .disturbed = true, .source = IDLE, .sink = LATE),
	  .binds = "other_work", .sure = VERDICT_HIGH },
	{ "which others delay", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .disturbed = true, .source = IDLE,
	    .sink = LATE), .binds = "other_work", .sure = VERDICT_HIGH,
	  .says = "other work: it used 70% of CPU 1 (other tasks), and delayed this run 60%" },
	{ "a window that waits in a queue", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .window_used = .9, .rtt_us = 90000,
	    .backlog_share = .9, .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH },
	{ "with nothing between, for some milliseconds", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .window_used = .9, .rtt_us = 9000,
	    .backlog_share = .9, .nothing_between = true, .source = IDLE,
	    .sink = IDLE), .binds = "queue", .sure = VERDICT_HIGH },
	{ "of which only the last size is known", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .window_used = .1, .rtt_us = 90000,
	    .backlog_share = .9, .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH },
	{ "a receiver whose CPU others had a part of, as the source had", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .disturbed = true, .source = IDLE,
	    .sink = { .known = true, .id = 1, .shared = true, .own = .75,
		      .foreign = .22, .delayed = .6, .asleep = .03,
		      .work = "sink calls", .others = "other tasks" }),
	  .binds = "cpu", .sure = VERDICT_MEDIUM },
	{ "beside others, which delay it by nothing", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .disturbed = true, .source = IDLE,
	    .sink = BESIDE), .binds = "receiver", .sure = VERDICT_HIGH },
	{ "whose own CPU is full", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .source = IDLE, .sink = FULL),
	  .binds = "cpu", .sure = VERDICT_HIGH },
	{ "which a quota stops", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .quota_share = .4, .source = IDLE,
	    .sink = FULL), .binds = "quota", .sure = VERDICT_HIGH },
	{ "in the kernel, beside others", { [WINDOW] = 90000 },
	  F(TCP, .window_waits = .9, .disturbed = true, .source = IDLE,
	    .sink = HAS(.25, .75, NAN, NAN)), .binds = "other_work",
	  .sure = VERDICT_MEDIUM },

	{ "a send buffer", { [CPU] = 3000 },
	  F(TCP, .send_buffer_waits = .7, .source = IDLE, .sink = IDLE),
	  .binds = "send_buffer", .sure = VERDICT_MEDIUM },
	{ "a send buffer that is reached", { [SEND_BUFFER] = 1500 },
	  F(TCP, .source = IDLE, .sink = IDLE),
	  .binds = "send_buffer", .sure = VERDICT_HIGH, .says = "67% of what" },
	{ "a send buffer that is half reached, and nothing else", { [SEND_BUFFER] = 2000 },
	  F(TCP, .sndbuf = true, .congestion_share = .2, .source = IDLE, .sink = IDLE),
	  .binds = "send_buffer", .sure = VERDICT_HIGH },
	{ "which nobody has asked for", { [SEND_BUFFER] = 2000 },
	  F(TCP, .congestion_share = .2, .source = IDLE, .sink = IDLE),
	  .binds = "none", .sure = VERDICT_LOW },
	{ "of which less is reached", { [SEND_BUFFER] = 3000 },
	  F(TCP, .sndbuf = true, .congestion_share = .2, .source = IDLE, .sink = IDLE),
	  .binds = "none", .sure = VERDICT_LOW },
	{ "before a congestion window", { [SEND_BUFFER] = 2000 },
	  F(TCP, .sndbuf = true, .congestion_share = .9, .source = IDLE, .sink = IDLE),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },
	{ "a source that has no time to wait for it", { [CPU] = 3000 },
	  F(TCP, .send_buffer_waits = .7, .source = FULL, .sink = IDLE),
	  .binds = "cpu", .sure = VERDICT_MEDIUM },

	{ "datagrams that a socket drops", .loss = .02, .lost = LOSS_SOCKET,
	  F(.source = IDLE, .sink = IDLE), .binds = "loss",
	  .sure = VERDICT_HIGH, .says = "2.00% of the datagrams" },
	{ "since others delay its reader", .loss = .5, .lost = LOSS_SOCKET,
	  F(.disturbed = true, .source = IDLE, .sink = LATE),
	  .binds = "other_work", .sure = VERDICT_HIGH },
	{ "whose reader sleeps, though others delay it a little", .loss = .5,
	  .lost = LOSS_SOCKET, F(.disturbed = true, .source = FULL,
				 .sink = HAS(.15, .15, .07, .78)),
	  .binds = "loss", .sure = VERDICT_MEDIUM },
	{ "datagrams that the path drops", .loss = .02, .lost = LOSS_WAY,
	  F(.source = IDLE, .sink = IDLE), .binds = "loss",
	  .sure = VERDICT_MEDIUM },
	{ "too few for a limit", .loss = .002, .lost = LOSS_WAY,
	  F(.source = FULL, .sink = IDLE), .binds = "cpu",
	  .sure = VERDICT_MEDIUM },
	{ "segments that are lost", F(TCP, .resent = 30, .resent_share = .01,
				      .resent_at = LOSS_HOST, .source = IDLE,
				      .sink = IDLE),
	  .binds = "loss", .sure = VERDICT_HIGH },
	{ "a pace that is not quite reached", { [RATE] = 1150 },
	  F(TCP, .paced = true, .source = IDLE, .sink = IDLE),
	  .binds = "none", .sure = VERDICT_LOW, .says = "rate asked for" },
	{ "round trips that are longer by 39 ms, with nothing between",
	  F(TCP, .rtt_us = 39000, .nothing_between = true, .source = IDLE,
	    .sink = IDLE), .binds = "congestion_window",
	  .sure = VERDICT_MEDIUM },
	{ "by 90 ms, which no reader delays an answer",
	  F(TCP, .rtt_us = 90000, .nothing_between = true, .source = IDLE,
	    .sink = IDLE), .binds = "way", .sure = VERDICT_HIGH },
	{ "two of them", F(TCP, .resent = 2, .resent_share = .01,
			   .resent_at = LOSS_HOST, .source = IDLE,
			   .sink = IDLE),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },
	{ "so few that TCP could have far more",
	  F(TCP, .resent = 30, .resent_share = .01, .resent_at = LOSS_HOST,
	    .loss_used = .01, .source = IDLE, .sink = IDLE),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },

	{ "a driver for which packets wait",
	  F(TCP, .backlog_share = .9, .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH,
	  .says = "source's device: packets waited for its driver 90%" },
	{ "a driver whose queue is full, behind a queueing discipline that is empty",
	  F(TCP, .driver_share = .8, .holds_rate = true, .rtt_us = 9000,
	    .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH,
	  .says = "source's device: packets waited for its driver 80%" },
	{ "or behind one that delays", F(TCP, .backlog_share = NAN, .driver_share = .8,
					 .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH },
	{ "a queueing discipline", F(TCP, .backlog_share = .9, .holds_rate = true, .rtt_us = 9000,
				     .source = IDLE, .sink = IDLE),
	  .binds = "queue", .sure = VERDICT_HIGH },
	{ "and others, which delay nobody",
	  F(TCP, .backlog_share = .9, .disturbed = true, .source = BESIDE,
	    .sink = IDLE), .binds = "queue", .sure = VERDICT_HIGH },
	{ "a link that others fill", { [LINK] = 4000 },
	  F(TCP, .others_sent = .75, .source = IDLE, .sink = IDLE),
	  .binds = "link", .sure = VERDICT_HIGH,
	  .says = "25.00% of it is reached; other traffic is 75%" },
	{ "the path, by its round trips",
	  F(TCP, .rtt_us = 90000, .source = IDLE, .sink = IDLE),
	  .binds = "way", .sure = VERDICT_HIGH, .says = "takes 90 ms, and 0.15 ms" },
	{ "which are longer by a half", F(TCP, .rtt_us = 30000, .rtt_min_us = 20000,
					  .source = IDLE, .sink = IDLE),
	  .binds = "way", .sure = VERDICT_MEDIUM },
	{ "which are longer by a tenth", F(TCP, .rtt_us = 22000, .rtt_min_us = 20000,
					   .source = IDLE, .sink = IDLE),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },
	{ "which fill a buffer, too",
	  F(TCP, .rtt_us = 90000, .send_buffer_waits = .9, .source = IDLE,
	    .sink = IDLE), .binds = "way", .sure = VERDICT_HIGH },
	{ "which filters redirect to a queue, beside a CPU that receives",
	  F(TCP, .rtt_us = 20000, .nothing_between = true, .filtered = true,
	    .source = IDLE, .sink = IDLE, .softirq = HAS(.8, .01, NAN, NAN)),
	  .binds = "way", .sure = VERDICT_HIGH },
	{ "and is late by some milliseconds",
	  F(TCP, .rtt_us = 5000, .nothing_between = true, .filtered = true,
	    .source = IDLE, .sink = IDLE, .softirq = HAS(.8, .01, NAN, NAN)),
	  .binds = "none", .sure = VERDICT_LOW },
	{ "or by more, where nothing redirects",
	  F(TCP, .rtt_us = 20000, .nothing_between = true,
	    .source = IDLE, .sink = IDLE, .softirq = HAS(.8, .01, NAN, NAN)),
	  .binds = "none", .sure = VERDICT_LOW },
	{ "a path whose round trips wait for a reader that others delay",
	  F(TCP, .rtt_us = 28000, .disturbed = true, .source = IDLE,
	    .sink = HAS(.2, .8, .75, .05)), .binds = "other_work",
	  .sure = VERDICT_LOW },
	{ "the path, by its marks",
	  F(TCP, .marked_share = .2, .source = IDLE, .sink = IDLE),
	  .binds = "way", .sure = VERDICT_HIGH, .says = "marked 20.0%" },
	{ "round trips that CPUs make longer",
	  F(TCP, .rtt_us = 90000, .nothing_between = true, .disturbed = true,
	    .source = IDLE, .sink = HAS(.3, .7, .25, .45)),
	  .binds = "none", .sure = VERDICT_LOW },

	{ "a CPU that receives for another",
	  F(TCP, .source = IDLE, .sink = IDLE,
	    .softirq = HAS(.98, .01, NAN, NAN)),
	  .binds = "cpu", .sure = VERDICT_HIGH },
	{ "behind a queue, which does not wait for it",
	  F(TCP, .backlog_share = .9, .source = IDLE, .sink = IDLE,
	    .softirq_apart = true, .softirq = HAS(.98, .01, NAN, NAN)),
	  .binds = "queue", .sure = VERDICT_MEDIUM },
	{ "and sends", F(TCP, .backlog_share = .9, .source = IDLE, .sink = IDLE,
			 .softirq = HAS(.98, .01, NAN, NAN)),
	  .binds = "cpu", .sure = VERDICT_HIGH },
	{ "one whose softirqs others delay",
	  F(TCP, .disturbed = true, .source = IDLE, .sink = IDLE,
	    .softirq = HAS(.4, .6, .58, NAN)),
	  .binds = "other_work", .sure = VERDICT_HIGH },
	{ "two CPUs that take turns",
	  F(TCP, .send_buffer_waits = .3, .congestion_share = .1,
	    .source = HAS(.6, .02, .01, .39), .sink = HAS(.7, .02, .01, .29)),
	  .binds = "cpu", .sure = VERDICT_LOW, .says = "61% and 71%" },
	{ "a sender that writes too seldom",
	  F(TCP, .busy_share = .2, .source = IDLE, .sink = IDLE),
	  .binds = "application", .sure = VERDICT_HIGH },
	{ "or has no CPU, for all that is known",
	  F(TCP, .busy_share = .2, .sink = IDLE), .binds = "application",
	  .sure = VERDICT_LOW, .says = "80% of the time, or waited for a CPU" },
	{ "a stream that waits while its thread serves others",
	  F(TCP, .busy_share = .5, .source = HAS(.85, .02, .01, .14),
	    .sink = IDLE), .binds = "cpu", .sure = VERDICT_LOW },
	{ "which others delay",
	  F(TCP, .busy_share = .2, .disturbed = true, .source = LATE,
	    .sink = IDLE), .binds = "other_work", .sure = VERDICT_MEDIUM },
	{ "a congestion window", F(TCP, .source = IDLE, .sink = IDLE),
	  .binds = "congestion_window", .sure = VERDICT_MEDIUM },
	{ "one that would allow far more",
	  F(TCP, .congestion_share = .3, .source = IDLE, .sink = IDLE),
	  .binds = "none", .sure = VERDICT_LOW },
};

static void set_unless_said(double *to, double value)
{
	if (!*to)
		*to = value;
}

static struct verdict find(const struct row *row)
{
	struct losses losses = { .share = row->loss, .most = row->lost };
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
	losses.count[row->lost] = 1;
	set_unless_said(&facts.busy_share, 1);
	set_unless_said(&facts.window_bytes, 4e6);
	set_unless_said(&facts.rtt_us, 200);
	set_unless_said(&facts.rtt_min_us, 150);
	set_unless_said(&facts.congestion_share, 1);
	set_unless_said(&facts.loss_used, 1);
	facts.losses = row->loss ? &losses : NULL;
	verdict_find(&facts, &have);
	return have;
}

static void each(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct verdict have = find(&rows[i]);

		TEST_STRING(rows[i].what, have.name, rows[i].binds);
		TEST_STRING(rows[i].what, verdict_sure(have.sure),
			    verdict_sure(rows[i].sure));
		if (rows[i].says)
			TEST_CONTAINS(rows[i].what, have.text, rows[i].says);
		TEST_TRUE(rows[i].what, have.kind == VERDICT_NONE ||
			  (have.text[0] && have.remedies));
	}
}

static const char *remedy_of(const struct row *row)
{
	static char text[REMEDY_TEXT];

	return remedy_text(find(row).remedies, text, sizeof(text));
}

/* What may help, and never what does not apply. */
static void remedies(void)
{
	static const struct {
		struct row of;
		const char *remedy;
	} each[] = {
		{ { .limit = { [BUS] = 1000 } }, "more lanes" },
		{ { .limit = { [ETHERNET] = 1000 } }, "a greater MTU" },
		{ { .limit = { [ATM] = 1000 } }, "fill their cells" },
		{ { F(TCP, .window_waits = .9, .window_bytes = 2304) },
		  "net.ipv4.tcp_rmem" },
		{ { F(TCP, .window_waits = .9, .window_bytes = 2304,
		      .rcvbuf = true) }, "a greater rcvbuf" },
		{ { F(TCP, .send_buffer_waits = .9) }, "net.ipv4.tcp_wmem" },
		{ { F(TCP, .send_buffer_waits = .9, .sndbuf = true) },
		  "a greater sndbuf" },
		{ { F(TCP, .resent = 9, .resent_share = .1,
		      .resent_at = LOSS_QUEUE) }, "or a pace" },
		{ { .loss = .1, .lost = LOSS_QUEUE }, "a lower rate" },
	};

	for (size_t i = 0; i < TEST_COUNT(each); i++)
		TEST_CONTAINS("what may help", remedy_of(&each[i].of),
			      each[i].remedy);
}

/* Whether words name a setting, and what it becomes. */
static void settable(const struct remedy *remedies)
{
	static const char *const elsewhere[] = {
		"sysctl", "txqueuelen", "ring", "mtu",
	};

	for (; remedies && remedies->what; remedies++) {
		char keyword[32];
		bool known = false;

		if (!remedies->apply)
			continue;
		TEST_U64(remedies->apply,
			 sscanf(remedies->apply, "%31s %*s", keyword), 1);
		TEST_TRUE(remedies->apply, strchr(remedies->apply, ' '));
		for (size_t i = 0; i < TEST_COUNT(elsewhere); i++)
			known |= !strcmp(keyword, elsewhere[i]);
		TEST_TRUE(remedies->apply,
			  known || options_find(&run_options_start, keyword));
	}
}

/* The parts of the sentence, as a program finds them. */
static void parts(void)
{
	struct row row = { F(TCP, .window_waits = .9, .window_bytes = 2304,
			     .rcvbuf = true) };
	struct verdict have = find(&row);

	TEST_STRING("sentence", remedy_of(&row),
		    "a greater rcvbuf, or none: the kernel tunes it then");
	TEST_STRING("words", have.remedies[0].apply, "rcvbuf more");
	TEST_STRING("end", remedy_end(have.remedies[0].end), "sink");
	TEST_STRING("words", have.remedies[1].apply, "rcvbuf none");
	TEST_TRUE("no more", !have.remedies[2].what);
	TEST_STRING("who asked", remedy_end(verdict_remedies(VERDICT_RATE)->end),
		    "demand");
	settable(have.remedies);
	for (enum verdict_kind kind = 0; kind < VERDICT_KINDS; kind++)
		settable(verdict_remedies(kind));
	for (enum loss_place place = 0; place < LOSS_PLACES; place++) {
		settable(loss_remedies(place, false));
		settable(loss_remedies(place, true));
	}
}

static void none_alone(void)
{
	struct row row = {
		.limit = { [LINK] = 2000 },
		.facts = { TCP, .window_waits = .3, .window_bytes = 2304,
			   .congestion_share = .1, .span_ns = VERDICT_SHORT_NS,
			   .source = IDLE, .sink = IDLE },
	};

	TEST_STRING("the nearest", find(&row).text,
		    "no single bottleneck; closest: link (50% of it is reached)");
	TEST_CONTAINS("what may help", remedy_of(&row), "more streams");
	row.facts.span_ns--;
	TEST_CONTAINS("a short run", remedy_of(&row), "a longer run");
}

static void links(void)
{
	const struct ceiling limits[] = {
		{ .name = "cpu", .bps = 1e9 }, { .name = "bus" },
		{ .name = "ethernet", .bps = 1.1e9 },
		{ .name = "link", .bps = 1.2e9 },
	};

	TEST_U64("none is reached", evidence_link(limits, 4, .98e9),
		 CEILING_NONE);
	TEST_U64("one", evidence_link(limits, 4, 1e9), 2);
	TEST_U64("the least of two", evidence_link(limits, 4, 1.09e9), 2);
}

static const struct test_case cases[] = {
	{ "each place", each },
	{ "what may help", remedies },
	{ "what may help, in parts", parts },
	{ "where none limits alone", none_alone },
	{ "a link that is reached", links },
};

TEST_MAIN(cases)
