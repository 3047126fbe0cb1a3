/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: how each CPU spends its cycles.
 */
#ifndef KTPUT_CONTEXTS_H
#define KTPUT_CONTEXTS_H

#include <linux/kconfig.h>
#include <linux/ktput.h>
#include <linux/timex.h>
#include <linux/types.h>

/* Contexts have the numbers of their attributes; 0 means none. */
#define KTPUT_CONTEXTS	(KTPUT_A_CONTEXTS_IDLE + 1)

struct sk_buff;

/**
 * struct ktput_contexts - cycles of a CPU by context
 * @cycles: cycles (get_cycles()) spent in each context, indexed by attribute,
 *	KTPUT_A_CONTEXTS_...
 */
struct ktput_contexts {
	u64 cycles[KTPUT_CONTEXTS];
};

/**
 * struct ktput_call - a call of a sink in softirq
 * @context: context that it interrupts
 * @begin: cycle counter at its beginning, so that the sink need not read it again
 */
struct ktput_call {
	unsigned long context;
	u64 begin;
};

/*
 * Whether contexts are supported. Where softirqs are preemptible, as on
 * PREEMPT_RT, a softirq is not the context of its CPU.
 */
#define KTPUT_HAS_CONTEXTS \
	(!IS_ENABLED(CONFIG_KTPUT_UNCOUNTED) && \
	 !IS_ENABLED(CONFIG_PREEMPT_RT) && IS_ENABLED(CONFIG_TRACEPOINTS))

#if !KTPUT_HAS_CONTEXTS

static inline void ktput_contexts_begin(void)
{
}

static inline void ktput_contexts_end(void)
{
}

static inline void ktput_contexts_turn(unsigned long context)
{
}

static inline struct ktput_call ktput_contexts_begin_call(void)
{
	return (struct ktput_call){ .begin = get_cycles() };
}

static inline void ktput_contexts_end_call(struct ktput_call call)
{
}

static inline void ktput_contexts_read(struct ktput_contexts *to, u64 now)
{
}

static inline u64 ktput_contexts_idle_ns(const struct ktput_contexts *contexts)
{
	return U64_MAX;
}

static inline int ktput_contexts_put_message(struct sk_buff *skb,
					     const struct ktput_contexts *from,
					     bool permitted)
{
	return 0;
}

static inline void ktput_contexts_init(void)
{
}

static inline void ktput_contexts_exit(void)
{
}

#else

void ktput_contexts_begin(void);
void ktput_contexts_end(void);

void ktput_contexts_turn(unsigned long context);
struct ktput_call __must_check ktput_contexts_begin_call(void);
void ktput_contexts_end_call(struct ktput_call call);

void ktput_contexts_read(struct ktput_contexts *to, u64 now);
u64 ktput_contexts_idle_ns(const struct ktput_contexts *contexts);
int ktput_contexts_put_message(struct sk_buff *skb,
			       const struct ktput_contexts *from,
			       bool permitted);

void ktput_contexts_init(void);
void ktput_contexts_exit(void);

#endif

#endif /* KTPUT_CONTEXTS_H */
