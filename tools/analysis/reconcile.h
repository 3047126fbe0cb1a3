/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reconcile: whether all who count the same thing agree.
 *
 * Pure comparison of what was counted after the end: by the source and the
 * sink, their CPUs and their streams, by TCP and by the devices. A device
 * counts other traffic too, so it may have more, and never less.
 */
#ifndef KTPUT_TOOLS_RECONCILE_H
#define KTPUT_TOOLS_RECONCILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrivals.h"
#include "../module/client.h"
#include "../host/device_counters.h"

#define RECONCILE_MAX	16

/**
 * enum reconcile_relation - what is to be
 * @RECONCILE_EQUAL: the two are the same
 * @RECONCILE_AT_LEAST: there may be more than expected
 * @RECONCILE_AT_MOST: there may be less than expected
 */
enum reconcile_relation {
	RECONCILE_EQUAL,
	RECONCILE_AT_LEAST,
	RECONCILE_AT_MOST,
};

/**
 * struct reconcile_item - two who count the same thing
 * @what: what is counted, as a key
 * @unit: bytes, datagrams, packets
 * @expecting: who says what is expected, as a sentence begins
 * @counting: who has counted, as a sentence goes on
 * @relation: how the two are to be
 * @expected: what is expected
 * @counted: what was counted
 * @agrees: they are as they are to be
 * @where: the place between the two
 */
struct reconcile_item {
	const char *what;
	const char *unit;
	const char *expecting;
	const char *counting;
	enum reconcile_relation relation;
	uint64_t expected;
	uint64_t counted;
	bool agrees;
	char where[64];
};

/**
 * struct reconcile - all comparisons of a run
 * @items: the comparisons
 * @count: how many
 */
struct reconcile {
	struct reconcile_item items[RECONCILE_MAX];
	size_t count;
};

/**
 * struct reconcile_device - a device that an end's packets pass
 * @name: its name
 * @certain: they can pass no other
 * @counters: what it counted from before the begin until after the end
 */
struct reconcile_device {
	const char *name;
	bool certain;
	struct device_counters counters;
};

/**
 * struct reconcile_facts - what was counted
 * @source: snapshot of the source after its end, or NULL where it is elsewhere
 * @sink: snapshot of the sink after its end, or NULL likewise
 * @arrivals: what became of datagrams, or NULL with TCP
 * @segments: datagrams that may pass a device as one packet
 * @nothing_between: there is neither a device nor a network between the ends
 *	that is not counted, so that what is lost must be in somebody's count
 * @foreign: the ends are a program that stops counting while payload is under way,
 *	and does not tell of drops at its sockets
 * @source_device: device of the source
 * @sink_device: device of the sink
 */
struct reconcile_facts {
	const struct client_snapshot *source;
	const struct client_snapshot *sink;
	const struct arrivals *arrivals;
	uint64_t segments;
	bool nothing_between;
	bool foreign;
	struct reconcile_device source_device;
	struct reconcile_device sink_device;
};

void reconcile_compute(const struct reconcile_facts *facts,
		       struct reconcile *reconcile);
void reconcile_devices(const struct reconcile_facts *facts,
		       struct reconcile *reconcile);
bool reconcile_agrees(const struct reconcile *reconcile,
		      struct units_error *why);

#endif
