// SPDX-License-Identifier: GPL-2.0
/* loss: where the datagrams of a run were lost, by the counters of each place. */
#include "loss.h"

static const struct {
	const char *key;
	const char *where;
	const char *remedy;
} places[LOSS_PLACES] = {
	[LOSS_TOLD] = {
		"source_layer",
		"the source's queueing discipline or driver, which said so",
		"a lower rate, or a longer queue (tc, txqueuelen)",
	},
	[LOSS_QUEUE] = {
		"source_qdisc", "the source's queueing discipline",
		"a lower rate, or a longer queue (tc, txqueuelen)",
	},
	[LOSS_SOURCE_DEVICE] = {
		"source_device", "the source's device",
		"a lower rate; ethtool -S says more",
	},
	[LOSS_KEPT] = {
		"source_buffers", "buffers that the source's device keeps",
		"a longer drain-timeout",
	},
	[LOSS_WAY] = {
		"way", "the way, or a place that does not count",
		"a lower rate, and counters of what is between the ends",
	},
	[LOSS_SINK_DEVICE] = {
		"sink_device", "the sink's device",
		"a longer receive ring (ethtool -G), or a lower rate",
	},
	[LOSS_BACKLOG] = {
		"backlog", "the backlog of a CPU that receives",
		"a greater net.core.netdev_max_backlog, or a lower rate",
	},
	[LOSS_FILTER] = {
		"sink_filter", "filters of tc(8) at the sink's device",
		"tc -s filter, which says which one",
	},
	[LOSS_SOCKET] = {
		"sink_socket", "the sink's sockets, whose buffers were full",
		"a greater rcvbuf, more streams, or a lower rate",
	},
};

/**
 * loss_key() - key of a place in records
 * @place: place
 *
 * Return: a word.
 */
const char *loss_key(enum loss_place place)
{
	return places[place].key;
}

/**
 * loss_where() - name of a place in text
 * @place: place
 *
 * Return: a noun.
 */
const char *loss_where(enum loss_place place)
{
	return places[place].where;
}

/**
 * loss_remedy() - possible remedy if most is lost in a place
 * @place: place
 *
 * Return: a noun.
 */
const char *loss_remedy(enum loss_place place)
{
	return places[place].remedy;
}

static uint64_t beyond(uint64_t count, uint64_t part)
{
	return count > part ? count - part : 0;
}

static uint64_t greater(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/*
 * Drops reported to the source are also in the counts of its device: of the
 * queueing discipline, which comes first, or of the driver. Drops of a backlog are
 * also in the counts of the receiving device, with veth of the sending one.
 */
static void count_devices(const struct arrivals_terms *terms, uint64_t told,
			  struct losses *to)
{
	const uint64_t queue = beyond(terms->queue_drops, told);
	const uint64_t sent = beyond(terms->sent_drops,
				     beyond(told, terms->queue_drops));
	const uint64_t most = greater(sent, terms->received_drops);
	const uint64_t backlog = terms->backlog_drops < most ?
				 terms->backlog_drops : most;

	to->count[LOSS_QUEUE] = queue;
	to->count[LOSS_SOURCE_DEVICE] = beyond(sent, backlog);
	to->count[LOSS_SINK_DEVICE] = beyond(terms->received_drops, backlog);
	to->count[LOSS_BACKLOG] = backlog;
	to->count[LOSS_FILTER] = terms->filter_drops;
}

static void limit(struct losses *to, uint64_t lost)
{
	for (enum loss_place i = 0; i < LOSS_PLACES; i++) {
		if (to->count[i] > lost)
			to->count[i] = lost;
		if (to->count[i] && (to->most == LOSS_PLACES ||
				     to->count[i] > to->count[to->most]))
			to->most = i;
	}
}

/**
 * loss_compute() - find out where datagrams were lost
 * @arrivals: what happened to them
 * @terms: input of arrivals_compute()
 * @to: filled in
 */
void loss_compute(const struct arrivals *arrivals,
		  const struct arrivals_terms *terms, struct losses *to)
{
	const uint64_t segments = terms->segments ? terms->segments : 1;
	uint64_t known = 0;
	const uint64_t all = arrivals->sent ? arrivals->sent :
			     arrivals->received - arrivals->duplicates +
			     arrivals->lost;

	*to = (struct losses) {
		.most = LOSS_PLACES,
		.share = all ? (double)arrivals->lost / all : 0,
	};
	if (!arrivals->lost)
		return;
	to->count[LOSS_TOLD] = arrivals->source_drops -
			       arrivals->source_refused;
	count_devices(terms, arrivals->source_drops, to);
	to->count[LOSS_KEPT] = arrivals->unreturned;
	to->count[LOSS_SOCKET] = arrivals->socket_drops * segments;
	for (enum loss_place i = 0; i < LOSS_PLACES; i++)
		known += to->count[i];
	if (arrivals->lost > known)
		to->count[LOSS_WAY] = arrivals->lost - known;
	limit(to, arrivals->lost);
}
