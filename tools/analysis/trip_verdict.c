// SPDX-License-Identifier: GPL-2.0
/* trip_verdict: what limits a ping-pong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trip_verdict.h"

/* A thread of an idle CPU, or of a virtual one, runs within that time of its wake-up. */
#define WAKE_UP_NS	300000
/* Share from which the path may have most: work that goes on meanwhile is the work's. */
#define WAY_MIN		0.45

/* Parts of a round trip, each a share of its mean time. */
struct parts {
	double way;
	double quota;
	double late;
	double work;
	double rest;
};

static const struct remedy
	smaller[] = {
		{ "less work per round trip: smaller messages", REMEDY_BOTH,
		  "size less" },
		{ 0 },
	},
	smaller_or_callback[] = {
		{ "less work per round trip: smaller messages", REMEDY_BOTH,
		  "size less" },
		{ "reply callback in the kernel", REMEDY_SINK, "reply callback" },
		{ 0 },
	},
	spin[] = {
		{ "wait spin, which wakes no thread", REMEDY_BOTH, "wait spin" },
		{ 0 },
	},
	callback[] = {
		{ "reply callback, which wakes no thread", REMEDY_SINK,
		  "reply callback" },
		{ 0 },
	},
	overlap[] = {
		{ "more requests at a time (outstanding), which share the path",
		  REMEDY_SOURCE, "outstanding more" },
		{ 0 },
	},
	less_think[] = {
		{ "a shorter 'think'", REMEDY_DEMAND, "think less" },
		{ 0 },
	};

static const struct remedy *work_remedies(const struct trip_facts *facts)
{
	return facts->callback ? smaller : smaller_or_callback;
}

/* The rules that do not need goodput. */
static bool find_common(const struct trip_facts *facts, struct verdict *verdict)
{
	const struct ceiling rate = {
		.name = "rate", .title = "rate", .bps = facts->rate_per_s,
	};
	const struct losses losses = {
		.share = facts->lost_share, .most = LOSS_WAY,
		.count[LOSS_WAY] = 1,
	};
	struct verdict_facts common = {
		.goodput_bps = facts->trips_per_s,
		.ceilings = &rate,
		.count = facts->rate_per_s > 0,
		.losses = facts->lost_share > 0 ? &losses : NULL,
		/* While a request is under way, TCP is busy. */
		.tcp = facts->resent > 0,
		.busy_share = 1,
		.resent = facts->resent,
		.resent_share = facts->resent_share,
		.resent_at = LOSS_WAY,
		.loss_used = 1,
		.backlog_share = NAN,
		.nothing_between = true,
		.quota_share = facts->quota_share,
		.source = facts->source,
		.sink = facts->sink,
		.disturbed = facts->disturbed,
	};

	/* A CPU that polls is always full. */
	if (facts->spins) {
		common.source.known = false;
		common.sink.known = false;
	}
	verdict_find(&common, verdict);
	verdict->chained = false;
	if (verdict->kind == VERDICT_CPU)
		verdict->remedies = work_remedies(facts);
	/* Ends of a ping-pong take turns by nature. */
	return verdict->kind != VERDICT_NONE && !verdict->found.in_turn;
}

static double share_of(const struct trip_facts *facts, double ns)
{
	return isnan(ns) ? 0 : fmax(ns / facts->latency_ns, 0);
}

static double delayed(const struct verdict_cpu *cpu)
{
	return cpu->known && !isnan(cpu->delayed) ? cpu->delayed : 0;
}

/* In turn: what one part has, no other has too. */
static double take(double share, double *left)
{
	const double taken = fmin(share, *left);

	*left -= taken;
	return taken;
}

/*
 * In turn a CPU works, or is waited for, or a message is on its way: what the others leave
 * of the mean round trip is the path's, but no more than the least one took. Work that polls
 * is a wait, and no part.
 */
static struct parts divide(const struct trip_facts *facts)
{
	const double work = facts->spins || isnan(facts->own_ns) ?
			    0 : share_of(facts, facts->own_ns);
	const bool told = !isnan(facts->way_ns);
	const double wakes = told ? 0 :
			     share_of(facts, facts->wake_ups * WAKE_UP_NS);
	struct parts parts = { .rest = 1 };

	parts.quota = take(facts->quota_share, &parts.rest);
	parts.late = take(facts->spins ? 0 : delayed(&facts->source) +
					     delayed(&facts->sink), &parts.rest);
	parts.way = take(fmin(share_of(facts, told ? facts->way_ns :
						     facts->least_ns),
			      fmax(parts.rest - work - wakes, 0)), &parts.rest);
	parts.work = take(work, &parts.rest);
	return parts;
}

/* Whether no other part is as great. */
static bool is_mostly_way(const struct parts *parts)
{
	return parts->way >= WAY_MIN &&
	       parts->way > fmax(fmax(parts->quota, parts->late),
				 fmax(parts->work, parts->rest));
}

static void say_wake_ups(const struct trip_facts *facts,
			 const struct parts *parts, struct verdict *verdict)
{
	verdict->kind = VERDICT_WAKE_UPS;
	verdict->name = "wake_ups";
	verdict->remedies = facts->user ? spin : callback;
	snprintf(verdict->text, sizeof(verdict->text),
		 "wake-ups: %.1f threads are woken per round trip of %.2f us, of which the run works for %.0f%%",
		 facts->wake_ups, facts->latency_ns / 1e3, parts->work * 100);
	if (isnan(facts->way_ns))
		verdict->sure = VERDICT_LOW;
}

static void say_way(const struct trip_facts *facts, const struct parts *parts,
		    struct verdict *verdict)
{
	verdict->kind = VERDICT_WAY;
	verdict->name = "way";
	verdict->remedies = overlap;
	snprintf(verdict->text, sizeof(verdict->text),
		 "path delay: %.0f%% of the mean round trip of %.2f us, by the minimum%s, %.2f us",
		 parts->way * 100, facts->latency_ns / 1e3,
		 isnan(facts->way_ns) ? "" : " of TCP",
		 (isnan(facts->way_ns) ? facts->least_ns : facts->way_ns) / 1e3);
}

static void say_quota(const struct parts *parts, struct verdict *verdict)
{
	verdict->kind = VERDICT_QUOTA_CPU;
	verdict->name = "quota";
	verdict->remedies = verdict_remedies(VERDICT_QUOTA_CPU);
	snprintf(verdict->text, sizeof(verdict->text),
		 "a quota of CPU time (cgroup): it kept the run off its CPUs %.0f%% of the time",
		 parts->quota * 100);
}

static void say_late(const struct trip_facts *facts, const struct parts *parts,
		     struct verdict *verdict)
{
	verdict->kind = VERDICT_OTHER_WORK;
	verdict->name = "other_work";
	verdict->remedies = verdict_remedies(VERDICT_OTHER_WORK);
	snprintf(verdict->text, sizeof(verdict->text),
		 "other work: threads of the run waited for a CPU for %.0f%% of the mean round trip of %.2f us",
		 parts->late * 100, facts->latency_ns / 1e3);
}

static void say_work(const struct trip_facts *facts, const struct parts *parts,
		     struct verdict *verdict)
{
	verdict->kind = VERDICT_CPU;
	verdict->name = "cpu";
	verdict->remedies = work_remedies(facts);
	snprintf(verdict->text, sizeof(verdict->text),
		 "CPU work: %.0f%% of the round trip of %.2f us, on CPUs that take turns",
		 parts->work * 100, facts->latency_ns / 1e3);
}

/* Name the part that most of a round trip consists of. */
static void find_part(const struct trip_facts *facts, struct verdict *verdict)
{
	const struct parts parts = divide(facts);

	*verdict = (struct verdict) {
		.kind = VERDICT_NONE, .name = "none", .ceiling = CEILING_NONE,
		.place = LOSS_PLACES,
		.sure = facts->disturbed ? VERDICT_LOW : VERDICT_MEDIUM,
	};
	if (!facts->alone)
		snprintf(verdict->text, sizeof(verdict->text),
			 "none: the run fills no CPU, and requests overlap");
	else if (is_mostly_way(&parts))
		say_way(facts, &parts, verdict);
	else if (parts.quota >= VERDICT_MOSTLY)
		say_quota(&parts, verdict);
	else if (parts.late >= VERDICT_MOSTLY && facts->disturbed)
		say_late(facts, &parts, verdict);
	else if (facts->wake_ups >= 1)
		say_wake_ups(facts, &parts, verdict);
	else if (parts.work >= VERDICT_MOSTLY)
		say_work(facts, &parts, verdict);
	else
		snprintf(verdict->text, sizeof(verdict->text),
			 "none: %.0f%% of a round trip is CPU work of the run, %.0f%% is path delay, and it wakes %.1f threads",
			 parts.work * 100, parts.way * 100, facts->wake_ups);
}

static void find(const struct trip_facts *facts, struct verdict *verdict)
{
	if (find_common(facts, verdict) || !(facts->latency_ns > 0))
		return;
	if (facts->think_share < VERDICT_MOSTLY) {
		find_part(facts, verdict);
		return;
	}
	*verdict = (struct verdict) {
		.kind = VERDICT_APPLICATION, .name = "application",
		.ceiling = CEILING_NONE, .place = LOSS_PLACES,
		.sure = VERDICT_HIGH, .remedies = less_think,
	};
	snprintf(verdict->text, sizeof(verdict->text),
		 "the source: it waited (think) %.0f%% of the time before its next request",
		 facts->think_share * 100);
}

/**
 * trip_verdict() - find what limits a ping-pong
 * @facts: the input
 * @verdict: filled in; without a text if nothing is known
 *
 * The text goes on with where the slowest round trips were, if that is known.
 */
void trip_verdict(const struct trip_facts *facts, struct verdict *verdict)
{
	size_t length;

	find(facts, verdict);
	length = strlen(verdict->text);
	if (length && facts->slowest_stage)
		snprintf(verdict->text + length, sizeof(verdict->text) - length,
			 "; of what the slowest 1%% take longer, %.0f%% passed in '%s': %s",
			 facts->slowest_share * 100, facts->slowest_stage,
			 facts->slowest_where);
}
