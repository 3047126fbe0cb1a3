// SPDX-License-Identifier: GPL-2.0
/* evidence: how long each queue stood, and how long each server was busy. */
#include <math.h>
#include <string.h>

#include "evidence.h"

/* Share of the time from which a thread that waits for a CPU blurs what else is seen. */
#define LATE_MIN	0.2
/* A window below a packet of GSO_MAX_SIZE is too small for any rate. */
#define WINDOW_SMALL	65536
/* Share of a window's rate from which its size is the limit. */
#define WINDOW_USED	0.5
/* Likewise, from which it is the limit while TCP waits for nothing that it tells of. */
#define WINDOW_REACHED	0.75
/* Share of a send buffer's rate by the least round trip: the usual one is longer. */
#define BUFFER_USED	0.65
/* Likewise, of one that was asked for: headers and descriptors of packets take most of it. */
#define BUFFER_ASKED	0.4
/* Round trips longer by less are no queue: CPUs are late by as much. */
#define STANDING_US	1000
/*
 * Likewise, where nothing lies between the ends that could queue, but what redirects: a
 * receiver that does not read delays acknowledgements by 40 ms (the kernel's TCP_ATO_MIN).
 */
#define STANDING_NEAR_US	40000
/* Likewise, where what redirects is there: CPUs are not late by as much. */
#define STANDING_FILTERED_US	5000
/* Round trips that are longer by such a share have a queue all the time. */
#define STANDING_SHARE	0.8
/* Share of datagrams from which their loss is a limit all of the time. */
#define LOSS_LIMITS	0.01
/* Share of the rate that TCP has by its losses, from which these limit. */
#define LOSS_USED	0.2

static const char *const links[] = { "bus", "ethernet", "atm", "link" };

/**
 * evidence_named() - find a limit
 * @ceilings: limits
 * @count: number of elements
 * @name: its name
 *
 * Return: its index, or CEILING_NONE.
 */
size_t evidence_named(const struct ceiling *ceilings, size_t count,
		      const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(ceilings[i].name, name))
			return i;
	return CEILING_NONE;
}

/**
 * evidence_share() - how much of a limit is reached
 * @facts: facts
 * @index: the limit, or CEILING_NONE
 *
 * Return: a share of it; NaN if it is unknown.
 */
double evidence_share(const struct verdict_facts *facts, size_t index)
{
	if (index == CEILING_NONE || facts->ceilings[index].bps <= 0)
		return NAN;
	return facts->goodput_bps / facts->ceilings[index].bps;
}

static double share_of_named(const struct verdict_facts *facts, const char *name)
{
	return evidence_share(facts, evidence_named(facts->ceilings,
						    facts->count, name));
}

/**
 * evidence_link() - the limit of bus, framing or link that is reached
 * @ceilings: limits
 * @count: number of elements
 * @goodput_bps: measured goodput
 *
 * Return: index of the lowest of them, the first if several are equal, or
 * CEILING_NONE.
 */
size_t evidence_link(const struct ceiling *ceilings, size_t count,
		     double goodput_bps)
{
	size_t found = CEILING_NONE;

	for (size_t i = 0; i < COUNT(links); i++) {
		size_t index = evidence_named(ceilings, count, links[i]);

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
 * evidence_congested() - whether a stream has what its congestion window allows
 * @share: goodput over the rate of that window; NaN if unknown
 *
 * The window varies, and only its last value is known. Where it is passed by far, the
 * round trip that its rate is taken by is no usual one.
 *
 * Return: true if so.
 */
bool evidence_congested(double share)
{
	return share >= VERDICT_CONGESTION && share <= 1 / VERDICT_CONGESTION;
}

/**
 * evidence_held() - how long TCP had something to send and did not send it
 * @facts: facts
 *
 * It waited for neither the receiver's window nor its buffer: for its congestion window,
 * or for what is below TCP.
 *
 * Return: a share of the time.
 */
double evidence_held(const struct verdict_facts *facts)
{
	return facts->tcp ? facts->busy_share *
			    fmax(1 - facts->window_waits -
				 facts->send_buffer_waits, 0) : 0;
}

/**
 * evidence_queued() - how long packets waited at the source's device
 * @facts: facts
 *
 * TCP keeps few packets below its socket (TCP small queues): the queueing discipline may be
 * empty while the driver's queue is full.
 *
 * Return: a share of the time; NaN if it is unknown.
 */
double evidence_queued(const struct verdict_facts *facts)
{
	return fmax(facts->backlog_share, facts->driver_share);
}

static bool window_is_small(const struct verdict_facts *facts)
{
	return (facts->window_bytes > 0 &&
		facts->window_bytes < WINDOW_SMALL) ||
	       share_of_named(facts, "window") >= WINDOW_USED;
}

/**
 * evidence_is_late() - whether others delay the run so that queues stand for that too
 * @facts: facts
 *
 * Return: true if so.
 */
bool evidence_is_late(const struct verdict_facts *facts)
{
	const struct verdict_cpu *const cpus[] = { &facts->source, &facts->sink };
	bool known = true, late = false;

	for (size_t i = 0; i < COUNT(cpus); i++) {
		if (!cpus[i]->known)
			continue;
		known &= !isnan(cpus[i]->delayed);
		late |= cpus[i]->delayed >= LATE_MIN;
	}
	return facts->disturbed && (late || !known);
}

/* Whether a pace, or a buffer that bounds what is under way, explains the rate. */
static bool is_explained(const struct verdict_facts *facts)
{
	return share_of_named(facts, "rate") >= WINDOW_REACHED ||
	       share_of_named(facts, "send_buffer") >= BUFFER_USED ||
	       share_of_named(facts, "window") >= WINDOW_REACHED;
}

/**
 * evidence_cpu_busy() - how long a CPU was busy for the run, or late
 * @cpu: the CPU
 *
 * A thread that is not asleep runs, or waits for its CPU. Where the kernel does not tell,
 * it is known how much others ran.
 *
 * Return: a share of the time; NaN if it is unknown.
 */
double evidence_cpu_busy(const struct verdict_cpu *cpu)
{
	if (!cpu->known)
		return NAN;
	if (!isnan(cpu->asleep))
		return 1 - cpu->asleep;
	return cpu->own < EVIDENCE_OWN_MIN ? cpu->own : cpu->own + cpu->foreign;
}

/* Round trips that are longer by so much have a queue. */
static double standing_us(const struct verdict_facts *facts)
{
	return !facts->nothing_between ? STANDING_US :
	       facts->filtered ? STANDING_FILTERED_US : STANDING_NEAR_US;
}

/*
 * A window that is under way, in a queue, is not one that nobody reads: acknowledgements
 * that a reader delays, since it does not run, lengthen round trips too.
 */
static bool is_under_way(const struct verdict_facts *facts)
{
	const double longer_us = facts->rtt_us - facts->rtt_min_us;

	if (evidence_cpu_busy(&facts->sink) >= CHAIN_SURELY)
		return false;
	return (evidence_queued(facts) >= CHAIN_STANDS &&
		longer_us >= STANDING_US) ||
	       (facts->window_used >= WINDOW_USED &&
		longer_us >= standing_us(facts));
}

/* Softirqs run, or wait for their CPU. */
static double softirq_busy(const struct verdict_facts *facts)
{
	return facts->softirq.known ?
	       facts->softirq.own + fmax(facts->softirq.delayed, 0) : NAN;
}

/*
 * Whether acknowledgements wait for CPUs: a thread waits for its own half of the time, or
 * there is nothing else to wait for.
 */
static bool is_cpu_late(const struct verdict_facts *facts)
{
	if (facts->source.delayed >= CHAIN_STANDS ||
	    facts->sink.delayed >= CHAIN_STANDS)
		return true;
	if (facts->filtered &&
	    facts->rtt_us - facts->rtt_min_us >= STANDING_FILTERED_US)
		return false;
	return facts->nothing_between &&
	       (evidence_is_late(facts) ||
		evidence_cpu_busy(&facts->source) >= CHAIN_STANDS ||
		evidence_cpu_busy(&facts->sink) >= CHAIN_STANDS ||
		softirq_busy(facts) >= CHAIN_STANDS);
}

/* Evidence of each place. What is not set is unknown. */

static void gather_application(const struct verdict_facts *facts,
			       struct chain_link *link)
{
	const double busy = evidence_cpu_busy(&facts->source);

	/* While its thread works, for other streams, it does not keep this one waiting. */
	if (facts->tcp)
		link->queue = fmin(1 - facts->busy_share,
				   isnan(busy) ? 1 : fmax(1 - busy, 0));
}

static void gather_source(const struct verdict_facts *facts,
			  struct chain_link *link)
{
	link->busy = evidence_cpu_busy(&facts->source);
}

static void gather_send_buffer(const struct verdict_facts *facts,
			       struct chain_link *link)
{
	link->busy = share_of_named(facts, "send_buffer");
	if (!facts->tcp)
		return;
	link->queue = facts->send_buffer_waits * facts->busy_share;
	/* The kernel notices that it is full only where it sends while a sender waits. */
	if (link->busy >= (facts->sndbuf ? BUFFER_ASKED : BUFFER_USED))
		link->queue = fmax(link->queue, evidence_held(facts));
}

static void gather_window(const struct verdict_facts *facts,
			  struct chain_link *link)
{
	link->busy = share_of_named(facts, "window");
	if (!facts->tcp)
		return;
	link->queue = window_is_small(facts) ?
		      facts->window_waits * facts->busy_share : 0;
	if (link->busy >= WINDOW_REACHED)
		link->queue += evidence_held(facts);
}

static void gather_congestion(const struct verdict_facts *facts,
			      struct chain_link *link)
{
	link->busy = facts->congestion_share;
	link->rest = true;
	if (facts->tcp && !is_cpu_late(facts))
		link->queue = is_explained(facts) ||
			      facts->congestion_share < VERDICT_MOSTLY ?
			      0 : evidence_held(facts);
}

static void gather_queue(const struct verdict_facts *facts,
			 struct chain_link *link)
{
	link->queue = evidence_queued(facts);
}

/**
 * evidence_full_link() - the limit of bus, framing or link that the device reaches
 * @facts: facts
 *
 * What others send by it is part of that.
 *
 * Return: index of the limit, or CEILING_NONE.
 */
size_t evidence_full_link(const struct verdict_facts *facts)
{
	return evidence_link(facts->ceilings, facts->count,
			    facts->goodput_bps / (1 - facts->others_sent));
}

static void gather_link(const struct verdict_facts *facts,
			struct chain_link *link)
{
	size_t index = evidence_full_link(facts);

	for (size_t i = 0; index == CEILING_NONE && i < COUNT(links); i++)
		if (share_of_named(facts, links[i]) > 0)
			index = evidence_named(facts->ceilings, facts->count,
					       links[i]);
	link->busy = evidence_share(facts, index) / (1 - facts->others_sent);
	link->exact = true;
}

/*
 * A round trip that is longer than the least one waited in a queue on its way. What stood
 * at the source's device, or waited for a late CPU, is not the path's.
 */
static void gather_path(const struct verdict_facts *facts,
			struct chain_link *link)
{
	const double longer_us = facts->rtt_us - facts->rtt_min_us;
	double longer = 0;

	if (!facts->tcp || (is_cpu_late(facts) && !facts->marked_share))
		return;
	if (facts->rtt_min_us > 0 &&
	    longer_us >= standing_us(facts))
		longer = longer_us / facts->rtt_min_us;
	if (facts->marked_share >= EVIDENCE_MARKED_MIN)
		longer = 1;
	/* Of twice the time or more, whatever TCP waited for: its buffers fill the path. */
	link->queue = longer >= 1 ? facts->busy_share :
		      is_explained(facts) ? 0 :
		      fmin(longer / STANDING_SHARE, 1) * evidence_held(facts);
	if (evidence_queued(facts) > 0)
		link->queue *= 1 - evidence_queued(facts);
}

/* What stands at the source's device does not wait for softirqs of the sink. */
static void gather_softirq(const struct verdict_facts *facts,
			   struct chain_link *link)
{
	link->busy = softirq_busy(facts);
	if (evidence_queued(facts) >= CHAIN_STANDS && facts->softirq_apart)
		link->queue = 0;
}

/* TCP stops where the receiver does not read, although its window is large enough. */
static void gather_reader(const struct verdict_facts *facts,
			  struct chain_link *link)
{
	link->busy = evidence_cpu_busy(&facts->sink);
	if (facts->tcp)
		link->queue = window_is_small(facts) || is_under_way(facts) ?
			      0 : facts->window_waits * facts->busy_share;
	else if (facts->losses)
		link->queue = 0;
}

static void gather_demand(const struct verdict_facts *facts,
			  struct chain_link *link)
{
	link->busy = share_of_named(facts, "rate");
	link->exact = true;
}

static void (*const gather[CHAIN_PLACES])(const struct verdict_facts *facts,
					  struct chain_link *link) = {
	[CHAIN_APPLICATION] = gather_application,
	[CHAIN_SOURCE] = gather_source,
	[CHAIN_SEND_BUFFER] = gather_send_buffer,
	[CHAIN_WINDOW] = gather_window,
	[CHAIN_CONGESTION] = gather_congestion,
	[CHAIN_QUEUE] = gather_queue,
	[CHAIN_LINK] = gather_link,
	[CHAIN_PATH] = gather_path,
	[CHAIN_SOFTIRQ] = gather_softirq,
	[CHAIN_READER] = gather_reader,
	[CHAIN_DEMAND] = gather_demand,
};

/* Where packets are lost, a queue ran over, or a place took them as if it had. */
static void add_loss(struct chain *chain, enum loss_place where, uint64_t drops,
		     double share)
{
	struct chain_link *link = &chain->link[loss_link(where)];

	link->drops += drops;
	link->queue = fmax(link->queue, share);
}

static void gather_losses(const struct verdict_facts *facts,
			  struct chain *chain)
{
	const struct losses *losses = facts->losses;
	uint64_t lost = 0;

	for (int i = 0; (facts->tcp || losses) && i < LOSS_PLACES; i++)
		add_loss(chain, i, 0, 0);
	if (facts->tcp && facts->resent >= EVIDENCE_RESENT_MIN &&
	    facts->resent_share >= LOSS_MATTERS)
		add_loss(chain, facts->resent_at, facts->resent,
			 evidence_held(facts) *
			 (facts->loss_used < LOSS_USED ?
			  facts->loss_used / LOSS_USED : 1));
	for (int i = 0; losses && i < LOSS_PLACES; i++)
		lost += losses->count[i];
	for (int i = 0; lost && i < LOSS_PLACES; i++) {
		const double part = (double)losses->count[i] / lost;
		/* Of few losses it matters where most are, for want of another limit. */
		const double least = losses->share >= LOSS_MATTERS &&
				     part >= CHAIN_STANDS ? CHAIN_NEARLY : 0;

		if (losses->count[i])
			add_loss(chain, i, losses->count[i],
				 fmax(part * fmin(losses->share / LOSS_LIMITS, 1),
				      least));
	}
}

/**
 * evidence_gather() - gather the evidence of each place
 * @facts: facts
 * @chain: filled in
 */
void evidence_gather(const struct verdict_facts *facts, struct chain *chain)
{
	for (int i = 0; i < CHAIN_PLACES; i++) {
		chain->link[i] = (struct chain_link) {
			.queue = NAN, .busy = NAN,
		};
		if (gather[i])
			gather[i](facts, &chain->link[i]);
	}
	gather_losses(facts, chain);
	chain->pressure = facts->tcp && facts->source.known ?
			  isnan(facts->source.asleep) ? 1 - facts->source.own :
			  facts->source.asleep : NAN;
}
