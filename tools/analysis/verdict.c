// SPDX-License-Identifier: GPL-2.0
/* verdict: what limits a run, in a sentence. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "evidence.h"
#include "verdict.h"

/* Above this share of the pace, TCP did not hold it. */
#define VERDICT_BEYOND	1.5
/* Share of the time from which a quota is significant. */
#define QUOTA_MIN	0.05
/* Share of the time that a place limited: so much of it others took, if they are why. */
#define DELAYED_MIN	0.3
/* Share of what a device sent from which it is told that others sent it. */
#define OTHERS_MIN	0.1

static const struct remedy take_turns[] = {
	{ "use more streams, so that one sends while another waits",
	  REMEDY_BOTH, "streams more" },
	{ 0 },
};

static const struct remedy longer_run[] = {
	{ "a longer run: this one is too short to tell", REMEDY_BOTH,
	  "time more" },
	{ 0 },
};

static const struct remedy greater_sndbuf[] = {
	{ "a greater sndbuf", REMEDY_SOURCE, "sndbuf more" },
	{ "none: the kernel tunes it then", REMEDY_SOURCE, "sndbuf none" },
	{ 0 },
};

static const struct remedy greater_rcvbuf[] = {
	{ "a greater rcvbuf", REMEDY_SINK, "rcvbuf more" },
	{ "none: the kernel tunes it then", REMEDY_SINK, "rcvbuf none" },
	{ 0 },
};

/* What each kind is called, and what may help. */
static const struct {
	const char *name, *title;
	const struct remedy *remedies;
} kinds[VERDICT_KINDS] = {
	[VERDICT_NONE] = { "none", "none", NULL },
	[VERDICT_RATE] = {
		"rate", "rate",
		REMEDIES {
			{ "a higher rate", REMEDY_DEMAND, "rate more" },
			{ "none", REMEDY_DEMAND, "rate none" },
			{ 0 },
		},
	},
	[VERDICT_PACE] = {
		"pace", "pace",
		REMEDIES {
			{ "a higher pace", REMEDY_DEMAND, "pace more" },
			{ "none", REMEDY_DEMAND, "pace none" },
			{ 0 },
		},
	},
	[VERDICT_LINK] = {
		"link", "link", REMEDIES { { "a faster link", REMEDY_PATH, NULL }, { 0 } },
	},
	[VERDICT_QUOTA_CPU] = {
		"quota", "quota",
		REMEDIES {
			{ "a greater quota (cpu.max, cpu.cfs_quota_us)",
			  REMEDY_BOTH, NULL },
			{ 0 },
		},
	},
	[VERDICT_OTHER_WORK] = {
		"other_work", "other work",
		REMEDIES {
			{ "dedicate CPUs to the run (cpus, sink-cpus)",
			  REMEDY_BOTH, "cpus apart" },
			{ "stop the other work", REMEDY_BOTH, NULL },
			{ 0 },
		},
	},
	[VERDICT_WINDOW] = {
		"window", "window",
		REMEDIES {
			{ "a greater receive buffer at the sink: sysctl net.ipv4.tcp_rmem",
			  REMEDY_SINK, "sysctl net.ipv4.tcp_rmem more" },
			{ 0 },
		},
	},
	[VERDICT_RECEIVER] = {
		"receiver", "receiver",
		REMEDIES {
			{ "sink-cpus on an idle CPU",
			  REMEDY_SINK, "cpus apart" },
			{ "sink-method trunc",
			  REMEDY_SINK, "sink-method trunc" },
			{ "a larger rcvbuf", REMEDY_SINK, "rcvbuf more" },
			{ 0 },
		},
	},
	[VERDICT_SEND_BUFFER] = {
		"send_buffer", "send buffer",
		REMEDIES {
			{ "a greater send buffer: sysctl net.ipv4.tcp_wmem",
			  REMEDY_SOURCE, "sysctl net.ipv4.tcp_wmem more" },
			{ 0 },
		},
	},
	[VERDICT_LOSS] = { "loss", "loss", NULL },
	[VERDICT_QUEUE] = {
		"queue", "queue",
		REMEDIES {
			{ "a higher rate of the queueing discipline (tc -s qdisc)",
			  REMEDY_DEMAND, NULL },
			{ 0 },
		},
	},
	[VERDICT_CPU] = {
		"cpu", "CPU",
		REMEDIES {
			{ "more streams, each on a CPU of its own",
			  REMEDY_BOTH, "streams more" },
			{ "greater messages", REMEDY_SOURCE, "size more" },
			{ 0 },
		},
	},
	[VERDICT_APPLICATION] = {
		"application", "application",
		REMEDIES {
			{ "write sooner", REMEDY_SOURCE, NULL },
			{ "more per call (size)", REMEDY_SOURCE, "size more" },
			{ 0 },
		},
	},
	[VERDICT_CONGESTION_WINDOW] = {
		"congestion_window", "congestion window",
		REMEDIES {
			{ "a longer run", REMEDY_BOTH, "time more" },
			{ "more streams", REMEDY_BOTH, "streams more" },
			{ "another congestion control",
			  REMEDY_SOURCE, "congestion other" },
			{ 0 },
		},
	},
	[VERDICT_WAY] = {
		"way", "path",
		REMEDIES {
			{ "a faster path", REMEDY_PATH, NULL },
			{ "less other traffic on it: its routers tell (tc -s qdisc)",
			  REMEDY_PATH, NULL },
			{ 0 },
		},
	},
	[VERDICT_WAKE_UPS] = { "wake_ups", "wake-ups", NULL },
};

static void say(struct verdict *verdict, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct verdict *verdict, const char *format, ...)
{
	const size_t length = strlen(verdict->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(verdict->text + length, sizeof(verdict->text) - length,
		  format, arguments);
	va_end(arguments);
}

static void name(struct verdict *verdict, enum verdict_kind kind)
{
	verdict->kind = kind;
	verdict->name = kinds[kind].name;
	verdict->remedies = kinds[kind].remedies;
}

static void lower(struct verdict *verdict)
{
	if (verdict->sure > VERDICT_LOW)
		verdict->sure--;
}

/*
 * Others take from a thread what it is delayed, and not what else they run. Some of the
 * delay may be the run's own: its softirqs, or the thread of its other end.
 */
static bool others_delay(const struct verdict_facts *facts,
			 const struct verdict_cpu *cpu, double limited)
{
	if (!facts->disturbed)
		return false;
	if (!isnan(cpu->delayed))
		return cpu->delayed >= DELAYED_MIN * limited &&
		       cpu->foreign >= (cpu->shared ? DELAYED_MIN :
						      VERDICT_FOREIGN) * limited;
	return cpu->own >= EVIDENCE_OWN_MIN && cpu->foreign >= DELAYED_MIN &&
	       cpu->own + cpu->foreign >= VERDICT_FULL;
}

/* Why a CPU, or the thread on it, is late. Without a reason it has none. */
static bool name_cause(const struct verdict_facts *facts,
		       const struct verdict_cpu *cpu, double limited,
		       struct verdict *verdict)
{
	if (facts->quota_share >= QUOTA_MIN) {
		name(verdict, VERDICT_QUOTA_CPU);
		say(verdict,
		    "a quota of CPU time (cgroup): it kept the run off its CPUs %.0f%% of the time",
		    facts->quota_share * 100);
		return true;
	}
	if (!cpu->known)
		return false;
	if (others_delay(facts, cpu, limited)) {
		name(verdict, VERDICT_OTHER_WORK);
		say(verdict, "other work: it used %.0f%% of CPU %" PRIu32 " (%s)",
		    cpu->foreign * 100, cpu->id, cpu->others);
		if (isnan(cpu->delayed))
			lower(verdict);
		else
			say(verdict, ", and delayed this run %.0f%% of the time",
			    cpu->delayed * 100);
		return true;
	}
	if (cpu->own < VERDICT_MOSTLY || evidence_cpu_busy(cpu) < VERDICT_REACHED)
		return false;
	name(verdict, VERDICT_CPU);
	verdict->ceiling = evidence_named(facts->ceilings, facts->count, "cpu");
	say(verdict, "CPU %" PRIu32 ": %.1f%% used by this run, mostly in %s",
	    cpu->id, cpu->own * 100, cpu->work);
	return true;
}

/* Of two CPUs that take turns neither is full. */
static void name_turns(const struct verdict_facts *facts,
		       struct verdict *verdict)
{
	const struct verdict_cpu *source = &facts->source, *sink = &facts->sink;
	const struct verdict_cpu *late = sink->delayed > source->delayed ?
					 sink : source;

	if ((facts->quota_share >= QUOTA_MIN ||
	     others_delay(facts, late, evidence_cpu_busy(late))) &&
	    name_cause(facts, late, evidence_cpu_busy(late), verdict))
		return;
	name(verdict, VERDICT_CPU);
	say(verdict, "CPUs %" PRIu32 " and %" PRIu32
	    ": source and sink wait for each other, busy %.0f%% and %.0f%% of the time",
	    source->id, sink->id, evidence_cpu_busy(source) * 100,
	    evidence_cpu_busy(sink) * 100);
	verdict->remedies = take_turns;
}

static void name_source(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	if (name_cause(facts, &facts->source, verdict->found.strength, verdict))
		return;
	name(verdict, VERDICT_CPU);
	say(verdict, "CPU %" PRIu32 ": the source was busy on it %.0f%% of the time",
	    facts->source.id, evidence_cpu_busy(&facts->source) * 100);
	lower(verdict);
}

static void name_application(const struct verdict_facts *facts,
			     struct verdict *verdict)
{
	if (name_cause(facts, &facts->source, verdict->found.strength, verdict))
		return;
	name(verdict, VERDICT_APPLICATION);
	say(verdict, "the sender: it had nothing to send %.0f%% of the time",
	    100 - facts->busy_share * 100);
	if (!facts->source.known) {
		say(verdict, ", or waited for a CPU, which is not known");
		lower(verdict);
		lower(verdict);
	}
}

static void name_wait(const struct verdict_facts *facts, enum verdict_kind kind,
		      double share, struct verdict *verdict)
{
	name(verdict, kind);
	verdict->ceiling = evidence_named(facts->ceilings, facts->count,
					  kind == VERDICT_WINDOW ? "window" : "send_buffer");
	if (share >= VERDICT_MOSTLY)
		say(verdict, "%s: TCP waited for it %.0f%% of the time that it was busy",
		    kinds[kind].title, share * 100);
	else
		say(verdict, "%s: %.0f%% of what it allows is reached",
		    kinds[kind].title, evidence_share(facts, verdict->ceiling) * 100);
}

static void name_send_buffer(const struct verdict_facts *facts,
			     struct verdict *verdict)
{
	name_wait(facts, VERDICT_SEND_BUFFER, facts->send_buffer_waits, verdict);
	if (facts->sndbuf)
		verdict->remedies = greater_sndbuf;
}

static void name_window(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	name_wait(facts, VERDICT_WINDOW, facts->window_waits, verdict);
	if (facts->rcvbuf)
		verdict->remedies = greater_rcvbuf;
}

static void name_congestion(const struct verdict_facts *facts,
			    struct verdict *verdict)
{
	name(verdict, VERDICT_CONGESTION_WINDOW);
	say(verdict,
	    "congestion window: TCP waited for it, or for what is below, %.0f%% of the time",
	    evidence_held(facts) * 100);
	if (facts->congestion_share > 0)
		say(verdict, "; %.0f%% of what it allows is reached",
		    facts->congestion_share * 100);
	lower(verdict);
}

static void say_others(const struct verdict_facts *facts,
		       struct verdict *verdict)
{
	if (facts->others_sent >= OTHERS_MIN)
		say(verdict, "; other traffic is %.0f%% of what its device sent",
		    facts->others_sent * 100);
}

static void name_queue(const struct verdict_facts *facts,
		       struct verdict *verdict)
{
	static const struct remedy driver[] = {
		{ "a faster device, or more queues of it (ethtool -l)", REMEDY_SOURCE,
		  NULL },
		{ 0 },
	};

	/* Behind the queueing discipline is the driver. */
	const bool held = facts->holds_rate && !(facts->driver_share >= CHAIN_STANDS);

	name(verdict, VERDICT_QUEUE);
	verdict->place = held ? LOSS_QUEUE : LOSS_SOURCE_DEVICE;
	if (!held)
		verdict->remedies = driver;
	say(verdict, held ?
	    "the source's queueing discipline: packets waited in it %.0f%% of the time" :
	    "the source's device: packets waited for its driver %.0f%% of the time",
	    evidence_queued(facts) * 100);
	say_others(facts, verdict);
}

static void name_link(const struct verdict_facts *facts,
		      struct verdict *verdict)
{
	static const struct {
		const char *name;
		const struct remedy remedies[2];
	} of_links[] = {
		{ "bus", { { "a slot with more lanes", REMEDY_PATH, NULL } } },
		{ "ethernet",
		  { { "a greater MTU, which leaves more of the link to payload",
		      REMEDY_PATH, "mtu more" } } },
		{ "atm", { { "packets that fill their cells", REMEDY_PATH, NULL } } },
	};
	const size_t index = evidence_full_link(facts);

	name(verdict, VERDICT_LINK);
	verdict->ceiling = index;
	verdict->name = facts->ceilings[index].name;
	for (size_t i = 0; i < COUNT(of_links); i++)
		if (!strcmp(verdict->name, of_links[i].name))
			verdict->remedies = of_links[i].remedies;
	say(verdict, "%s: %.2f%% of it is reached",
	    facts->ceilings[index].title, evidence_share(facts, index) * 100);
	say_others(facts, verdict);
}

static void name_path(const struct verdict_facts *facts,
		      struct verdict *verdict)
{
	name(verdict, VERDICT_WAY);
	if (facts->marked_share >= EVIDENCE_MARKED_MIN)
		say(verdict, "the path: a queue on it marked %.1f%% of the segments (ECN)",
		    facts->marked_share * 100);
	else
		say(verdict,
		    "the path: a queue stands on it, since a round trip takes %.3g ms, and %.3g ms at least",
		    facts->rtt_us / 1e3, facts->rtt_min_us / 1e3);
}

static void name_softirq(const struct verdict_facts *facts,
			 struct verdict *verdict)
{
	if (name_cause(facts, &facts->softirq, verdict->found.strength, verdict))
		return;
	name(verdict, VERDICT_CPU);
	say(verdict,
	    "CPU %" PRIu32 ", which receives: %.1f%% used by this run, mostly in %s",
	    facts->softirq.id, facts->softirq.own * 100, facts->softirq.work);
	lower(verdict);
}

static void name_reader(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	if (name_cause(facts, &facts->sink, verdict->found.strength, verdict))
		return;
	name(verdict, VERDICT_RECEIVER);
	say(verdict,
	    "the receiver drains its socket too slowly: TCP's window was closed %.0f%% of the time, though large enough",
	    facts->window_waits * 100);
}

static void name_demand(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	const size_t index = evidence_named(facts->ceilings, facts->count, "rate");

	name(verdict, facts->paced ? VERDICT_PACE : VERDICT_RATE);
	verdict->ceiling = index;
	say(verdict, "%s: %.2f%% of it is reached",
	    facts->ceilings[index].title, evidence_share(facts, index) * 100);
	/* At a low rate, they are most of what is sent. */
	if (facts->paced && evidence_share(facts, index) > VERDICT_BEYOND)
		say(verdict, ", since TCP does not pace the first 10 segments of a connection");
}

static void (*const namers[CHAIN_PLACES])(const struct verdict_facts *facts,
					  struct verdict *verdict) = {
	[CHAIN_APPLICATION] = name_application,
	[CHAIN_SOURCE] = name_source,
	[CHAIN_SEND_BUFFER] = name_send_buffer,
	[CHAIN_WINDOW] = name_window,
	[CHAIN_CONGESTION] = name_congestion,
	[CHAIN_QUEUE] = name_queue,
	[CHAIN_LINK] = name_link,
	[CHAIN_PATH] = name_path,
	[CHAIN_SOFTIRQ] = name_softirq,
	[CHAIN_READER] = name_reader,
	[CHAIN_DEMAND] = name_demand,
};

/* Where most was lost at a place of the chain; LOSS_PLACES if that is no limit there. */
static enum loss_place lost_at(const struct verdict_facts *facts,
			       enum chain_place place)
{
	const struct losses *losses = facts->losses;
	enum loss_place most = LOSS_PLACES;

	if (facts->tcp)
		return facts->resent >= EVIDENCE_RESENT_MIN &&
		       facts->resent_share >= LOSS_MATTERS &&
		       loss_link(facts->resent_at) == place ?
		       facts->resent_at : LOSS_PLACES;
	for (int i = 0; losses && losses->share >= LOSS_MATTERS &&
	     i < LOSS_PLACES; i++)
		if (loss_link(i) == place && losses->count[i] &&
		    (most == LOSS_PLACES ||
		     losses->count[i] > losses->count[most]))
			most = i;
	return most;
}

static void name_loss(const struct verdict_facts *facts, enum loss_place where,
		      struct verdict *verdict)
{
	name(verdict, VERDICT_LOSS);
	verdict->place = where;
	verdict->remedies = loss_remedies(where, facts->tcp);
	if (facts->tcp)
		say(verdict,
		    "loss, which keeps the congestion window small: %.2f%% of the segments were lost by %s",
		    facts->resent_share * 100, loss_where(where));
	else
		say(verdict, "loss: %.2f%% of the datagrams were lost, most by %s",
		    facts->losses->share * 100, loss_where(where));
	if (where == LOSS_WAY)
		lower(verdict);
}

/* What stands there: a loss, unless its reader is late for a reason that is known. */
static void name_place(const struct verdict_facts *facts,
		       enum chain_place place, struct verdict *verdict)
{
	const enum loss_place where = lost_at(facts, place);

	if (verdict->found.in_turn) {
		name_turns(facts, verdict);
	} else if (where != LOSS_PLACES) {
		/* A reader that sleeps most of the time is not late: its buffer is small. */
		if (place == CHAIN_READER &&
		    (facts->quota_share >= QUOTA_MIN ||
		     evidence_cpu_busy(&facts->sink) >= CHAIN_STANDS) &&
		    name_cause(facts, &facts->sink, evidence_cpu_busy(&facts->sink),
			       verdict))
			return;
		name_loss(facts, where, verdict);
	} else if (namers[place]) {
		namers[place](facts, verdict);
	}
}

/* The place that comes nearest, where none limits alone. */
static void say_nearest(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	const enum chain_place nearest = chain_nearest(&verdict->chain);

	if (nearest == CHAIN_PLACES || !facts->count)
		return;
	say(verdict, verdict->chain.link[nearest].exact ?
		     "no single bottleneck; closest: %s (%.0f%% of it is reached)" :
		     "no single bottleneck; closest: %s (%.0f%% of the time)",
	    chain_title(nearest), 100 * chain_share(&verdict->chain, nearest));
	if (facts->span_ns < VERDICT_SHORT_NS)
		verdict->remedies = longer_run;
	else if (facts->tcp)
		verdict->remedies = take_turns;
}

static void find_confidence(const struct verdict_facts *facts,
			    struct verdict *verdict)
{
	const struct chain_found *found = &verdict->found;
	const struct chain_link *link = &verdict->chain.link[found->place];

	if (found->strength < CHAIN_STANDS)
		verdict->sure = VERDICT_LOW;
	else if (found->strength < CHAIN_SURELY ||
		 (isnan(link->queue) && !link->exact && found->unknown))
		verdict->sure = VERDICT_MEDIUM;
	/* Full servers elsewhere: one waits for another. */
	if (found->also != CHAIN_PLACES && !link->exact) {
		lower(verdict);
		say(verdict, "; also full: %s", chain_title(found->also));
	}
	if (evidence_is_late(facts) && !link->exact &&
	    verdict->kind != VERDICT_OTHER_WORK)
		lower(verdict);
}

/**
 * verdict_find() - find what limits a run
 * @facts: the input
 * @verdict: filled in; without a text if nothing is known
 */
void verdict_find(const struct verdict_facts *facts, struct verdict *verdict)
{
	*verdict = (struct verdict) {
		.ceiling = CEILING_NONE, .place = LOSS_PLACES,
		.sure = VERDICT_HIGH, .chained = true,
	};
	name(verdict, VERDICT_NONE);
	evidence_gather(facts, &verdict->chain);
	chain_walk(&verdict->chain, &verdict->found);
	if (verdict->found.place != CHAIN_PLACES)
		name_place(facts, verdict->found.place, verdict);
	if (verdict->kind == VERDICT_NONE) {
		verdict->sure = VERDICT_LOW;
		say_nearest(facts, verdict);
	} else {
		find_confidence(facts, verdict);
	}
}

/**
 * verdict_remedies() - what may help against a kind of limit
 * @kind: the kind
 *
 * Return: an array, ended by one without a text; NULL if that depends on more.
 */
const struct remedy *verdict_remedies(enum verdict_kind kind)
{
	return kinds[kind].remedies;
}

/**
 * verdict_sure() - name of a confidence
 * @sure: the confidence
 *
 * Return: a word.
 */
const char *verdict_sure(enum verdict_sure sure)
{
	static const char *const words[] = {
		[VERDICT_LOW] = "low", [VERDICT_MEDIUM] = "medium",
		[VERDICT_HIGH] = "high",
	};

	return words[sure];
}
