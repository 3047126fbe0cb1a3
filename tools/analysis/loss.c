// SPDX-License-Identifier: GPL-2.0
/* loss: where the datagrams of a run were lost, by the counters of each place. */
#include "loss.h"

#define LOWER_RATE	{ "a lower rate", REMEDY_SOURCE, "rate less" }
#define LONGER_QUEUE	{ "a longer queue (tc, txqueuelen)", REMEDY_SOURCE, \
			  "txqueuelen more" }
#define PACE		{ "a pace", REMEDY_SOURCE, "pace less" }
#define LONGER_RING	{ "a longer receive ring (ethtool -G)", REMEDY_SINK, \
			  "ring more" }
#define LONGER_BACKLOG	{ "a greater net.core.netdev_max_backlog", REMEDY_SINK, \
			  "sysctl net.core.netdev_max_backlog more" }
#define GREATER_RCVBUF	{ "a greater rcvbuf", REMEDY_SINK, "rcvbuf more" }

/* The remedy for datagrams, and for TCP where it is another. */
static const struct {
	enum chain_place link;
	const char *key;
	const char *where;
	const struct remedy *remedies;
	const struct remedy *of_tcp;
} places[LOSS_PLACES] = {
	[LOSS_TOLD] = {
		CHAIN_QUEUE,
		"source_layer",
		"the source's queueing discipline or driver, which said so",
		REMEDIES { LOWER_RATE, LONGER_QUEUE, { 0 } },
		REMEDIES { LONGER_QUEUE, PACE, { 0 } },
	},
	[LOSS_SOURCE_FILTER] = {
		CHAIN_QUEUE,
		"source_filter", "filters of tc(8) at the source's device",
		REMEDIES {
			{ "tc -s filter, which says which one",
			  REMEDY_SOURCE, NULL },
			{ 0 },
		},
	},
	[LOSS_QUEUE] = {
		CHAIN_QUEUE,
		"source_qdisc", "the source's queueing discipline",
		REMEDIES { LOWER_RATE, LONGER_QUEUE, { 0 } },
		REMEDIES { LONGER_QUEUE, PACE, { 0 } },
	},
	[LOSS_SOURCE_DEVICE] = {
		CHAIN_LINK,
		"source_device", "the source's device",
		REMEDIES {
			{ "a lower rate; ethtool -S says more",
			  REMEDY_SOURCE, "rate less" },
			{ 0 },
		},
		REMEDIES {
			{ "ethtool -S, which says more", REMEDY_SOURCE, NULL },
			{ 0 },
		},
	},
	[LOSS_KEPT] = {
		CHAIN_LINK,
		"source_buffers", "buffers that the source's device keeps",
		REMEDIES {
			{ "a longer drain-timeout",
			  REMEDY_SOURCE, "drain-timeout more" },
			{ 0 },
		},
	},
	[LOSS_WAY] = {
		CHAIN_PATH,
		"way", "the path, or a place without a drop counter",
		REMEDIES {
			{ "a lower rate, and counters of what is between the ends",
			  REMEDY_SOURCE, "rate less" },
			{ 0 },
		},
		REMEDIES {
			{
				"drop counters of what is between the ends; a pace, if its queues are short",
				REMEDY_SOURCE, NULL
			},
			{ 0 },
		},
	},
	[LOSS_SINK_DEVICE] = {
		CHAIN_DEVICE,
		"sink_device", "the sink's device",
		REMEDIES { LONGER_RING, LOWER_RATE, { 0 } },
		REMEDIES { LONGER_RING, { 0 } },
	},
	[LOSS_BACKLOG] = {
		CHAIN_DEVICE,
		"backlog", "the backlog of a CPU that receives",
		REMEDIES { LONGER_BACKLOG, LOWER_RATE, { 0 } },
		REMEDIES { LONGER_BACKLOG, { 0 } },
	},
	[LOSS_FILTER] = {
		CHAIN_HOST,
		"sink_filter", "filters of tc(8) at the sink's device",
		REMEDIES {
			{ "tc -s filter, which says which one",
			  REMEDY_SINK, NULL },
			{ 0 },
		},
	},
	[LOSS_HOST] = {
		CHAIN_HOST,
		"sink_host",
		"the sink's host, behind its device, in a place that does not count, as a firewall",
		REMEDIES {
			{ "drops, which names the kernel's reasons; nft list ruleset",
			  REMEDY_SINK, NULL },
			{ 0 },
		},
		REMEDIES {
			{ "nft list ruleset, conntrack -S", REMEDY_SINK, NULL },
			{ 0 },
		},
	},
	[LOSS_PROTOCOL] = {
		CHAIN_HOST,
		"sink_protocol",
		"IP or UDP of the sink's host: header, address, route, reverse path, reassembly or port",
		REMEDIES {
			{ "nstat -az, which names the counter",
			  REMEDY_SINK, NULL },
			{ 0 },
		},
	},
	[LOSS_CHECKSUM] = {
		CHAIN_HOST,
		"sink_checksum",
		"the sink's host, because the checksum was wrong",
		REMEDIES {
			{
				"find what damages packets: a NIC, a cable, a tunnel or an offload (ethtool -S, ethtool -K)",
				REMEDY_SINK, NULL
			},
			{ 0 },
		},
	},
	[LOSS_MEMORY] = {
		CHAIN_READER,
		"sink_memory",
		"the sink's host, whose UDP had all the memory that it may have",
		REMEDIES {
			{ "a greater net.ipv4.udp_mem",
			  REMEDY_SINK, "sysctl net.ipv4.udp_mem more" },
			{ "fewer and smaller receive buffers",
			  REMEDY_SINK, "rcvbuf less" },
			{ 0 },
		},
	},
	[LOSS_SOCKET] = {
		CHAIN_READER,
		"sink_socket", "the sink's sockets, whose buffers were full",
		REMEDIES {
			GREATER_RCVBUF,
			{ "more streams", REMEDY_BOTH, "streams more" },
			LOWER_RATE,
			{ 0 },
		},
		REMEDIES { GREATER_RCVBUF, { 0 } },
	},
	[LOSS_SOCKET_OTHER] = {
		CHAIN_READER,
		"sink_socket_other",
		"the sink's sockets, for a reason that no counter tells",
		REMEDIES {
			{ "drops, which names the kernel's reasons",
			  REMEDY_SINK, NULL },
			{ 0 },
		},
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
 * loss_remedies() - possible remedies if most is lost in a place
 * @place: place
 * @tcp: segments are lost, and no datagrams
 *
 * Return: an array, ended by one without a text.
 */
const struct remedy *loss_remedies(enum loss_place place, bool tcp)
{
	return tcp && places[place].of_tcp ? places[place].of_tcp :
					     places[place].remedies;
}

/**
 * loss_link() - link of the chain that a place belongs to
 * @place: place
 *
 * Return: the link.
 */
enum chain_place loss_link(enum loss_place place)
{
	return places[place].link;
}

/*
 * Drops reported to the source are also in the counts of its device: of filters, of the
 * queueing discipline, which comes next, or of the driver. What a veth device could not
 * deliver both devices of the pair have counted. Drops of a backlog are also in the
 * counts of the receiving device, with veth of the sending one.
 */
static void count_devices(const struct arrivals_terms *terms, uint64_t told,
			  struct losses *to)
{
	const uint64_t filtered = units_beyond(terms->source_filter_drops, told);
	const uint64_t told_later = units_beyond(told, terms->source_filter_drops);
	const uint64_t queue = units_beyond(terms->queue_drops, told_later);
	uint64_t sent = units_beyond(terms->sent_drops,
				     units_beyond(told_later, terms->queue_drops));
	uint64_t backlog;

	if (terms->pair)
		sent -= units_smaller(sent, terms->received_drops);
	backlog = units_smaller(terms->backlog_drops,
				units_greater(sent, terms->received_drops));
	to->count[LOSS_SOURCE_FILTER] = filtered;
	to->count[LOSS_QUEUE] = queue;
	to->count[LOSS_SOURCE_DEVICE] = units_beyond(sent, backlog);
	to->count[LOSS_SINK_DEVICE] = units_beyond(terms->received_drops, backlog);
	to->count[LOSS_BACKLOG] = backlog;
	to->count[LOSS_FILTER] = terms->filter_drops;
}

/*
 * Sockets count what they drop, and not why. The reasons are counted for all sockets of
 * the network namespace. Most wrong checksums are found at the socket, those of short
 * datagrams before one is sought.
 */
static void count_sockets(const struct arrivals_terms *terms, uint64_t drops,
			  struct losses *to)
{
	const struct protocols *protocols = &terms->protocols;
	const uint64_t full = protocols->known ?
			      units_smaller(drops, protocols->udp_buffer_errors) :
			      drops;
	const uint64_t memory = units_smaller(drops - full,
					      protocols->udp_memory_errors);
	const uint64_t damaged = units_smaller(drops - full - memory,
					       protocols->udp_checksum_errors);
	const uint64_t segments = terms->segments ? terms->segments : 1;

	to->count[LOSS_SOCKET] = full * segments;
	to->count[LOSS_MEMORY] = memory * segments;
	to->count[LOSS_CHECKSUM] = protocols->udp_checksum_errors * segments;
	to->count[LOSS_SOCKET_OTHER] = (drops - full - memory - damaged) *
				       segments;
	to->count[LOSS_PROTOCOL] = protocols->ip_drops +
				   protocols->udp_no_ports;
}

/* In the order in which they have what was lost: the run's own counters first. */
static const enum loss_place by_trust[] = {
	LOSS_TOLD, LOSS_KEPT, LOSS_SOCKET, LOSS_MEMORY, LOSS_SOCKET_OTHER,
	LOSS_CHECKSUM, LOSS_SOURCE_FILTER, LOSS_QUEUE, LOSS_SOURCE_DEVICE,
	LOSS_SINK_DEVICE, LOSS_BACKLOG, LOSS_FILTER, LOSS_PROTOCOL, LOSS_HOST,
	LOSS_WAY,
};

_Static_assert(COUNT(by_trust) == LOSS_PLACES,
	       "each place is there once");

static void limit(struct losses *to, uint64_t lost)
{
	uint64_t left = lost;

	for (size_t i = 0; i < LOSS_PLACES; i++) {
		uint64_t *count = &to->count[by_trust[i]];

		*count = by_trust[i] == LOSS_WAY ? left : units_smaller(*count, left);
		left -= *count;
	}
	for (enum loss_place i = 0; i < LOSS_PLACES; i++)
		if (to->count[i] && (to->most == LOSS_PLACES ||
				     to->count[i] > to->count[to->most]))
			to->most = i;
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
	const uint64_t all = arrivals->sent ? arrivals->sent :
			     arrivals->received - arrivals->duplicates +
			     arrivals->lost;

	*to = (struct losses) {
		.most = LOSS_PLACES,
		.share = all ? (double)arrivals->lost / all : 0,
	};
	if (!arrivals->lost)
		return;
	count_devices(terms, arrivals->source_drops, to);
	count_sockets(terms, arrivals->socket_drops, to);
	to->count[LOSS_TOLD] = arrivals->source_drops -
			       arrivals->source_refused;
	to->count[LOSS_KEPT] = arrivals->unreturned;
	if (terms->nothing_between)
		to->count[LOSS_HOST] = units_beyond(arrivals->lost,
						    arrivals->missing_on_link);
	limit(to, arrivals->lost);
}

/**
 * loss_of_segments() - find out where TCP segments were lost
 * @terms: counters of both ends
 * @resent: segments that were sent again
 *
 * A packet may hold LOSS_SEGMENTS_MAX segments, but not where its IP header or checksum is
 * wrong, which GRO does not merge. Those counters are of the host, so that packets of others
 * are in them: half of the segments have to be. Where nothing lies between the ends, what
 * no counter has is lost behind the sink's device.
 *
 * Return: the place with most drops, of those that may have lost as many; else LOSS_HOST or
 * LOSS_WAY.
 */
enum loss_place loss_of_segments(const struct arrivals_terms *terms,
				 uint64_t resent)
{
	struct losses counted = { .most = LOSS_PLACES };

	count_devices(terms, 0, &counted);
	counted.count[LOSS_PROTOCOL] = terms->protocols.ip_drops;
	counted.count[LOSS_CHECKSUM] = terms->protocols.tcp_checksum_errors;
	counted.count[LOSS_SOCKET] = terms->protocols.tcp_socket_drops;
	for (enum loss_place i = 0; i < LOSS_PLACES; i++) {
		const bool alone = i == LOSS_PROTOCOL || i == LOSS_CHECKSUM;

		if (counted.count[i] * (alone ? 2 : LOSS_SEGMENTS_MAX) >= resent &&
		    (counted.most == LOSS_PLACES ||
		     counted.count[i] > counted.count[counted.most]))
			counted.most = i;
	}
	if (counted.most != LOSS_PLACES)
		return counted.most;
	return terms->nothing_between ? LOSS_HOST : LOSS_WAY;
}
