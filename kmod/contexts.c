// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: what each CPU spends its cycles on.
 *
 * Whatever changes the context of a CPU (a tracepoint of the kernel, a turn, a
 * call of a sink) reads the cycle counter t and does
 *
 *   cycles[old] += t; cycles[new] -= t; context = new;
 *
 * and whoever reads adds the counter to the context that is current. So each
 * cycle is in one context, and all contexts of a CPU add up to its cycle counter
 * whatever tracepoints there are and however they nest: a missing one only has
 * its cycles charged to what was interrupted.
 *
 * Additions commute, and each is one operation to an interrupt (this_cpu_add()).
 * An interrupt handler leaves the context as it found it. So softirqs and calls
 * of sinks, which nothing else comes between, need not turn interrupts off;
 * where one comes between the counter and the change of context, its time is
 * taken from the one and given to the other, and the sum is right. Changes at the
 * level of tasks have interrupts off.
 *
 * No level is counted: a softirq returns to the task, and a call of a sink to
 * what it has found. Probes may come in the middle of anything; what they charge
 * is of no interest until accounts have begun anew on each CPU. No sink is called
 * meanwhile, as there is no run yet.
 *
 * There is no lock and no shared cache line. Probes and all they call must not
 * meet a tracepoint. NMIs are not seen, and are charged to what they interrupt.
 */
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <net/netlink.h>

#include "contexts.h"

#if KTPUT_HAS_CONTEXTS

/**
 * struct account - what a CPU has spent its cycles on; it alone writes. Contexts
 *	are as wide as an index, which saves their extension.
 * @cycles: cycles by context, less the counter in @context
 * @context: what is charged now
 * @interrupted: what a hard interrupt returns to; if that is @context
 * @task: context of the task
 * @turn: context of the turns that ktput's thread takes, even while it is
 *	preempted, or 0
 * @thread: the thread that took the latest turn; compared, and no more
 */
struct account {
	u64 cycles[KTPUT_CONTEXTS];
	unsigned long context;
	unsigned long interrupted;
	unsigned long task;
	unsigned long turn;
	const struct task_struct *thread;
};

static DEFINE_PER_CPU_ALIGNED(struct account, accounts);

/**
 * struct pair - tracepoints that something is entered and left at
 * @name: of both, without their _entry and _exit
 * @entered: probe
 * @left: probe
 * @entry: tracepoint, or NULL where this kernel has none
 * @exit: tracepoint, or NULL
 * @registered: both have their probes; as the variable below
 */
struct pair {
	const char *name;
	void *entered;
	void *left;
	struct tracepoint *entry;
	struct tracepoint *exit;
	bool registered;
};

/* Constant while there are runs, which read it (WRITE_ONCE). */
static bool registered;
static struct tracepoint *sched_switch;

/* The CPU cannot change: preemption is off. Returns what it was. */
static __always_inline unsigned long change_to(unsigned long context)
{
	const unsigned long old = raw_cpu_read(accounts.context);
	const u64 now = get_cycles();

	raw_cpu_write(accounts.context, context);
	this_cpu_add(accounts.cycles[old], now);
	this_cpu_sub(accounts.cycles[context], now);
	return old;
}

/* Handlers of the same interrupt follow each other, or one is in another. */
static __always_inline void enter_hardirq(void)
{
	const unsigned long context = raw_cpu_read(accounts.context);

	if (context == KTPUT_A_CONTEXTS_HARDIRQ)
		return;
	raw_cpu_write(accounts.interrupted, context);
	change_to(KTPUT_A_CONTEXTS_HARDIRQ);
}

static __always_inline void leave_hardirq(void)
{
	if (raw_cpu_read(accounts.context) == KTPUT_A_CONTEXTS_HARDIRQ &&
	    hardirq_count() == HARDIRQ_OFFSET)
		change_to(raw_cpu_read(accounts.interrupted));
}

static notrace void irq_entered(void *data, int irq, struct irqaction *action)
{
	enter_hardirq();
}

static notrace void irq_left(void *data, int irq, struct irqaction *action,
			     int result)
{
	leave_hardirq();
}

/* Interrupts that have an entry of their own: x86. */
static notrace void vector_entered(void *data, int vector)
{
	enter_hardirq();
}

static notrace void vector_left(void *data, int vector)
{
	leave_hardirq();
}

/* Interrupts from other CPUs: arm64. */
static notrace void ipi_entered(void *data, const char *reason)
{
	enter_hardirq();
}

static notrace void ipi_left(void *data, const char *reason)
{
	leave_hardirq();
}

static const u8 softirq_contexts[NR_SOFTIRQS] = {
	[0 ... NET_TX_SOFTIRQ - 1] = KTPUT_A_CONTEXTS_SOFTIRQ_OTHER,
	[NET_TX_SOFTIRQ] = KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT,
	[NET_RX_SOFTIRQ] = KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE,
	[NET_RX_SOFTIRQ + 1 ... NR_SOFTIRQS - 1] =
		KTPUT_A_CONTEXTS_SOFTIRQ_OTHER,
};

static notrace void softirq_entered(void *data, unsigned int vector)
{
	change_to(softirq_contexts[vector]);
}

static notrace void softirq_left(void *data, unsigned int vector)
{
	change_to(raw_cpu_read(accounts.task));
}

static unsigned long context_of(const struct task_struct *task)
{
	/*
	 * A task alone writes its flags. It may have been preempted while it set
	 * others, and these stay as they are.
	 */
	const unsigned int flags = data_race(task->flags);

	if (flags & PF_IDLE)
		return KTPUT_A_CONTEXTS_IDLE;
	return flags & PF_KTHREAD ? KTPUT_A_CONTEXTS_KERNEL :
				    KTPUT_A_CONTEXTS_USER;
}

static __always_inline void change_task(unsigned long context)
{
	raw_cpu_write(accounts.task, context);
	change_to(context);
}

/* The scheduler calls with interrupts off. */
static notrace void switched(void *data, bool preempt,
			     struct task_struct *from, struct task_struct *to,
			     unsigned int state)
{
	const unsigned long turn = raw_cpu_read(accounts.turn);

	change_task(turn && to == raw_cpu_read(accounts.thread) ?
			    turn : context_of(to));
}

#define PAIR(name_, kind) \
	{ .name = name_, .entered = kind ## _entered, .left = kind ## _left }

enum {
	PAIR_IRQ,
	PAIR_SOFTIRQ,
};

static struct pair pairs[] = {
	[PAIR_IRQ] = PAIR("irq_handler", irq),
	[PAIR_SOFTIRQ] = PAIR("softirq", softirq),
	PAIR("ipi", ipi),
	PAIR("local_timer", vector),
	PAIR("reschedule", vector),
	PAIR("call_function", vector),
	PAIR("call_function_single", vector),
	PAIR("irq_work", vector),
	PAIR("x86_platform_ipi", vector),
	PAIR("spurious_apic", vector),
	PAIR("error_apic", vector),
	PAIR("thermal_apic", vector),
	PAIR("threshold_apic", vector),
	PAIR("deferred_error_apic", vector),
};

/* Begins an account anew, on its CPU or, while that is offline, anywhere. */
static void begin_account(struct account *account, unsigned long task,
			  unsigned long context)
{
	*account = (struct account) { .context = context, .task = task };
	account->cycles[context] = -(u64)get_cycles();
}

/* Called with interrupts off. What is left of this interrupt is the task's. */
static void begin_here(void *unused)
{
	const unsigned long task = context_of(current);

	begin_account(this_cpu_ptr(&accounts), task,
		      in_serving_softirq() ? KTPUT_A_CONTEXTS_SOFTIRQ_OTHER :
					     task);
}

/*
 * Probes are registered already: what they have charged so far is as wrong as
 * what they began with. A CPU that comes online is in its idle task before it
 * is in any other.
 */
static void begin_accounts(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			begin_account(per_cpu_ptr(&accounts, cpu),
				      KTPUT_A_CONTEXTS_IDLE,
				      KTPUT_A_CONTEXTS_IDLE);
	on_each_cpu(begin_here, NULL, 1);
	cpus_read_unlock();
}

static void register_pair(struct pair *pair)
{
	if (!pair->entry || !pair->exit ||
	    tracepoint_probe_register(pair->entry, pair->entered, NULL))
		return;
	if (tracepoint_probe_register(pair->exit, pair->left, NULL))
		tracepoint_probe_unregister(pair->entry, pair->entered, NULL);
	else
		WRITE_ONCE(pair->registered, true);
}

static void unregister_pair(struct pair *pair)
{
	if (!pair->registered)
		return;
	tracepoint_probe_unregister(pair->entry, pair->entered, NULL);
	tracepoint_probe_unregister(pair->exit, pair->left, NULL);
	WRITE_ONCE(pair->registered, false);
}

/**
 * ktput_contexts_begin() - have cycles accounted from now on
 *
 * Sleeps, and takes cpus_read_lock(). The caller sees to it that neither this
 * nor ktput_contexts_end() is called meanwhile. Where it is not possible,
 * nothing is accounted, and no context is told.
 */
void ktput_contexts_begin(void)
{
	unsigned int i;

	/* Without it, nothing is known of any task. */
	if (registered || !sched_switch ||
	    tracepoint_probe_register(sched_switch, switched, NULL))
		return;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		register_pair(&pairs[i]);
	begin_accounts();
	WRITE_ONCE(registered, true);
}

/**
 * ktput_contexts_end() - have cycles accounted no more
 *
 * As ktput_contexts_begin(). Nobody calls ktput_contexts_read() any more.
 */
void ktput_contexts_end(void)
{
	unsigned int i;

	if (!registered)
		return;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		unregister_pair(&pairs[i]);
	tracepoint_probe_unregister(sched_switch, switched, NULL);
	WRITE_ONCE(registered, false);
}

/**
 * ktput_contexts_turn() - a thread of ktput's goes from turn to turn
 * @context: KTPUT_A_CONTEXTS_SOURCE or KTPUT_A_CONTEXTS_SINK for the turn that
 *	is next, 0 where there is none
 *
 * Called by the thread, on its CPU, with nothing off. Turns of the same context
 * that follow each other cost nothing.
 */
void ktput_contexts_turn(unsigned long context)
{
	/* No other thread of ktput's is on this CPU. */
	if (raw_cpu_read(accounts.turn) == context)
		return;
	raw_local_irq_disable();
	raw_cpu_write(accounts.thread, current);
	raw_cpu_write(accounts.turn, context);
	change_task(context ?: KTPUT_A_CONTEXTS_KERNEL);
	raw_local_irq_enable();
}

/**
 * ktput_contexts_begin_call() - a sink is called in softirq
 *
 * Bottom halves are off until ktput_contexts_end_call().
 *
 * Return: what ktput_contexts_end_call() takes.
 */
unsigned long ktput_contexts_begin_call(void)
{
	return change_to(KTPUT_A_CONTEXTS_SINK);
}

/**
 * ktput_contexts_end_call() - and returns
 * @context: from ktput_contexts_begin_call()
 */
void ktput_contexts_end_call(unsigned long context)
{
	change_to(context);
}

/**
 * ktput_contexts_read() - read what this CPU has spent its cycles on
 * @to: filled in
 * @now: cycle counter, just read; what @to adds up to, but for a constant
 *
 * Interrupts are off, and ktput_contexts_end() is not called.
 */
void ktput_contexts_read(struct ktput_contexts *to, u64 now)
{
	const struct account *account = raw_cpu_ptr(&accounts);

	memcpy(to->cycles, account->cycles, sizeof(to->cycles));
	to->cycles[account->context] += now;
}

static bool is_told(unsigned int context)
{
	switch (context) {
	case KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE:
	case KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT:
	case KTPUT_A_CONTEXTS_SOFTIRQ_OTHER:
		return READ_ONCE(pairs[PAIR_SOFTIRQ].registered);
	case KTPUT_A_CONTEXTS_HARDIRQ:
		return READ_ONCE(pairs[PAIR_IRQ].registered);
	default:
		return true;
	}
}

/**
 * ktput_contexts_put_message() - write what a CPU has spent its cycles on
 * @skb: message; KTPUT_A_CPU_CONTEXTS is added, with those contexts that this
 *	kernel tells of, if it does of any
 * @from: from ktput_contexts_read()
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_contexts_put_message(struct sk_buff *skb,
			       const struct ktput_contexts *from)
{
	struct nlattr *nest;
	unsigned int i;

	if (!READ_ONCE(registered))
		return 0;
	nest = nla_nest_start(skb, KTPUT_A_CPU_CONTEXTS);
	if (!nest)
		return -EMSGSIZE;
	for (i = KTPUT_A_CONTEXTS_SOURCE; i < KTPUT_CONTEXTS; i++)
		if (is_told(i) &&
		    nla_put_u64_64bit(skb, i, from->cycles[i],
				      KTPUT_A_CONTEXTS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static bool named(const struct tracepoint *tracepoint, const char *name,
		  const char *end)
{
	const size_t length = strlen(name);

	return !strncmp(tracepoint->name, name, length) &&
	       !strcmp(tracepoint->name + length, end);
}

static void find(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	if (named(tracepoint, "sched_switch", ""))
		sched_switch = tracepoint;
	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		if (named(tracepoint, pairs[i].name, "_entry"))
			pairs[i].entry = tracepoint;
		else if (named(tracepoint, pairs[i].name, "_exit"))
			pairs[i].exit = tracepoint;
	}
}

/**
 * ktput_contexts_init() - find out what the kernel can tell
 */
void __init ktput_contexts_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
}

/**
 * ktput_contexts_exit() - leave no probe behind
 *
 * After ktput_contexts_end().
 */
void ktput_contexts_exit(void)
{
	/* A CPU may still be in a probe that is not registered any more. */
	tracepoint_synchronize_unregister();
}

#endif
