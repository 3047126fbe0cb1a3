// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: what each CPU spends its cycles on.
 *
 * Each CPU has an account with a cycle counter reading up to which all cycles
 * are charged. Whatever changes the context (a tracepoint of the kernel, a turn
 * or a call of a sink) first charges the cycles since that reading to the
 * context that is left. So each cycle is charged once, and the contexts of a
 * CPU add up to its cycle counter, whatever tracepoints there are and however
 * they nest: a missing one only has its cycles charged to what was interrupted.
 *
 * The context is not a stack but follows from what is known of four levels,
 * the highest first: a hard interrupt, a call of a sink, a softirq, a task. A
 * level that is left is known from preempt_count() or from the event, never
 * from a count of our own: probes may come and go in the middle of anything,
 * and the next event at a lower level puts right what was missed.
 *
 * An account is written by its CPU with interrupts off, so that there is no
 * lock and no shared cache line. Probes and all they call must not meet a
 * tracepoint: raw_local_irq_save() and no function of the kernel's. NMIs are
 * not seen, and are charged to what they interrupt.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <net/netlink.h>

#include "contexts.h"

#if !IS_ENABLED(CONFIG_KTPUT_UNCOUNTED) && !IS_ENABLED(CONFIG_PREEMPT_RT)

/* How long probes stay for the next run, since they take long to register. */
#define LINGER	HZ

/**
 * struct account - what a CPU has spent its cycles on
 * @contexts: cycles by context
 * @last: cycle counter up to which all is charged
 * @context: what is charged now; follows from what is below
 * @hardirq: number of hard interrupts on top of each other
 * @call: KTPUT_A_CONTEXTS_SINK in a call of a sink in softirq, or 0
 * @softirq: context of the softirq, or 0
 * @task: context of the task
 * @turn: context of the turn that ktput's thread takes, even while it is
 *	preempted, or 0
 * @thread: the thread that took the latest turn; compared, and no more
 */
struct account {
	struct ktput_contexts contexts;
	u64 last;
	u8 context;
	u8 hardirq;
	u8 call;
	u8 softirq;
	u8 task;
	u8 turn;
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
 * @registered: both have their probes
 */
struct pair {
	const char *name;
	void *entered;
	void *left;
	struct tracepoint *entry;
	struct tracepoint *exit;
	bool registered;
};

static atomic_t users;
static DEFINE_MUTEX(lock);
/* Written under the lock; constant while there are users. */
static bool registered;
static struct tracepoint *sched_switch;

/* Interrupts are off. */
static __always_inline void charge(struct account *account, u64 now)
{
	account->contexts.cycles[account->context] += now - account->last;
	account->last = now;
}

static __always_inline u8 without_hardirq(const struct account *account)
{
	return account->call ?: account->softirq ?: account->task;
}

static __always_inline u8 hardirqs(void)
{
	return hardirq_count() >> HARDIRQ_SHIFT;
}

static __always_inline void enter_hardirq(void)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	charge(account, get_cycles());
	account->hardirq = hardirqs();
	account->context = KTPUT_A_CONTEXTS_HARDIRQ;
	raw_local_irq_restore(flags);
}

static __always_inline void leave_hardirq(void)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	charge(account, get_cycles());
	account->hardirq = hardirqs() - 1;
	if (!account->hardirq)
		account->context = without_hardirq(account);
	raw_local_irq_restore(flags);
}

static void irq_entered(void *data, int irq, struct irqaction *action)
{
	enter_hardirq();
}

static void irq_left(void *data, int irq, struct irqaction *action, int result)
{
	leave_hardirq();
}

/* Interrupts that have an entry of their own: x86. */
static void vector_entered(void *data, int vector)
{
	enter_hardirq();
}

static void vector_left(void *data, int vector)
{
	leave_hardirq();
}

/* Interrupts from other CPUs: arm64. */
static void ipi_entered(void *data, const char *reason)
{
	enter_hardirq();
}

static void ipi_left(void *data, const char *reason)
{
	leave_hardirq();
}

static __always_inline void set_softirq(u8 softirq)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	charge(account, get_cycles());
	account->hardirq = 0;
	account->call = 0;
	account->softirq = softirq;
	account->context = softirq ?: account->task;
	raw_local_irq_restore(flags);
}

static void softirq_entered(void *data, unsigned int vector)
{
	set_softirq(vector == NET_RX_SOFTIRQ ?
			    KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE :
		    vector == NET_TX_SOFTIRQ ?
			    KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT :
			    KTPUT_A_CONTEXTS_SOFTIRQ_OTHER);
}

static void softirq_left(void *data, unsigned int vector)
{
	set_softirq(0);
}

static u8 context_of(const struct task_struct *task)
{
	if (is_idle_task(task))
		return KTPUT_A_CONTEXTS_IDLE;
	return task->flags & PF_KTHREAD ? KTPUT_A_CONTEXTS_KERNEL :
					  KTPUT_A_CONTEXTS_USER;
}

/* The scheduler calls with interrupts off. */
static void switched(void *data, bool preempt, struct task_struct *from,
		     struct task_struct *to, unsigned int state)
{
	struct account *account = raw_cpu_ptr(&accounts);

	charge(account, get_cycles());
	account->hardirq = 0;
	account->call = 0;
	account->softirq = 0;
	account->task = to == account->thread && account->turn ?
			account->turn : context_of(to);
	account->context = account->task;
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
static void begin_account(struct account *account, u8 task, u8 softirq)
{
	account->last = get_cycles();
	account->hardirq = 0;
	account->call = 0;
	account->softirq = softirq;
	account->task = task;
	account->turn = 0;
	account->thread = NULL;
	account->context = without_hardirq(account);
}

/* Called with interrupts off. What is left of this interrupt is the task's. */
static void begin_here(void *unused)
{
	begin_account(this_cpu_ptr(&accounts), context_of(current),
		      in_serving_softirq() ? KTPUT_A_CONTEXTS_SOFTIRQ_OTHER :
					     0);
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
				      KTPUT_A_CONTEXTS_IDLE, 0);
	on_each_cpu(begin_here, NULL, 1);
	cpus_read_unlock();
}

static void register_pair(struct pair *pair)
{
	if (!pair->entry || !pair->exit ||
	    tracepoint_probe_register(pair->entry, pair->entered, NULL))
		return;
	pair->registered = !tracepoint_probe_register(pair->exit, pair->left,
						      NULL);
	if (!pair->registered)
		tracepoint_probe_unregister(pair->entry, pair->entered, NULL);
}

static void unregister_pair(struct pair *pair)
{
	if (!pair->registered)
		return;
	tracepoint_probe_unregister(pair->entry, pair->entered, NULL);
	tracepoint_probe_unregister(pair->exit, pair->left, NULL);
	pair->registered = false;
}

static void register_probes(void)
{
	unsigned int i;

	lockdep_assert_held(&lock);
	/* Without it, nothing is known of any task. */
	if (!sched_switch ||
	    tracepoint_probe_register(sched_switch, switched, NULL))
		return;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		register_pair(&pairs[i]);
	begin_accounts();
	registered = true;
}

static void unregister_probes(void)
{
	unsigned int i;

	lockdep_assert_held(&lock);
	if (!registered)
		return;
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		unregister_pair(&pairs[i]);
	tracepoint_probe_unregister(sched_switch, switched, NULL);
	registered = false;
}

static void retire(struct work_struct *unused)
{
	mutex_lock(&lock);
	if (!atomic_read(&users))
		unregister_probes();
	mutex_unlock(&lock);
}

static DECLARE_DELAYED_WORK(retirement, retire);

/**
 * ktput_contexts_get() - have cycles accounted from now on
 *
 * Sleeps, and takes cpus_read_lock(). Where it is not possible, nothing is
 * accounted, and no context is told.
 */
void ktput_contexts_get(void)
{
	mutex_lock(&lock);
	atomic_inc(&users);
	if (!registered)
		register_probes();
	mutex_unlock(&lock);
}

/**
 * ktput_contexts_put() - have cycles accounted no more, unless others do
 *
 * Any context. What was read before is worthless after it.
 */
void ktput_contexts_put(void)
{
	/*
	 * A CPU that goes offline waits for runs, which must not wait for the
	 * lock then: its holder may wait for the CPU. So others take it.
	 */
	if (atomic_dec_and_test(&users))
		mod_delayed_work(system_wq, &retirement, LINGER);
}

/**
 * ktput_contexts_begin_turn() - a thread of ktput's begins a turn
 * @now: cycle counter
 * @context: KTPUT_A_CONTEXTS_SOURCE or KTPUT_A_CONTEXTS_SINK
 *
 * Called by the thread, on its CPU, with nothing off.
 */
void ktput_contexts_begin_turn(u64 now, unsigned int context)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	/* An interrupt since @now has been charged already. */
	if ((s64)(now - account->last) > 0)
		charge(account, now);
	account->thread = current;
	account->turn = context;
	account->task = context;
	account->context = context;
	raw_local_irq_restore(flags);
}

/**
 * ktput_contexts_end_turn() - a turn ends
 * @now: cycle counter
 */
void ktput_contexts_end_turn(u64 now)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	if ((s64)(now - account->last) > 0)
		charge(account, now);
	account->turn = 0;
	account->task = KTPUT_A_CONTEXTS_KERNEL;
	account->context = account->task;
	raw_local_irq_restore(flags);
}

static __always_inline void set_call(u8 call)
{
	struct account *account;
	unsigned long flags;

	raw_local_irq_save(flags);
	account = raw_cpu_ptr(&accounts);
	charge(account, get_cycles());
	account->call = call;
	account->context = without_hardirq(account);
	raw_local_irq_restore(flags);
}

/**
 * ktput_contexts_begin_call() - a sink is called in softirq
 *
 * Bottom halves are off until ktput_contexts_end_call().
 */
void ktput_contexts_begin_call(void)
{
	set_call(KTPUT_A_CONTEXTS_SINK);
}

/**
 * ktput_contexts_end_call() - and returns
 */
void ktput_contexts_end_call(void)
{
	set_call(0);
}

/**
 * ktput_contexts_read() - read what this CPU has spent its cycles on
 * @to: filled in
 * @now: cycle counter, just read; what @to adds up to, but for a constant
 *
 * Interrupts are off, and who asks has done ktput_contexts_get().
 */
void ktput_contexts_read(struct ktput_contexts *to, u64 now)
{
	struct account *account = raw_cpu_ptr(&accounts);

	charge(account, now);
	*to = account->contexts;
}

static bool is_told(unsigned int context)
{
	switch (context) {
	case KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE:
	case KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT:
	case KTPUT_A_CONTEXTS_SOFTIRQ_OTHER:
		return pairs[PAIR_SOFTIRQ].registered;
	case KTPUT_A_CONTEXTS_HARDIRQ:
		return pairs[PAIR_IRQ].registered;
	default:
		return true;
	}
}

/**
 * ktput_contexts_put_message() - write what a CPU has spent its cycles on
 * @skb: message; KTPUT_A_CPU_CONTEXTS is added, with those contexts that this
 *	kernel tells of, if it does of any
 * @from: from ktput_contexts_read(), by who has done ktput_contexts_get()
 *
 * Return: 0, or -EMSGSIZE where @skb has no room.
 */
int ktput_contexts_put_message(struct sk_buff *skb,
			       const struct ktput_contexts *from)
{
	struct nlattr *nest;
	unsigned int i;

	if (!registered)
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
 * All users have done ktput_contexts_put().
 */
void ktput_contexts_exit(void)
{
	cancel_delayed_work_sync(&retirement);
	mutex_lock(&lock);
	unregister_probes();
	mutex_unlock(&lock);
	/* A CPU may still be in a probe that is not registered any more. */
	tracepoint_synchronize_unregister();
}

#endif
