/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events: events that perf counts on a CPU.
 */
#ifndef KTPUT_TOOLS_EVENTS_H
#define KTPUT_TOOLS_EVENTS_H

#include <linux/ktput.h>
#include <stdbool.h>
#include <stdint.h>

/* Events have the numbers of their attributes, from first to last. */
#define EVENTS_FIRST	KTPUT_A_EVENTS_CORE_CYCLES
#define EVENTS_LAST	KTPUT_A_EVENTS_CPU_MIGRATIONS

/* Maximum length of a key. */
#define EVENTS_KEY_SIZE	48

/**
 * struct events - events of a CPU
 * @known: whether an event is counted
 * @count: its count, 0 if unknown
 * @reason: why it is not counted, a constant string; NULL if unknown
 */
struct events {
	bool known[EVENTS_LAST + 1];
	uint64_t count[EVENTS_LAST + 1];
	const char *reason[EVENTS_LAST + 1];
};

const char *events_key(int event);
void events_reason_key(int event, char *key);
const char *events_name(int event);
const char *events_reason(int error);
bool events_told(const struct events *events);
struct events events_difference(const struct events *later,
				const struct events *earlier);
void events_add(struct events *to, const struct events *from);

#endif
