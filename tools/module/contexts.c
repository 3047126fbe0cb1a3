// SPDX-License-Identifier: GPL-2.0
/* contexts: what a CPU spends its cycles on. */
#include <stddef.h>

#include "contexts.h"

static const char *const keys[] = {
	[KTPUT_A_CONTEXTS_SOURCE] = "source_cycles",
	[KTPUT_A_CONTEXTS_SINK] = "sink_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE] = "softirq_receive_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT] = "softirq_transmit_cycles",
	[KTPUT_A_CONTEXTS_SOFTIRQ_OTHER] = "softirq_other_cycles",
	[KTPUT_A_CONTEXTS_HARDIRQ] = "hardirq_cycles",
	[KTPUT_A_CONTEXTS_KERNEL] = "kernel_cycles",
	[KTPUT_A_CONTEXTS_USER] = "user_cycles",
	[KTPUT_A_CONTEXTS_IDLE] = "idle_cycles",
};

/**
 * contexts_key() - what a context is called in records
 * @context: context, CONTEXTS_FIRST to CONTEXTS_LAST
 *
 * Return: the JSON key of its cycles.
 */
const char *contexts_key(int context)
{
	return keys[context];
}

/**
 * contexts_known() - whether the kernel tells of any context
 * @contexts: contexts of a CPU
 *
 * Return: true where it does.
 */
bool contexts_known(const struct contexts *contexts)
{
	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		if (contexts->known[i])
			return true;
	return false;
}

/**
 * contexts_difference() - what a CPU did between two readings
 * @later: later reading
 * @earlier: earlier reading
 *
 * An interrupt in the middle of a change of context moves its cycles from one
 * context to the other, which may have had less.
 *
 * Return: the difference, not below 0; known is what both know.
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
 * contexts_total() - cycles of all contexts together
 * @contexts: contexts of a CPU
 *
 * Return: the sum.
 */
uint64_t contexts_total(const struct contexts *contexts)
{
	uint64_t total = 0;

	for (int i = CONTEXTS_FIRST; i <= CONTEXTS_LAST; i++)
		total += contexts->cycles[i];
	return total;
}

/**
 * contexts_limit_idle() - the idle task is idle no longer than the CPU was
 * @contexts: what a CPU did between two readings
 * @idle_cycles: cycles in which it was idle meanwhile, by the kernel's idle time
 *
 * The kernel's idle time ends as an interrupt begins, before its handler, and goes on
 * after it and the softirqs. What else the idle task takes, mostly for entry and exit
 * of interrupts, is work. It is moved to interrupts, or where these are not told, to
 * the kernel.
 *
 * Return: cycles that the idle task had less than @idle_cycles, which contradict it.
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
