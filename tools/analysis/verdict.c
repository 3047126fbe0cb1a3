// SPDX-License-Identifier: GPL-2.0
/* verdict: what limits a run. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "verdict.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Below this share of a window's rate, the size of the window is not the limit. */
#define WINDOW_UNUSED	0.5

/* Above this share of the pace, TCP did not hold it. */
#define VERDICT_BEYOND	1.5

static const char *const links[] = { "bus", "ethernet", "atm", "link" };

/* Index of the limit of that name, or CEILING_NONE. */
static size_t named(const struct ceiling *ceilings, size_t count,
		    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(ceilings[i].name, name))
			return i;
	return CEILING_NONE;
}

static double share_of(const struct verdict_facts *facts, size_t index)
{
	if (index == CEILING_NONE || facts->ceilings[index].bps <= 0)
		return 0;
	return facts->goodput_bps / facts->ceilings[index].bps;
}

/**
 * verdict_link() - the limit of bus, framing or link that is reached
 * @ceilings: limits
 * @count: number of elements
 * @goodput_bps: measured goodput
 *
 * Return: index of the lowest of them, the first if several are equal, or
 * CEILING_NONE.
 */
size_t verdict_link(const struct ceiling *ceilings, size_t count,
		    double goodput_bps)
{
	size_t found = CEILING_NONE;

	for (size_t i = 0; i < COUNT(links); i++) {
		size_t index = named(ceilings, count, links[i]);

		if (index == CEILING_NONE || ceilings[index].bps <= 0 ||
		    goodput_bps < VERDICT_REACHED * ceilings[index].bps)
			continue;
		if (found == CEILING_NONE ||
		    ceilings[index].bps < ceilings[found].bps)
			found = index;
	}
	return found;
}

/**
 * verdict_congested() - whether a stream has what its congestion window allows
 * @share: goodput over the rate of that window; NaN if unknown
 *
 * The window varies, and only its last value is known. Where it is passed by far, the
 * round trip that its rate is taken by is no usual one.
 *
 * Return: true if so.
 */
bool verdict_congested(double share)
{
	return share >= VERDICT_CONGESTION && share <= 1 / VERDICT_CONGESTION;
}

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

/* A limit is reached: name it, and the share reached. */
static bool reach(const struct verdict_facts *facts, size_t index, double share,
		  struct verdict *verdict)
{
	if (share_of(facts, index) < share)
		return false;
	verdict->ceiling = index;
	say(verdict, "%s: %.2f%% of it is reached",
	    facts->ceilings[index].title, share_of(facts, index) * 100);
	return true;
}

static bool waited_for(const struct verdict_facts *facts, const char *name,
		       double share, struct verdict *verdict)
{
	if (share < VERDICT_MOSTLY)
		return false;
	verdict->ceiling = named(facts->ceilings, facts->count, name);
	verdict->sure = VERDICT_HIGH;
	say(verdict, "%s: TCP waited for it %.0f%% of the time that it was busy",
	    verdict_title(verdict->kind), share * 100);
	return true;
}

static bool full(const struct verdict_cpu *cpu)
{
	return cpu->known && cpu->own >= VERDICT_FULL;
}

/* Evidence of each kind. Each function fills in the verdict. */

static bool is_asked_for(const struct verdict_facts *facts,
			 struct verdict *verdict)
{
	const size_t index = named(facts->ceilings, facts->count, "rate");
	const bool paced = verdict->kind == VERDICT_PACE;

	if (paced != facts->paced ||
	    !reach(facts, index, VERDICT_FULL, verdict))
		return false;
	/* At a low rate, they are most of what is sent. */
	if (paced && !facts->losses && share_of(facts, index) > VERDICT_BEYOND)
		say(verdict, ", since TCP does not pace the first 10 segments of a connection");
	return true;
}

static bool is_link(const struct verdict_facts *facts, struct verdict *verdict)
{
	const size_t index = verdict_link(facts->ceilings, facts->count,
					  facts->goodput_bps);

	if (index == CEILING_NONE)
		return false;
	verdict->name = facts->ceilings[index].name;
	return reach(facts, index, VERDICT_REACHED, verdict);
}

static bool is_quota(const struct verdict_facts *facts,
		     struct verdict *verdict)
{
	if (facts->quota_share < VERDICT_QUOTA)
		return false;
	say(verdict,
	    "a quota of CPU time (cgroup): it kept the run off its CPUs %.0f%% of the time",
	    facts->quota_share * 100);
	return true;
}

static bool is_other_work(const struct verdict_facts *facts,
			  struct verdict *verdict)
{
	const struct verdict_cpu *cpu = &facts->foreign;

	if (!facts->disturbed || !cpu->known ||
	    cpu->own + cpu->foreign < VERDICT_FULL)
		return false;
	say(verdict, "other work: CPU %" PRIu32
	    " was full, and %.0f%% of it went to others (%s)", cpu->id,
	    cpu->foreign * 100, cpu->work);
	return true;
}

/* Any window fills up if the receiver's CPU is full. */
static bool is_window(const struct verdict_facts *facts,
		      struct verdict *verdict)
{
	const size_t index = named(facts->ceilings, facts->count, "window");

	if (full(&facts->sink) ||
	    (facts->window_share >= VERDICT_MOSTLY &&
	     facts->window_used < WINDOW_UNUSED))
		return false;
	return waited_for(facts, "window", facts->window_share, verdict) ||
	       reach(facts, index, VERDICT_REACHED, verdict);
}

static bool is_receiver(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	if (full(&facts->sink) || facts->window_share < VERDICT_MOSTLY ||
	    !(facts->window_used < WINDOW_UNUSED))
		return false;
	say(verdict, "the receiver reads too late: its window was shut %.0f%% of the time, "
	    "and %.0f%% of it is used",
	    facts->window_share * 100, facts->window_used * 100);
	return true;
}

static bool is_send_buffer(const struct verdict_facts *facts,
			   struct verdict *verdict)
{
	const size_t index = named(facts->ceilings, facts->count,
				   "send_buffer");

	return waited_for(facts, "send_buffer", facts->send_buffer_share,
		      verdict) ||
	       reach(facts, index, VERDICT_BUFFER, verdict);
}

static bool is_loss(const struct verdict_facts *facts, struct verdict *verdict)
{
	const struct losses *losses = facts->losses;

	if (losses && losses->share >= LOSS_MATTERS) {
		verdict->place = losses->most;
		say(verdict, "loss: %.2f%% of the datagrams were lost, most by %s",
		    losses->share * 100, loss_where(losses->most));
	} else if (!losses && facts->resent_share >= LOSS_MATTERS) {
		verdict->place = facts->resent_at;
		say(verdict, "loss, which keeps the congestion window small: %.2f%% of the "
		    "segments were sent again, lost by %s",
		    facts->resent_share * 100, loss_where(facts->resent_at));
	} else {
		return false;
	}
	if (verdict->place == LOSS_WAY)
		verdict->sure = VERDICT_MEDIUM;
	return true;
}

static bool is_queue(const struct verdict_facts *facts,
		     struct verdict *verdict)
{
	if (facts->shaped_share < VERDICT_SHAPED)
		return false;
	verdict->place = LOSS_QUEUE;
	say(verdict, "the source's queueing discipline: it kept packets back %.2g times "
	    "a packet to hold its rate",
	    facts->shaped_share);
	return true;
}

static bool is_cpu(const struct verdict_facts *facts, struct verdict *verdict)
{
	const size_t index = named(facts->ceilings, facts->count, "cpu");
	const struct verdict_cpu *cpu = &facts->own;

	/* Without attribution only its ceiling is known, and not who filled it. */
	if (!cpu->known) {
		verdict->sure = VERDICT_LOW;
		return reach(facts, index, VERDICT_FULL, verdict);
	}
	/* The ceiling is of the time from the first byte to the last alone. */
	if (!full(cpu) && (cpu->own < VERDICT_REACHED ||
			   share_of(facts, index) < VERDICT_FULL))
		return false;
	verdict->ceiling = index;
	say(verdict, "CPU %" PRIu32 ": the run itself had %.1f%% of it, most in %s",
	    cpu->id, cpu->own * 100, cpu->work);
	return true;
}

static bool is_application(const struct verdict_facts *facts,
			   struct verdict *verdict)
{
	if (!(facts->busy_share < VERDICT_MOSTLY))
		return false;
	say(verdict, "the sender: it had nothing to send %.0f%% of the time",
	    100 - facts->busy_share * 100);
	return true;
}

static bool is_congestion(const struct verdict_facts *facts,
			  struct verdict *verdict)
{
	if (!verdict_congested(facts->congestion_share))
		return false;
	say(verdict, "congestion window: %.0f%% of what it allows is reached",
	    facts->congestion_share * 100);
	return true;
}

#define BIT(kind)	(1U << VERDICT_ ## kind)
/* Symptoms of a late CPU in TCP and in the queues that it serves. */
#define LATE		(BIT(WINDOW) | BIT(RECEIVER) | BIT(SEND_BUFFER) | \
			 BIT(LOSS) | BIT(APPLICATION) | BIT(CONGESTION_WINDOW))
/* Symptoms of a sender that has to wait. */
#define WAITS		(BIT(APPLICATION) | BIT(CONGESTION_WINDOW))

/* In the order of the enum, which is the order of precedence. */
static const struct rule {
	const char *name, *title, *remedy;
	enum verdict_sure sure;
	/* Kinds whose evidence follows from this one. */
	unsigned int explains;
	bool (*holds)(const struct verdict_facts *facts,
		      struct verdict *verdict);
} rules[VERDICT_KINDS] = {
	[VERDICT_NONE] = { .name = "none", .title = "none" },
	[VERDICT_RATE] = {
		"rate", "rate", "a higher rate, or none", VERDICT_HIGH,
		WAITS | BIT(QUEUE), is_asked_for,
	},
	[VERDICT_PACE] = {
		"pace", "pace", "a higher rate, or none", VERDICT_HIGH,
		WAITS | BIT(QUEUE) | BIT(SEND_BUFFER), is_asked_for,
	},
	[VERDICT_LINK] = {
		"link", "link", "a faster link", VERDICT_HIGH,
		WAITS | BIT(QUEUE) | BIT(LOSS) | BIT(SEND_BUFFER), is_link,
	},
	[VERDICT_QUOTA_CPU] = {
		"quota", "quota", "a greater quota (cpu.max)", VERDICT_HIGH,
		LATE | BIT(CPU), is_quota,
	},
	[VERDICT_OTHER_WORK] = {
		"other_work", "other work",
		"CPUs of its own (cpus, sink-cpus), or less work beside it",
		VERDICT_HIGH, LATE | BIT(CPU), is_other_work,
	},
	[VERDICT_WINDOW] = {
		"window", "window", "a greater receive buffer at the sink",
		VERDICT_MEDIUM, WAITS | BIT(SEND_BUFFER), is_window,
	},
	[VERDICT_RECEIVER] = {
		"receiver", "receiver", "a receiver that reads sooner",
		VERDICT_HIGH, WAITS | BIT(SEND_BUFFER), is_receiver,
	},
	[VERDICT_SEND_BUFFER] = {
		"send_buffer", "send buffer",
		"a greater sndbuf, or none: the kernel tunes it then",
		VERDICT_MEDIUM, WAITS, is_send_buffer,
	},
	[VERDICT_LOSS] = {
		"loss", "loss", NULL, VERDICT_HIGH,
		WAITS | BIT(QUEUE), is_loss,
	},
	[VERDICT_QUEUE] = {
		"queue", "queue", "a higher rate of the queueing discipline (tc -s qdisc)",
		VERDICT_HIGH, WAITS, is_queue,
	},
	[VERDICT_CPU] = {
		"cpu", "CPU",
		"more streams, each on a CPU of its own, or greater messages",
		VERDICT_HIGH, WAITS, is_cpu,
	},
	[VERDICT_APPLICATION] = {
		"application", "application", "a sender that writes sooner",
		VERDICT_MEDIUM, WAITS, is_application,
	},
	[VERDICT_CONGESTION_WINDOW] = {
		"congestion_window", "congestion window",
		"a longer run, more streams, or another congestion control",
		VERDICT_MEDIUM, 0, is_congestion,
	},
};

/* What a run has most of, where it has all of nothing. */
struct near {
	double share;
	char text[96];
};

#define NEAREST		2

static void add_near(struct near nearest[NEAREST], double share,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_near(struct near nearest[NEAREST], double share,
		     const char *format, ...)
{
	size_t place = NEAREST;
	va_list arguments;

	while (place && share > nearest[place - 1].share)
		place--;
	if (place == NEAREST)
		return;
	for (size_t i = NEAREST - 1; i > place; i--)
		nearest[i] = nearest[i - 1];
	nearest[place].share = share;
	va_start(arguments, format);
	vsnprintf(nearest[place].text, sizeof(nearest->text), format,
		  arguments);
	va_end(arguments);
}

/* TCP's own account of a wait, and that of a CPU, are better than their ceilings. */
static void say_nearest(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	const bool tcp = !isnan(facts->busy_share);
	struct near nearest[NEAREST] = { 0 };

	/* Round trips have no ceilings, and a text of their own. */
	if (!facts->count)
		return;
	for (size_t i = 0; i < facts->count; i++) {
		const char *name = facts->ceilings[i].name;

		if ((facts->own.known && !strcmp(name, "cpu")) ||
		    (tcp && (!strcmp(name, "window") ||
			     !strcmp(name, "send_buffer"))))
			continue;
		add_near(nearest, share_of(facts, i),
			 "%s (%.2f%% of it is reached)",
			 facts->ceilings[i].title, share_of(facts, i) * 100);
	}
	if (facts->own.known)
		add_near(nearest, facts->own.own,
			 "CPU %" PRIu32 " (the run had %.1f%% of it)",
			 facts->own.id, facts->own.own * 100);
	if (tcp) {
		add_near(nearest, facts->window_waits,
			 "window (TCP waited for it %.0f%% of its busy time)",
			 facts->window_waits * 100);
		add_near(nearest, facts->send_buffer_waits,
			 "send buffer (TCP waited for it %.0f%% of its busy time)",
			 facts->send_buffer_waits * 100);
		verdict->remedy = "more streams: one sends while another waits";
	} else if (facts->own.known && nearest[0].share == facts->own.own) {
		verdict->remedy = rules[VERDICT_CPU].remedy;
	}
	if (!nearest[0].share)
		return;
	say(verdict, "none alone; nearest: %s", nearest[0].text);
	if (nearest[1].share)
		say(verdict, ", %s", nearest[1].text);
	if (facts->span_ns < VERDICT_SHORT_NS)
		verdict->remedy = "a longer run: this one is too short to tell";
}

static bool try(const struct verdict_facts *facts, enum verdict_kind kind,
		struct verdict *verdict)
{
	*verdict = (struct verdict) {
		.kind = kind, .name = rules[kind].name,
		.ceiling = CEILING_NONE, .place = LOSS_PLACES,
		.sure = rules[kind].sure, .remedy = rules[kind].remedy,
	};
	return rules[kind].holds && rules[kind].holds(facts, verdict);
}

/* Evidence that is not a symptom of the verdict. */
static void find_others(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	struct verdict other;

	for (int i = verdict->kind + 1; i < VERDICT_KINDS; i++) {
		if (rules[verdict->kind].explains & 1U << i ||
		    !try(facts, i, &other))
			continue;
		verdict->also = i;
		say(verdict, "; there is evidence for %s too",
		    rules[i].title);
		break;
	}
	if (verdict->sure > VERDICT_LOW && verdict->also)
		verdict->sure--;
	/* Disturbance does not affect a requested rate or the work of others. */
	if (facts->disturbed && verdict->kind > VERDICT_OTHER_WORK)
		verdict->sure = VERDICT_LOW;
}

static void find_remedy(const struct verdict_facts *facts,
			struct verdict *verdict)
{
	static const struct {
		const char *name, *remedy;
	} of_links[] = {
		{ "bus", "a slot with more lanes" },
		{ "ethernet",
		  "a greater MTU, which leaves more of the link to payload" },
		{ "atm", "packets that fill their cells" },
	};
	const struct losses *losses = facts->losses;

	for (size_t i = 0; verdict->kind == VERDICT_LINK &&
	     i < COUNT(of_links); i++)
		if (!strcmp(verdict->name, of_links[i].name))
			verdict->remedy = of_links[i].remedy;
	if (verdict->kind == VERDICT_LOSS)
		verdict->remedy = loss_remedy(verdict->place);
	/* Making more of what is lost does not help. */
	else if (losses && losses->share >= LOSS_MATTERS &&
		 verdict->kind != VERDICT_OTHER_WORK &&
		 verdict->kind != VERDICT_QUOTA_CPU)
		verdict->remedy = loss_remedy(losses->most);
}

/**
 * verdict_find() - find what limits a run
 * @facts: the input
 * @verdict: filled in; without a text if nothing is known
 */
void verdict_find(const struct verdict_facts *facts, struct verdict *verdict)
{
	for (int i = VERDICT_NONE + 1; i < VERDICT_KINDS; i++) {
		if (!try(facts, i, verdict))
			continue;
		find_others(facts, verdict);
		find_remedy(facts, verdict);
		return;
	}
	(void)try(facts, VERDICT_NONE, verdict);
	say_nearest(facts, verdict);
}

/**
 * verdict_title() - name of a kind in text
 * @kind: kind
 *
 * Return: a noun.
 */
const char *verdict_title(enum verdict_kind kind)
{
	return rules[kind].title;
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
