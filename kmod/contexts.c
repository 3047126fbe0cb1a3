// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: how each CPU spends its cycles.
 *
 * Every change of a CPU's context (by a kernel tracepoint, a turn, or a call of
 * a sink) reads the cycle counter t and does
 *
 *   cycles[old] += t; cycles[new] -= t; context = new;
 *
 * A reader adds the cycle counter to the current context. So each cycle is in
 * exactly one context, and the contexts of a CPU add up to its cycle counter,
 * whatever tracepoints exist and however they nest. If a tracepoint is missing,
 * its cycles are charged to the interrupted context.
 *
 * Additions commute, and each is atomic with respect to interrupts
 * (this_cpu_add()). An interrupt handler leaves the context as it found it. So
 * softirqs and calls of sinks, which only interrupts can interrupt, need not
 * disable interrupts. An interrupt between the read of the counter and the
 * change of context moves its time from one context to the other; the sum stays
 * right. Changes at task level have interrupts disabled.
 *
 * Nesting levels are not counted: a softirq returns to the task's context, and
 * a call of a sink to the context it found. Probes may start in the middle of
 * anything; their charges do not count until the accounts have been restarted
 * on each CPU. No sink is called meanwhile, since no run exists yet.
 *
 * There is no lock and no shared cache line. Probes, and everything they call,
 * must not hit a tracepoint. NMIs are not seen; they are charged to the context
 * they interrupt.
 */
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <net/netlink.h>

#include "contexts.h"
#include "cycles.h"

#if KTPUT_HAS_CONTEXTS

/**
 * struct account - cycles of a CPU by context; only that CPU writes
 * @cycles: cycles by context, less the counter in @context
 * @context: context charged now
 * @interrupted: context to return to from a hard interrupt; valid while
 *	@context is that of hard interrupts
 * @task: context of the task
 * @turn: context of ktput's thread, even while the thread is preempted or
 *	sleeps, or 0
 * @thread: thread that took the latest turn; only compared, never dereferenced
 *
 * Contexts have the width of an index, which saves extending them.
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
 * struct pair - tracepoints at entry to and exit from something
 * @name: common name, without _entry and _exit
 * @entered: probe at entry
 * @left: probe at exit
 * @entry: tracepoint, or NULL if this kernel has none
 * @exit: tracepoint, or NULL
 * @registered: both probes are registered; same rules as the variable below
 */
struct pair {
	const char *name;
	void *entered;
	void *left;
	struct tracepoint *entry;
	struct tracepoint *exit;
	bool registered;
};

/* Constant while runs exist; they read it (WRITE_ONCE). */
static bool registered;
static struct tracepoint *sched_switch;

/* Called with preemption disabled. Returns the previous context, and the clock. */
static __always_inline struct ktput_call change_to(unsigned long context)
{
	const struct ktput_call call = {
		.context = raw_cpu_read(accounts.context),
		.begin = get_cycles(),
	};

	raw_cpu_write(accounts.context, context);
	this_cpu_add(accounts.cycles[call.context], call.begin);
	this_cpu_sub(accounts.cycles[context], call.begin);
	return call;
}

/* Handlers of one interrupt run one after another, or nest. */
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

/* Interrupts with entry tracepoints of their own: x86. */
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
	 * Only the task itself writes its flags. It may have been preempted
	 * while setting other bits; these bits are not affected.
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

/* Restarts an account, on its CPU, or anywhere while the CPU is offline. */
static void begin_account(struct account *account, unsigned long task,
			  unsigned long context)
{
	*account = (struct account) { .context = context, .task = task };
	account->cycles[context] = -(u64)get_cycles();
}

/*
 * Called with interrupts disabled. The rest of this interrupt is charged to the
 * task.
 */
static void begin_here(void *unused)
{
	const unsigned long task = context_of(current);

	begin_account(this_cpu_ptr(&accounts), task,
		      in_serving_softirq() ? KTPUT_A_CONTEXTS_SOFTIRQ_OTHER :
					     task);
}

/*
 * Probes are registered already. Their charges so far are as wrong as their
 * initial contexts. A CPU that comes online runs its idle task first.
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
 * ktput_contexts_begin() - start accounting cycles
 *
 * Sleeps, and takes cpus_read_lock(). The caller serializes this with
 * ktput_contexts_end(). If the kernel lacks support, nothing is accounted and
 * no context is reported.
 */
void ktput_contexts_begin(void)
{
	unsigned int i;

	/* Without it, no task is known. */
	if (registered || !sched_switch ||
	    tracepoint_probe_register(sched_switch, switched, NULL))
		return;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		register_pair(&pairs[i]);
	begin_accounts();
	WRITE_ONCE(registered, true);
}

/**
 * ktput_contexts_end() - stop accounting cycles
 *
 * Context as of ktput_contexts_begin(). ktput_contexts_read() is not called any
 * more.
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
 * ktput_contexts_turn() - change context between turns of a ktput thread
 * @context: KTPUT_A_CONTEXTS_SOURCE or KTPUT_A_CONTEXTS_SINK for the next turn,
 *	KTPUT_A_CONTEXTS_WORKER if there is none, 0 if the thread ends
 *
 * Called by the thread, on its CPU, with interrupts, softirqs and preemption
 * enabled. Consecutive turns of one context cost nothing.
 */
void ktput_contexts_turn(unsigned long context)
{
	/* This is the only ktput thread on this CPU. */
	if (raw_cpu_read(accounts.turn) == context)
		return;
	raw_local_irq_disable();
	raw_cpu_write(accounts.thread, current);
	raw_cpu_write(accounts.turn, context);
	change_task(context ?: KTPUT_A_CONTEXTS_KERNEL);
	raw_local_irq_enable();
}

/**
 * ktput_contexts_begin_call() - enter a sink that is called in softirq
 *
 * Bottom halves stay disabled until ktput_contexts_end_call().
 *
 * Return: argument for ktput_contexts_end_call().
 */
struct ktput_call ktput_contexts_begin_call(void)
{
	return change_to(KTPUT_A_CONTEXTS_SINK);
}

/**
 * ktput_contexts_end_call() - leave a sink that was called in softirq
 * @call: from ktput_contexts_begin_call()
 */
void ktput_contexts_end_call(struct ktput_call call)
{
	change_to(call.context);
}

/**
 * ktput_contexts_read() - read how this CPU has spent its cycles
 * @to: filled in
 * @now: cycle counter, just read; @to adds up to it, except for a constant
 *
 * Called with interrupts disabled, never concurrently with
 * ktput_contexts_end().
 */
void ktput_contexts_read(struct ktput_contexts *to, u64 now)
{
	const struct account *account = raw_cpu_ptr(&accounts);

	memcpy(to->cycles, account->cycles, sizeof(to->cycles));
	to->cycles[account->context] += now;
}

/**
 * ktput_contexts_idle_ns() - how long a CPU has been in the idle task
 * @contexts: from ktput_contexts_read()
 *
 * Return: nanoseconds, but for a constant; U64_MAX where that is not known.
 */
u64 ktput_contexts_idle_ns(const struct ktput_contexts *contexts)
{
	const u64 hz = ktput_cycles_hz();

	if (!READ_ONCE(registered) || !hz)
		return U64_MAX;
	return mul_u64_u64_div_u64(contexts->cycles[KTPUT_A_CONTEXTS_IDLE],
				   NSEC_PER_SEC, hz);
}

/* Contexts of work that is neither of runs nor of the network. */
static const u8 foreign[] = {
	KTPUT_A_CONTEXTS_SOFTIRQ_OTHER,
	KTPUT_A_CONTEXTS_HARDIRQ,
	KTPUT_A_CONTEXTS_USER,
};

/* Makes one sum of what others do. */
static void sum_foreign(struct ktput_contexts *contexts)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++) {
		contexts->cycles[KTPUT_A_CONTEXTS_KERNEL] +=
			contexts->cycles[foreign[i]];
		contexts->cycles[foreign[i]] = 0;
	}
}

static bool is_told(unsigned int context, bool permitted)
{
	if (!permitted && memchr(foreign, context, sizeof(foreign)))
		return false;
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
 * ktput_contexts_put_message() - write how a CPU has spent its cycles
 * @skb: message; KTPUT_A_CPU_CONTEXTS is added with the contexts that this
 *	kernel reports, if it reports any
 * @from: from ktput_contexts_read()
 * @permitted: the reader may see what others do, see ktput_events_permitted();
 *	else all that is neither of runs nor of the network is in one sum
 *
 * Return: 0, or -EMSGSIZE if @skb has no room.
 */
int ktput_contexts_put_message(struct sk_buff *skb,
			       const struct ktput_contexts *from,
			       bool permitted)
{
	struct ktput_contexts told = *from;
	struct nlattr *nest;
	unsigned int i;

	if (!READ_ONCE(registered))
		return 0;
	if (!permitted)
		sum_foreign(&told);
	nest = nla_nest_start(skb, KTPUT_A_CPU_CONTEXTS);
	if (!nest)
		return -EMSGSIZE;
	for (i = KTPUT_A_CONTEXTS_SOURCE; i < KTPUT_CONTEXTS; i++)
		if (is_told(i, permitted) &&
		    nla_put_u64_64bit(skb, i, told.cycles[i],
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
 * ktput_contexts_init() - look up the tracepoints of this kernel
 */
void __init ktput_contexts_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
}

/**
 * ktput_contexts_exit() - unregister all probes
 *
 * Called after ktput_contexts_end().
 */
void ktput_contexts_exit(void)
{
	/* A CPU may still run a probe that is unregistered already. */
	tracepoint_synchronize_unregister();
}

#endif
