// SPDX-License-Identifier: GPL-2.0
/* stages: join the stamps of messages, and say in which stage their time passed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stages.h"

/* A power of 2, so that at most half of the table is used. */
#define SLOTS	(2 * STAGES_MESSAGES_MAX)

/* Of 100 messages by their whole time, those around the median. */
#define MIDDLE_FROM	45
#define MIDDLE_TO	55

/**
 * struct stages_message - a message, and when it was where
 * @sent_ns: when it was handed over
 * @number: in its stream
 * @ports: of its stream
 * @copied: there are copies of it
 * @seen: places where it was seen, one bit each
 * @packet: the packet that it was in
 * @at_ns: when
 */
struct stages_message {
	uint64_t sent_ns;
	uint32_t number;
	uint32_t ports;
	bool copied;
	uint32_t seen;
	uint64_t packet[STAGES_PLACES];
	uint64_t at_ns[STAGES_PLACES];
};

/* A message that counts, with what its stages add up to. */
struct followed {
	const struct stages_message *message;
	uint64_t whole_ns;
};

/* What is computed from. */
struct work {
	const struct stages *stages;
	struct followed *followed;
	size_t count;
	uint64_t *value;
	uint32_t seen;
	enum stages_place first;
};

/* The stages, by their end. None ends at the first place. */
static const struct {
	const char *key;
	const char *help;
} rows[STAGES_PLACES] = {
	[STAGES_HANDED] = { "", "" },
	[STAGES_SENT] = { "send",
		"call, copy and UDP of the source, until IP has it" },
	[STAGES_QUEUED] = { "ip",
		"IP and its filters, until the queueing discipline has it" },
	[STAGES_TRANSMITTED] = { "queue",
		"queueing discipline, until the driver has it" },
	[STAGES_RECEIVED] = { "link",
		"driver, device and path, until the receiving driver hands it over" },
	[STAGES_ENTERED] = { "softirq",
		"GRO or backlog, until the receiving stack has it" },
	[STAGES_DELIVERED] = { "stack",
		"ingress, IP and UDP, until the socket has it" },
	[STAGES_TAKEN] = { "socket",
		"queue of the socket, until its reader has it" },
	[STAGES_COPIED] = { "copy", "copy to user space" },
};

/**
 * stages_key() - the name of the stage that ends at a place
 * @place: the place
 *
 * Return: a word.
 */
const char *stages_key(enum stages_place place)
{
	return rows[place].key;
}

/**
 * stages_help() - what lies in the stage that ends at a place
 * @place: the place
 *
 * Return: text.
 */
const char *stages_help(enum stages_place place)
{
	return rows[place].help;
}

/**
 * stages_begin() - begin without a message
 * @stages: release with stages_free()
 * @first: the first place of each message
 * @last: the last one
 *
 * Return: 0, or -ENOMEM.
 */
int stages_begin(struct stages *stages, enum stages_place first,
		 enum stages_place last)
{
	*stages = (struct stages) {
		.first = first, .last = last, .every = 1,
		.table = calloc(SLOTS, sizeof(*stages->table)),
		.message = calloc(STAGES_MESSAGES_MAX,
				  sizeof(*stages->message)),
	};
	if (stages->table && stages->message)
		return 0;
	stages_free(stages);
	return -ENOMEM;
}

/**
 * stages_free() - free the memory
 * @stages: stages, or zeroed
 */
void stages_free(struct stages *stages)
{
	free(stages->table);
	free(stages->message);
	*stages = (struct stages) { 0 };
}

static bool is_same(const struct stages_message *message,
		    const struct stages_stamp *stamp)
{
	return message->sent_ns == stamp->sent_ns &&
	       message->number == stamp->number &&
	       message->ports == stamp->ports;
}

/* The slot of a message, or the empty one that is to have it. */
static uint32_t *slot_of(const struct stages *stages,
			 const struct stages_stamp *stamp)
{
	uint64_t hash = (stamp->sent_ns ^ (uint64_t)stamp->number << 32 ^
			 stamp->ports) * 0x9e3779b97f4a7c15ULL;
	size_t i = hash >> 40 & (SLOTS - 1);

	while (stages->table[i] &&
	       !is_same(&stages->message[stages->table[i] - 1], stamp))
		i = (i + 1) & (SLOTS - 1);
	return &stages->table[i];
}

/* Keep every other message. */
static void thin(struct stages *stages)
{
	const size_t count = stages->count;

	stages->every *= 2;
	stages->count = 0;
	memset(stages->table, 0, SLOTS * sizeof(*stages->table));
	for (size_t i = 0; i < count; i++) {
		const struct stages_message message = stages->message[i];
		const struct stages_stamp stamp = {
			.sent_ns = message.sent_ns, .number = message.number,
			.ports = message.ports,
		};

		if (message.number % stages->every)
			continue;
		stages->message[stages->count++] = message;
		*slot_of(stages, &stamp) = stages->count;
	}
}

static struct stages_message *find(struct stages *stages,
				   const struct stages_stamp *stamp)
{
	uint32_t *slot = slot_of(stages, stamp);

	if (*slot)
		return &stages->message[*slot - 1];
	/* Of streams whose numbers are all alike, there is nothing to leave out. */
	while (stages->count == STAGES_MESSAGES_MAX && stages->every <= UINT32_MAX)
		thin(stages);
	if (stamp->number % stages->every ||
	    stages->count == STAGES_MESSAGES_MAX)
		return NULL;
	slot = slot_of(stages, stamp);
	stages->message[stages->count] = (struct stages_message) {
		.sent_ns = stamp->sent_ns, .number = stamp->number,
		.ports = stamp->ports,
	};
	*slot = ++stages->count;
	return &stages->message[*slot - 1];
}

/**
 * stages_add() - add a stamp
 * @stages: stages that have begun
 * @stamp: the stamp, whose times are of one clock
 *
 * A packet that passes a place again, as on the way through a bridge, was there when it
 * was first. Stamps of several CPUs need not be in order.
 */
void stages_add(struct stages *stages, const struct stages_stamp *stamp)
{
	const enum stages_place place = stamp->place;
	struct stages_message *message;

	if (place >= STAGES_PLACES || stamp->number % stages->every)
		return;
	message = find(stages, stamp);
	if (!message)
		return;
	if (!(message->seen & 1U << place)) {
		message->seen |= 1U << place;
		message->packet[place] = stamp->packet;
		message->at_ns[place] = stamp->time_ns;
		return;
	}
	if (message->packet[place] != stamp->packet)
		message->copied = true;
	else if (stamp->time_ns < message->at_ns[place])
		message->at_ns[place] = stamp->time_ns;
}

static uint64_t at(const struct stages_message *message,
		   enum stages_place place)
{
	return place == STAGES_HANDED ? message->sent_ns :
					message->at_ns[place];
}

static bool has(const struct work *work, enum stages_place place)
{
	return work->seen & 1U << place;
}

/* The place before it that was seen. */
static enum stages_place before(const struct work *work,
				enum stages_place place)
{
	while (!has(work, --place))
		;
	return place;
}

static uint64_t time_in(const struct work *work,
			const struct stages_message *message,
			enum stages_place place)
{
	return at(message, place) - at(message, before(work, place));
}

static bool is_ordered(const struct work *work,
		       const struct stages_message *message)
{
	for (enum stages_place i = work->first + 1; i <= work->stages->last; i++)
		if (has(work, i) &&
		    at(message, i) < at(message, before(work, i)))
			return false;
	return true;
}

/* Whether a message came to its end, alone. */
static bool has_ended(const struct stages *stages,
		      const struct stages_message *message)
{
	return !message->copied && message->seen & 1U << stages->last;
}

static bool is_wanted(const struct stages *stages,
		      const struct stages_message *message, uint64_t every,
		      uint64_t from_ns)
{
	/* Where the source is elsewhere, its clock is another one. */
	uint64_t begin = message->sent_ns;

	for (enum stages_place i = stages->first;
	     stages->first != STAGES_HANDED && i <= stages->last; i++)
		if (message->seen & 1U << i) {
			begin = message->at_ns[i];
			break;
		}
	return !(message->number % every) && begin >= from_ns;
}

/*
 * The places where most of the messages were seen that ended. The last is one of them,
 * and the first of a source, which is in the message.
 */
static uint32_t places_seen(const struct stages *stages, uint64_t every,
			    uint64_t from_ns)
{
	uint64_t count[STAGES_PLACES] = { 0 }, ended = 0;
	uint32_t seen = 1U << stages->last;

	for (size_t i = 0; i < stages->count; i++) {
		const struct stages_message *message = &stages->message[i];

		if (!is_wanted(stages, message, every, from_ns) ||
		    !has_ended(stages, message))
			continue;
		ended++;
		for (int j = 0; j < STAGES_PLACES; j++)
			count[j] += message->seen >> j & 1;
	}
	for (enum stages_place i = stages->first; i <= stages->last; i++)
		if (i == STAGES_HANDED || count[i] * 2 > ended)
			seen |= 1U << i;
	return seen;
}

/* Sort the messages into those that are followed and the others. */
static void sort_out(struct work *work, uint64_t from_ns,
		     struct stages_result *result)
{
	const struct stages *stages = work->stages;
	/* The first place of a source is in each message. */
	const uint32_t needed = work->seen & ~(1U << STAGES_HANDED);

	for (size_t i = 0; i < stages->count; i++) {
		const struct stages_message *message = &stages->message[i];

		if (!is_wanted(stages, message, result->every, from_ns))
			continue;
		if (message->copied)
			result->duplicated++;
		else if (!has_ended(stages, message))
			result->unfinished++;
		else if ((message->seen & needed) != needed)
			result->partial++;
		else if (!is_ordered(work, message))
			result->disordered++;
		else
			work->followed[work->count++] = (struct followed) {
				message, at(message, stages->last) -
					 at(message, work->first),
			};
	}
	result->messages = work->count;
}

static int by_value(const void *one, const void *other)
{
	const uint64_t *first = one, *second = other;

	return (*first > *second) - (*first < *second);
}

static int by_whole(const void *one, const void *other)
{
	const struct followed *first = one, *second = other;

	return (first->whole_ns > second->whole_ns) -
	       (first->whole_ns < second->whole_ns);
}

/* The smallest value that so many of a hundred do not exceed. */
static uint64_t percentile(const uint64_t *sorted, size_t count,
			   unsigned int percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

static double mean(const uint64_t *value, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += value[i];
	return sum / (to - from);
}

/* Of work->value, which is in the order of the messages' whole times. */
static void fill(struct work *work, size_t slowest, struct stages_row *row)
{
	const size_t count = work->count;
	uint64_t *value = work->value;

	row->seen = true;
	for (size_t i = 0; i < count; i++)
		row->sum_ns += value[i];
	if (slowest) {
		row->slowest_ns = mean(value, count - slowest, count);
		row->excess_ns = row->slowest_ns -
				 mean(value, count * MIDDLE_FROM / 100,
				      count * MIDDLE_TO / 100);
	}
	qsort(value, count, sizeof(*value), by_value);
	row->p50_ns = percentile(value, count, 50);
	row->p99_ns = percentile(value, count, 99);
}

static void summarize(struct work *work, struct stages_result *result)
{
	const struct stages *stages = work->stages;
	const size_t slowest = work->count / STAGES_SLOWEST_PART;

	if (slowest >= STAGES_SLOWEST_MIN)
		result->slowest = slowest;
	qsort(work->followed, work->count, sizeof(*work->followed), by_whole);
	for (enum stages_place i = work->first + 1; i <= stages->last; i++) {
		if (!has(work, i))
			continue;
		for (size_t j = 0; j < work->count; j++)
			work->value[j] = time_in(work,
						 work->followed[j].message, i);
		fill(work, result->slowest, &result->row[i]);
	}
	for (size_t j = 0; j < work->count; j++)
		work->value[j] = work->followed[j].whole_ns;
	fill(work, result->slowest, &result->whole);
}

/**
 * stages_compute() - where the time of the messages passed
 * @stages: stages that have all stamps
 * @every: each so many-th message was stamped to the end, a power of 2
 * @from_ns: messages that began earlier do not count
 * @result: filled in
 *
 * Return: 0, or -ENOMEM.
 */
int stages_compute(const struct stages *stages, uint64_t every,
		   uint64_t from_ns, struct stages_result *result)
{
	struct work work = {
		.stages = stages,
		.followed = calloc(stages->count + 1, sizeof(*work.followed)),
		.value = calloc(stages->count + 1, sizeof(*work.value)),
	};
	const int ret = work.followed && work.value ? 0 : -ENOMEM;

	*result = (struct stages_result) {
		.every = every > stages->every ? every : stages->every,
	};
	if (!ret) {
		work.seen = places_seen(stages, result->every, from_ns);
		while (!has(&work, work.first))
			work.first++;
		sort_out(&work, from_ns, result);
	}
	if (work.count)
		summarize(&work, result);
	free(work.followed);
	free(work.value);
	return ret;
}
