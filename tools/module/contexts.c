// SPDX-License-Identifier: GPL-2.0
/* contexts: cycles of a CPU by context. */
#include <stddef.h>

#include "client.h"

static const char *const keys[] = {
	[KTPUT_A_CONTEXTS_SOURCE] = "source_cycles",
	[KTPUT_A_CONTEXTS_SINK] = "sink_cycles",
	[KTPUT_A_CONTEXTS_WORKER] = "worker_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE] = "softirq_receive_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT] = "softirq_transmit_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_OTHER] = "softirq_other_cycles",
	[KTPUT_A_CONTEXTS_HARDIRQ] = "hardirq_cycles",
	[KTPUT_A_CONTEXTS_KERNEL] = "kernel_cycles",
	[KTPUT_A_CONTEXTS_USER] = "user_cycles",
	[KTPUT_A_CONTEXTS_IDLE] = "idle_cycles",
};

/**
 * contexts_key() - key of a context in records
 * @context: context, CONTEXTS_FIRST to CONTEXTS_LAST
 *
 * Return: the JSON key of its cycles.
 */
const char *contexts_key(int context)
{
	return keys[context];
}

/**
 * contexts_known() - whether the kernel reports any context
 * @contexts: contexts of a CPU
 *
 * Return: true if it does.
 */
bool contexts_known(const struct contexts *contexts)
{
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		if (contexts->known[i])
			return true;
	return false;
}

/**
 * contexts_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading
 *
 * An interrupt in the middle of a context switch moves its cycles from one context
 * to the other, so a context may decrease.
 *
 * Return: the difference, not below 0; known are contexts known in both.
 */
struct contexts contexts_difference(const struct contexts *later,
				    const struct contexts *earlier)
{
	struct contexts out = { 0 };

	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++) {
		int64_t cycles = later->cycles[i] - earlier->cycles[i];

		out.known[i] = later->known[i] && earlier->known[i];
		if (out.known[i] && cycles > 0)
			out.cycles[i] = cycles;
	}
	return out;
}

/**
 * contexts_limit_idle() - limit the idle context to the CPU's idle time
 * @contexts: cycles of a CPU between two readings
 * @idle_cycles: cycles in which it was idle, by the kernel's idle time
 *
 * The kernel's idle time stops when an interrupt begins, before its handler, and
 * continues after the handler and the softirqs. The rest of the idle task's cycles,
 * mostly for entry and exit of interrupts, is work. It is moved to the interrupt
 * context or, if that is unknown, to the kernel context.
 *
 * Return: cycles missing in the idle context to @idle_cycles, a contradiction.
 */
uint64_t contexts_limit_idle(struct contexts *contexts, uint64_t idle_cycles)
{
	const int work = contexts->known[KTPUT_A_CONTEXTS_HARDIRQ] ?
			 KTPUT_A_CONTEXTS_HARDIRQ : KTPUT_A_CONTEXTS_KERNEL;
	uint64_t *idle = &contexts->cycles[KTPUT_A_CONTEXTS_IDLE];

	if (!contexts->known[KTPUT_A_CONTEXTS_IDLE] || !contexts->known[work])
		return 0;
	if (*idle < idle_cycles)
		return idle_cycles - *idle;
	contexts->cycles[work] += *idle - idle_cycles;
	*idle = idle_cycles;
	return 0;
}
