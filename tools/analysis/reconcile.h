/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reconcile: check that all counters of the same thing agree.
 *
 * Pure comparison of counts after the end: those of source and sink, of their CPUs
 * and streams, of TCP and of the devices. A device also counts other traffic, so
 * its count may be higher, but never lower.
 */
#ifndef KTPUT_TOOLS_RECONCILE_H
#define KTPUT_TOOLS_RECONCILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../host/device_counters.h"
#include "../module/client.h"
#include "arrivals.h"

#define RECONCILE_MAX	16

/**
 * enum reconcile_relation - required relation of two counts
 * @RECONCILE_EQUAL: the two are the same
 * @RECONCILE_AT_LEAST: the count may exceed the expectation
 * @RECONCILE_AT_MOST: the count may be below the expectation
 */
enum reconcile_relation {
	RECONCILE_EQUAL,
	RECONCILE_AT_LEAST,
	RECONCILE_AT_MOST,
};

/**
 * struct reconcile_item - two counts of the same thing
 * @what: what is counted, as a key
 * @unit: bytes, datagrams, packets
 * @expecting: who expects, as the beginning of a sentence
 * @counting: who counted, as its continuation
 * @relation: required relation of the two
 * @expected: expected count
 * @counted: actual count
 * @agrees: @relation holds
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
 * @count: number of comparisons
 */
struct reconcile {
	struct reconcile_item items[RECONCILE_MAX];
	size_t count;
};

/**
 * struct reconcile_device - a device that an end's packets pass
 * @name: its name
 * @certain: the packets cannot pass any other device
 * @counters: difference from before the begin until after the end
 */
struct reconcile_device {
	const char *name;
	bool certain;
	struct device_counters counters;
};

/**
 * struct reconcile_facts - the counts to compare
 * @source: snapshot of the source after its end, NULL if the source is remote
 * @sink: snapshot of the sink after its end, NULL if the sink is remote
 * @arrivals: what happened to datagrams, NULL with TCP
 * @segments: datagrams that may pass a device as one packet
 * @reasons: datagrams that this kernel dropped by its own reasons, 0 if unknown
 * @nothing_between: every device and network between the ends is counted, so each
 *	loss before the sink's device must be in a counter
 * @foreign: the ends are a program that stops counting while payload is in flight,
 *	and does not report drops at its sockets
 * @warm_up: the ends leave out the beginning
 * @source_device: device of the source
 * @sink_device: device of the sink
 */
struct reconcile_facts {
	const struct client_snapshot *source;
	const struct client_snapshot *sink;
	const struct arrivals *arrivals;
	uint64_t segments;
	uint64_t reasons;
	bool nothing_between;
	bool foreign;
	bool warm_up;
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
