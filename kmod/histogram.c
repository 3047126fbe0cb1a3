// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of times: per-CPU allocation, reading and netlink output.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <net/genetlink.h>

#include "cachelines.h"
#include "histogram.h"

/**
 * ktput_histograms_destroy() - undo ktput_histograms_create()
 * @histograms: table of them, or NULL
 */
void ktput_histograms_destroy(struct ktput_histogram **histograms)
{
	unsigned int cpu;

	if (!histograms)
		return;
	for_each_possible_cpu(cpu)
		kvfree(histograms[cpu]);
	kvfree(histograms);
}

/**
 * ktput_histograms_create() - make an empty histogram for each possible CPU
 *
 * Return: table by CPU, or NULL without memory.
 */
struct ktput_histogram **ktput_histograms_create(void)
{
	struct ktput_histogram **histograms;
	unsigned int cpu;

	histograms = kvzalloc(ktput_cachelines_size(nr_cpu_ids *
						    sizeof(*histograms)),
			      GFP_KERNEL_ACCOUNT);
	if (!histograms)
		return NULL;
	for_each_possible_cpu(cpu) {
		histograms[cpu] = kvzalloc_node(sizeof(**histograms),
						GFP_KERNEL_ACCOUNT,
						cpu_to_node(cpu));
		if (!histograms[cpu])
			goto free;
		histograms[cpu]->min = U64_MAX;
	}
	return histograms;
free:
	ktput_histograms_destroy(histograms);
	return NULL;
}

/**
 * ktput_histogram_read() - copy a histogram that another CPU may be writing
 * @to: the copy
 * @from: histogram
 */
void ktput_histogram_read(struct ktput_histogram *to,
			  const struct ktput_histogram *from)
{
	unsigned int i;

	to->sum = READ_ONCE(from->sum);
	to->min = READ_ONCE(from->min);
	to->max = READ_ONCE(from->max);
	to->timeouts = READ_ONCE(from->timeouts);
	to->late = READ_ONCE(from->late);
	to->unanswered = READ_ONCE(from->unanswered);
	for (i = 0; i < KTPUT_HISTOGRAM_BUCKETS; i++)
		to->counts[i] = READ_ONCE(from->counts[i]);
}

static bool put_sums(struct sk_buff *skb,
		     const struct ktput_histogram *histogram)
{
	const int pad = KTPUT_A_LATENCY_PAD;

	if (nla_put_u64_64bit(skb, KTPUT_A_LATENCY_SUM, histogram->sum, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_LATENCY_TIMEOUTS,
			      histogram->timeouts, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_LATENCY_LATE, histogram->late, pad) ||
	    nla_put_u64_64bit(skb, KTPUT_A_LATENCY_UNANSWERED,
			      histogram->unanswered, pad))
		return false;
	if (histogram->min == U64_MAX)
		return true;
	return !nla_put_u64_64bit(skb, KTPUT_A_LATENCY_LEAST, histogram->min,
				  pad) &&
	       !nla_put_u64_64bit(skb, KTPUT_A_LATENCY_GREATEST,
				  histogram->max, pad);
}

static bool put_counts(struct sk_buff *skb,
		       const struct ktput_histogram *histogram, u32 first)
{
	return !nla_put_u32(skb, KTPUT_A_LATENCY_FIRST, first) &&
	       !nla_put(skb, KTPUT_A_LATENCY_COUNTS,
			KTPUT_HISTOGRAM_PART * sizeof(u64),
			&histogram->counts[first]);
}

/**
 * ktput_histogram_put() - write a part of a histogram
 * @skb: message; the attribute KTPUT_A_MESSAGE_LATENCY is added
 * @cpu: its CPU
 * @histogram: histogram without a writer
 * @part: 0 for the sums, then KTPUT_HISTOGRAM_PARTS of its buckets
 *
 * Return: 0, -ENODATA for buckets that are all empty, or -EMSGSIZE where @skb
 * has no room.
 */
int ktput_histogram_put(struct sk_buff *skb, unsigned int cpu,
			const struct ktput_histogram *histogram,
			unsigned int part)
{
	const u32 first = (part - 1) * KTPUT_HISTOGRAM_PART;
	struct nlattr *nest;

	if (part && !memchr_inv(&histogram->counts[first], 0,
				KTPUT_HISTOGRAM_PART * sizeof(u64)))
		return -ENODATA;
	nest = nla_nest_start(skb, KTPUT_A_MESSAGE_LATENCY);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTPUT_A_LATENCY_CPU, cpu) ||
	    (part ? !put_counts(skb, histogram, first) :
		    !put_sums(skb, histogram))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
