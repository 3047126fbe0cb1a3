// SPDX-License-Identifier: GPL-2.0
/* trip_verdict: what limits a ping-pong. */
#include <math.h>
#include <stdio.h>

#include "trip_verdict.h"

/* Parts of a round trip, each a share of its mean time. */
struct parts {
	double work;
	double way;
};

static const char *work_remedy(const struct trip_facts *facts)
{
	return facts->callback ?
	       "less work a round trip: smaller messages" :
	       "less work a round trip: smaller messages, or reply callback in the kernel";
}

/* The rules that do not need goodput. */
static bool find_common(const struct trip_facts *facts, struct verdict *verdict)
{
	const struct ceiling rate = {
		.name = "rate", .title = "rate", .bps = facts->rate_per_s,
	};
	const struct losses losses = {
		.share = facts->lost_share, .most = LOSS_WAY,
	};
	struct verdict_facts common = {
		.goodput_bps = facts->trips_per_s,
		.ceilings = &rate,
		.count = facts->rate_per_s > 0,
		.losses = facts->lost_share > 0 ? &losses : NULL,
		.window_used = NAN,
		.busy_share = NAN,
		.congestion_share = NAN,
		.resent_share = facts->resent_share,
		.resent_at = LOSS_WAY,
		.quota_share = facts->quota_share,
		.own = facts->own,
		.foreign = facts->foreign,
		.disturbed = facts->disturbed,
	};

	/* A CPU that polls is always full. */
	if (facts->spins)
		common.own = (struct verdict_cpu) { 0 };
	verdict_find(&common, verdict);
	if (verdict->kind == VERDICT_CPU)
		verdict->remedy = work_remedy(facts);
	return verdict->kind != VERDICT_NONE;
}

/* The least round trip of TCP has work in it, which is subtracted where it is known. */
static struct parts divide(const struct trip_facts *facts)
{
	struct parts parts = { 0 };

	if (!facts->spins && !isnan(facts->own_ns))
		parts.work = facts->own_ns / facts->latency_ns;
	if (!isnan(facts->way_ns))
		parts.way = fmax(facts->way_ns / facts->latency_ns - parts.work,
				 0);
	return parts;
}

static void say_wake_ups(const struct trip_facts *facts,
			 const struct parts *parts, struct verdict *verdict)
{
	verdict->kind = VERDICT_WAKE_UPS;
	verdict->name = "wake_ups";
	verdict->remedy = facts->user ?
		"wait spin, which wakes no thread" :
		"reply callback, which wakes no thread";
	snprintf(verdict->text, sizeof(verdict->text),
		 "wake-ups: %.1f threads are woken for a round trip of %.2f us, and the run fills no CPU; it works for %.0f%% of that",
		 facts->wake_ups, facts->latency_ns / 1e3, parts->work * 100);
	if (isnan(facts->way_ns))
		verdict->sure = VERDICT_LOW;
}

static void say_way(const struct trip_facts *facts, struct verdict *verdict)
{
	verdict->kind = VERDICT_WAY;
	verdict->name = "way";
	verdict->remedy =
		"more requests at a time (outstanding), which share the way";
	snprintf(verdict->text, sizeof(verdict->text),
		 "the way: TCP's least round trip, %.2f us, is most of the mean of %.2f us",
		 facts->way_ns / 1e3, facts->latency_ns / 1e3);
}

static void say_work(const struct trip_facts *facts, const struct parts *parts,
		     struct verdict *verdict)
{
	verdict->kind = VERDICT_CPU;
	verdict->name = "cpu";
	verdict->remedy = work_remedy(facts);
	snprintf(verdict->text, sizeof(verdict->text),
		 "the work of a round trip: it is %.0f%% of its %.2f us, on CPUs that take turns",
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
	else if (parts.way >= VERDICT_MOSTLY)
		say_way(facts, verdict);
	else if (facts->wake_ups >= 1)
		say_wake_ups(facts, &parts, verdict);
	else if (parts.work >= VERDICT_MOSTLY)
		say_work(facts, &parts, verdict);
	else
		snprintf(verdict->text, sizeof(verdict->text),
			 "none: of a round trip %.0f%% is work of the run, %.0f%% the way, and %.1f threads are woken",
			 parts.work * 100, parts.way * 100, facts->wake_ups);
}

/**
 * trip_verdict() - find what limits a ping-pong
 * @facts: the input
 * @verdict: filled in; without a text if nothing is known
 */
void trip_verdict(const struct trip_facts *facts, struct verdict *verdict)
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
		.sure = VERDICT_HIGH, .remedy = "a shorter 'think'",
	};
	snprintf(verdict->text, sizeof(verdict->text),
		 "the source: it thought %.0f%% of the time before its next request",
		 facts->think_share * 100);
}
