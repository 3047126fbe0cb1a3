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

/* Tasks that are told apart. */
#define NAMES		64

/* What is computed from. */
struct work {
	struct stages *stages;
	struct stages_followed *followed;
	size_t count;
	uint64_t *value;
	uint32_t seen;
	enum stages_place first;
};

/* One in so many messages is in a tail. */
static const uint64_t parts[STAGES_TAILS] = {
	[STAGES_PERCENT] = 100,
	[STAGES_PERMILLE] = 1000,
};

/* The stages, by their end. None ends at the first place. */
#define BOTH(place, key, help) \
	[place] = { key, help }, \
	[STAGES_BACK + (place)] = { "back_" key, "of the response: " help }

static const struct {
	const char *key;
	const char *help;
} rows[STAGES_PLACES] = {
	[STAGES_HANDED] = { "", "" },
	[STAGES_SENT] = { "send",
		"call, copy and UDP of the source, until IP has it" },
	[STAGES_BACK + STAGES_SENT] = { "answer",
		"the sink has the request, until IP has the response" },
	BOTH(STAGES_QUEUED, "ip",
	     "IP and its filters, until the queueing discipline has it"),
	BOTH(STAGES_TRANSMITTED, "queue",
	     "queueing discipline, until the driver has it"),
	BOTH(STAGES_RECEIVED, "link",
	     "driver, device and path, until the receiving driver hands it over"),
	BOTH(STAGES_ENTERED, "softirq",
	     "GRO or backlog, until the receiving stack has it"),
	BOTH(STAGES_DELIVERED, "stack",
	     "ingress, IP and UDP, until the socket has it"),
	BOTH(STAGES_WOKEN, "wake", "until its reader is woken"),
	BOTH(STAGES_RUNNING, "run",
	     "between the wake-up of its reader and running"),
	BOTH(STAGES_TAKEN, "socket",
	     "queue of the socket, until its reader, which runs, has it"),
	BOTH(STAGES_COPIED, "copy", "copy to user space"),
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
	free(stages->followed);
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

/*
 * Whether a message that was not seen before is followed from its begin on. Where the
 * source is elsewhere, one that is first seen above its driver began before.
 */
static bool is_whole(const struct stages *stages, const struct stages_stamp *stamp)
{
	const bool here = stages->first == STAGES_HANDED;
	const uint64_t begin = here ? stamp->sent_ns : stamp->time_ns;

	if (stages->from_ns && !here && stamp->place > STAGES_ENTERED)
		return false;
	return begin >= stages->from_ns && (!stages->to_ns || begin < stages->to_ns);
}

static struct stages_message *find(struct stages *stages,
				   const struct stages_stamp *stamp)
{
	uint32_t *slot = slot_of(stages, stamp);

	if (*slot)
		return &stages->message[*slot - 1];
	if (!is_whole(stages, stamp))
		return NULL;
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

static bool is_kept(const struct stages *stages,
		    const struct stages_stamp *stamp)
{
	if (stages->away && stamp->place >= STAGES_RECEIVED &&
	    stamp->place <= STAGES_BACK + STAGES_TRANSMITTED)
		return false;
	return stamp->place < STAGES_PLACES && !(stamp->number % stages->every);
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

	if (!is_kept(stages, stamp))
		return;
	message = find(stages, stamp);
	if (!message)
		return;
	if (!(message->seen & 1U << place)) {
		message->seen |= 1U << place;
		message->packet[place] = stamp->packet;
		message->at_ns[place] = stamp->time_ns;
		message->cpu[place] = stamp->cpu;
		return;
	}
	if (message->packet[place] != stamp->packet) {
		message->copied = true;
	} else if (stamp->time_ns < message->at_ns[place]) {
		message->at_ns[place] = stamp->time_ns;
		message->cpu[place] = stamp->cpu;
	}
}

/**
 * stages_add_reader() - add what became of a reader before it took a message
 * @stages: stages that have begun
 * @stamp: of STAGES_TAKEN, or of that of a response; not yet added
 * @reader: of the same clock
 */
void stages_add_reader(struct stages *stages, const struct stages_stamp *stamp,
		       const struct stages_reader *reader)
{
	const enum stages_place back = stamp->place - STAGES_TAKEN;
	struct stages_stamp own = *stamp;
	struct stages_message *message;

	if (!is_kept(stages, stamp))
		return;
	message = find(stages, stamp);
	if (!message || message->seen & 1U << stamp->place)
		return;
	memcpy(message->instead[back > 0], reader->instead, STAGES_TASK);
	own.place = back + STAGES_WOKEN;
	own.time_ns = reader->woken_ns;
	stages_add(stages, &own);
	own.place = back + STAGES_RUNNING;
	own.time_ns = reader->running_ns;
	stages_add(stages, &own);
}

/**
 * stages_at() - when a message was at a place
 * @message: the message
 * @place: a place where it was seen, or STAGES_HANDED
 *
 * Return: in nanoseconds, of the clock of the stamps.
 */
uint64_t stages_at(const struct stages_message *message,
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
	return stages_at(message, place) -
	       stages_at(message, before(work, place));
}

static bool is_ordered(const struct work *work,
		       const struct stages_message *message)
{
	for (enum stages_place i = work->first + 1; i <= work->stages->last; i++)
		if (has(work, i) &&
		    stages_at(message, i) < stages_at(message, before(work, i)))
			return false;
	return true;
}

/* Whether a message came to its end, alone. */
static bool has_ended(const struct stages *stages,
		      const struct stages_message *message)
{
	return !message->copied && message->seen & 1U << stages->last;
}

/* Where the source is elsewhere, its clock is another one. */
static uint64_t begin_of(const struct stages *stages,
			 const struct stages_message *message)
{
	for (enum stages_place i = stages->first;
	     stages->first != STAGES_HANDED && i <= stages->last; i++)
		if (message->seen & 1U << i)
			return message->at_ns[i];
	return message->sent_ns;
}

/**
 * stages_longest() - the whole time of the slowest message that has ended
 * @stages: stages that have begun
 *
 * Return: nanoseconds, UINT64_MAX if none has.
 */
uint64_t stages_longest(const struct stages *stages)
{
	uint64_t longest = 0;
	bool any = false;

	for (size_t i = 0; i < stages->count; i++) {
		const struct stages_message *message = &stages->message[i];
		const uint64_t begin = begin_of(stages, message);
		const uint64_t end = message->at_ns[stages->last];

		if (!has_ended(stages, message) || end < begin)
			continue;
		any = true;
		if (end - begin > longest)
			longest = end - begin;
	}
	return any ? longest : UINT64_MAX;
}

static bool is_wanted(const struct stages *stages,
		      const struct stages_message *message, uint64_t every,
		      uint64_t from_ns)
{
	const uint64_t begin = begin_of(stages, message);

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

/*
 * A reader may have been woken, or have got its CPU, before the message came: then the
 * message did not wait for that.
 */
static void settle(const struct work *work, struct stages_message *message)
{
	static const enum stages_place waits[] = {
		STAGES_WOKEN, STAGES_RUNNING,
		STAGES_BACK + STAGES_WOKEN, STAGES_BACK + STAGES_RUNNING,
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		const enum stages_place place = waits[i];
		uint64_t since;

		if (place <= work->first || !has(work, place))
			continue;
		since = stages_at(message, before(work, place));
		if (message->at_ns[place] < since)
			message->at_ns[place] = since;
	}
}

/* Sort the messages into those that are followed and the others. */
static void sort_out(struct work *work, uint64_t from_ns,
		     struct stages_result *result)
{
	const struct stages *stages = work->stages;
	/* The first place of a source is in each message. */
	const uint32_t needed = work->seen & ~(1U << STAGES_HANDED);

	for (size_t i = 0; i < stages->count; i++) {
		struct stages_message *message = &stages->message[i];

		if (!is_wanted(stages, message, result->every, from_ns))
			continue;
		settle(work, message);
		if (message->copied)
			result->duplicated++;
		else if (!has_ended(stages, message))
			result->unfinished++;
		else if ((message->seen & needed) != needed)
			result->partial++;
		else if (!is_ordered(work, message))
			result->disordered++;
		else
			work->followed[work->count++] = (struct stages_followed) {
				message, stages_at(message, stages->last) -
					 stages_at(message, work->first),
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
	const struct stages_followed *first = one, *second = other;

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
static void fill(struct work *work, const uint64_t *slowest,
		 struct stages_row *row)
{
	const size_t count = work->count;
	uint64_t *value = work->value;

	row->seen = true;
	for (size_t i = 0; i < count; i++)
		row->sum_ns += value[i];
	for (int i = 0; i < STAGES_TAILS; i++) {
		if (!slowest[i])
			continue;
		row->slowest_ns[i] = mean(value, count - slowest[i], count);
		row->excess_ns[i] = row->slowest_ns[i] -
				    mean(value, count * MIDDLE_FROM / 100,
					 count * MIDDLE_TO / 100);
	}
	qsort(value, count, sizeof(*value), by_value);
	row->p50_ns = percentile(value, count, 50);
	row->p99_ns = percentile(value, count, 99);
}

static int by_wait(const void *one, const void *other)
{
	const struct stages_task *first = one, *second = other;

	return (first->wait_ns < second->wait_ns) -
	       (first->wait_ns > second->wait_ns);
}

/* More names than there is room for are left out. */
static void add_task(struct stages_task *tasks, size_t *count, const char *name,
		     uint64_t wait_ns)
{
	size_t i = 0;

	while (i < *count && strcmp(tasks[i].name, name))
		i++;
	if (i == NAMES)
		return;
	if (i == *count)
		memcpy(tasks[(*count)++].name, name, STAGES_TASK);
	tasks[i].messages++;
	tasks[i].wait_ns += wait_ns;
}

/* What had the CPUs while readers of the slowest messages waited for them. */
static void find_tasks(const struct work *work, struct stages_result *result)
{
	struct stages_task tasks[NAMES] = { 0 };
	size_t count = 0;

	for (size_t i = work->count - result->slowest[STAGES_PERCENT];
	     i < work->count; i++) {
		const struct stages_message *message =
			work->followed[i].message;

		for (int back = 0; back < 2; back++) {
			const enum stages_place place =
				STAGES_RUNNING + back * STAGES_BACK;
			const uint64_t ns = place > work->first && has(work, place) ?
					    time_in(work, message, place) : 0;

			if (ns)
				add_task(tasks, &count, message->instead[back], ns);
		}
	}
	qsort(tasks, count, sizeof(*tasks), by_wait);
	result->tasks = count < STAGES_TASKS ? count : STAGES_TASKS;
	memcpy(result->task, tasks, result->tasks * sizeof(*tasks));
}

/**
 * stages_needed() - how many messages it takes to know a tail
 * @tail: which one
 *
 * Return: number of messages that are followed.
 */
uint64_t stages_needed(enum stages_tail tail)
{
	return parts[tail] * STAGES_SLOWEST_MIN;
}

/**
 * stages_worst() - the stage that has most of what the slowest take longer
 * @result: where the time of messages passed
 * @tail: which of the slowest
 * @share: filled in, of their excess
 *
 * Return: the place where it ends, or STAGES_HANDED if they are not known or no slower.
 */
enum stages_place stages_worst(const struct stages_result *result,
			       enum stages_tail tail, double *share)
{
	const double whole_ns = result->whole.excess_ns[tail];
	enum stages_place most = STAGES_HANDED;
	double most_ns = 0;

	if (!result->slowest[tail] || whole_ns <= 0)
		return STAGES_HANDED;
	for (enum stages_place i = STAGES_HANDED + 1; i < STAGES_PLACES; i++) {
		if (!result->row[i].seen ||
		    result->row[i].excess_ns[tail] <= most_ns)
			continue;
		most = i;
		most_ns = result->row[i].excess_ns[tail];
	}
	*share = most_ns / whole_ns;
	return most;
}

static void summarize(struct work *work, struct stages_result *result)
{
	const struct stages *stages = work->stages;

	for (int i = 0; i < STAGES_TAILS; i++)
		if (work->count >= stages_needed(i))
			result->slowest[i] = work->count / parts[i];
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
	find_tasks(work, result);
}

/**
 * stages_compute() - where the time of the messages passed
 * @stages: stages that have all stamps; those that count are listed
 * @every: each so many-th message was stamped to the end, a power of 2
 * @from_ns: messages that began earlier do not count
 * @result: filled in
 *
 * Call it once.
 *
 * Return: 0, or -ENOMEM.
 */
int stages_compute(struct stages *stages, uint64_t every, uint64_t from_ns,
		   struct stages_result *result)
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
	stages->followed = work.followed;
	stages->followed_count = work.count;
	free(work.value);
	return ret;
}
