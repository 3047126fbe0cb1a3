// SPDX-License-Identifier: GPL-2.0
/*
 * Events: perf events counted on each CPU while runs exist.
 *
 * The events are kernel counters pinned to their CPU. A pinned event counts all
 * the time, or not at all if others hold all counters of the PMU; it is never
 * extrapolated. Its CPU reads it with interrupts disabled, like all counters of
 * a snapshot, so that only an NMI can come in between. KVM guests are excluded.
 * Where the whole PMU is lent to guests, an event that counted them would keep
 * guests from starting, or be refused while guests run.
 *
 * When a CPU goes offline, the kernel stops its events for good. The next run
 * to begin replaces them, and the new events continue from the old counts.
 *
 * The events cover everything that runs on a CPU, whoever owns it. So only
 * those may read them whom perf would allow regardless of
 * kernel.perf_event_paranoid.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <net/netlink.h>

#include "events.h"

#if KTPUT_HAS_EVENTS

#define FIRST	KTPUT_A_EVENTS_CORE_CYCLES

/**
 * struct kind - an event as perf knows it
 * @type: PERF_TYPE_...
 * @config: PERF_COUNT_...
 */
struct kind {
	u32 type;
	u64 config;
};

static const struct kind kinds[KTPUT_EVENTS] = {
	[KTPUT_A_EVENTS_CORE_CYCLES] = {
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	},
	[KTPUT_A_EVENTS_INSTRUCTIONS] = {
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	},
	[KTPUT_A_EVENTS_CONTEXT_SWITCHES] = {
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
	},
	[KTPUT_A_EVENTS_CPU_MIGRATIONS] = {
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
	},
};

/**
 * struct counter - an event on a CPU
 * @event: perf event, or NULL; its CPU reads it with interrupts disabled, and
 *	removing it waits for that
 * @old: stopped event, between removal and release, else NULL
 * @before: count of earlier events of the CPU; constant while @event is set
 * @error: errno, positive, explaining why there is no @event
 */
struct counter {
	struct perf_event *event;
	struct perf_event *old;
	u64 before;
	u32 error;
};

static DEFINE_PER_CPU(struct counter[KTPUT_EVENTS], counters);

/*
 * Retires an event that is off or in error for good. An event that perf only
 * moves on its CPU, to make room for another, is inactive for a moment.
 *
 * Return: true if the event is unlinked, though a reader may still use it.
 */
static bool retire_counter(struct counter *counter)
{
	if (!counter->event ||
	    READ_ONCE(counter->event->state) >= PERF_EVENT_STATE_INACTIVE)
		return false;
	counter->old = counter->event;
	WRITE_ONCE(counter->event, NULL);
	return true;
}

/* The event has no readers. */
static void end_counter(struct counter *counter, struct perf_event *event)
{
	counter->before += local64_read(&event->count);
	perf_event_release_kernel(event);
}

static void begin_counter(struct counter *counter, const struct kind *kind,
			  unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = kind->type,
		.size = sizeof(attr),
		.config = kind->config,
		.pinned = 1,
		.exclude_guest = 1,
	};
	struct perf_event *event;

	if (counter->event)
		return;
	if (counter->old)
		end_counter(counter, counter->old);
	counter->old = NULL;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	WRITE_ONCE(counter->error, IS_ERR(event) ? -PTR_ERR(event) : 0);
	if (IS_ERR(event))
		return;
	/* Pairs with read_counter(), which reads @before. */
	smp_store_release(&counter->event, event);
}

/**
 * ktput_events_begin() - start counting events on each online CPU
 *
 * Sleeps, and takes cpus_read_lock(). The caller serializes this with
 * ktput_events_end(). Events that count already continue.
 */
void ktput_events_begin(void)
{
	bool retired = false;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = FIRST; i < KTPUT_EVENTS; i++)
			retired |= retire_counter(&per_cpu(counters[i], cpu));
	/* Readers have interrupts disabled. One wait covers all CPUs. */
	if (retired)
		synchronize_rcu();
	for_each_online_cpu(cpu)
		for (i = FIRST; i < KTPUT_EVENTS; i++)
			begin_counter(&per_cpu(counters[i], cpu), &kinds[i],
				      cpu);
}

/**
 * ktput_events_end() - stop counting
 *
 * Context as of ktput_events_begin(). ktput_events_read() is not called any
 * more.
 */
void ktput_events_end(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = FIRST; i < KTPUT_EVENTS; i++) {
			struct counter *counter = &per_cpu(counters[i], cpu);

			if (counter->event)
				end_counter(counter, counter->event);
			if (counter->old)
				end_counter(counter, counter->old);
			counter->event = NULL;
			counter->old = NULL;
		}
	}
}

static u32 read_counter(const struct counter *counter, u64 *count)
{
	/* Pairs with begin_counter(), which has set @before. */
	struct perf_event *event = smp_load_acquire(&counter->event);

	if (!event)
		return READ_ONCE(counter->error) ?: ENODEV;
	if (event->oncpu != smp_processor_id())
		return event->state == PERF_EVENT_STATE_ERROR ? EBUSY : ENODEV;
	event->pmu->read(event);
	*count = counter->before + local64_read(&event->count);
	return 0;
}

/**
 * ktput_events_read() - read the events of this CPU
 * @to: filled in
 * @permitted: from ktput_events_permitted(), of the sender of the request
 *
 * Called with interrupts disabled, never concurrently with ktput_events_end().
 */
void ktput_events_read(struct ktput_events *to, bool permitted)
{
	unsigned int i;

	for (i = FIRST; i < KTPUT_EVENTS; i++)
		to->errors[i] = permitted ?
				read_counter(this_cpu_ptr(&counters[i]),
					     &to->counts[i]) : EACCES;
}

/**
 * ktput_events_permitted() - whether the requester may read events
 * @request: its message
 *
 * Return: true if the sender has CAP_PERFMON or CAP_SYS_ADMIN in the initial
 * user namespace.
 */
bool ktput_events_permitted(struct sk_buff *request)
{
	return netlink_capable(request, CAP_PERFMON) ||
	       netlink_capable(request, CAP_SYS_ADMIN);
}

/**
 * ktput_events_put_message() - write the events of a CPU
 * @skb: message; KTPUT_A_CPU_EVENTS is added with the counted events, and
 *	KTPUT_A_CPU_EVENT_ERRORS with the others
 * @from: from ktput_events_read()
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_events_put_message(struct sk_buff *skb,
			     const struct ktput_events *from)
{
	struct nlattr *nest;
	unsigned int i;

	nest = nla_nest_start(skb, KTPUT_A_CPU_EVENTS);
	if (!nest)
		return -EMSGSIZE;
	for (i = FIRST; i < KTPUT_EVENTS; i++)
		if (!from->errors[i] &&
		    nla_put_u64_64bit(skb, i, from->counts[i],
				      KTPUT_A_EVENTS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);

	nest = nla_nest_start(skb, KTPUT_A_CPU_EVENT_ERRORS);
	if (!nest)
		return -EMSGSIZE;
	for (i = FIRST; i < KTPUT_EVENTS; i++)
		if (from->errors[i] && nla_put_u32(skb, i, from->errors[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

#endif
