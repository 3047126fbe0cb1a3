/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: perf events counted on each CPU.
 */
#ifndef KTPUT_EVENTS_H
#define KTPUT_EVENTS_H

#include <linux/kconfig.h>
#include <linux/ktput.h>
#include <linux/types.h>

/* Events have the numbers of their attributes; 0 means none. */
#define KTPUT_EVENTS	(KTPUT_A_EVENTS_CPU_MIGRATIONS + 1)

struct sk_buff;

/**
 * struct ktput_events - events of a CPU
 * @counts: count of each event, indexed by attribute, KTPUT_A_EVENTS_...
 * @errors: errno, positive, explaining why an event is not counted, or 0
 */
struct ktput_events {
	u64 counts[KTPUT_EVENTS];
	u32 errors[KTPUT_EVENTS];
};

#define KTPUT_HAS_EVENTS \
	(!IS_ENABLED(CONFIG_KTPUT_UNCOUNTED) && IS_ENABLED(CONFIG_PERF_EVENTS))

#if !KTPUT_HAS_EVENTS

static inline void ktput_events_begin(void)
{
}

static inline void ktput_events_end(void)
{
}

static inline void ktput_events_read(struct ktput_events *to, bool permitted)
{
}

static inline bool ktput_events_permitted(struct sk_buff *request)
{
	return false;
}

static inline int ktput_events_put_message(struct sk_buff *skb,
					   const struct ktput_events *from)
{
	return 0;
}

#else

void ktput_events_begin(void);
void ktput_events_end(void);

void ktput_events_read(struct ktput_events *to, bool permitted);
bool ktput_events_permitted(struct sk_buff *request);
int ktput_events_put_message(struct sk_buff *skb,
			     const struct ktput_events *from);

#endif

#endif /* KTPUT_EVENTS_H */
