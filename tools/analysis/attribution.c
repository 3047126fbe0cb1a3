// SPDX-License-Identifier: GPL-2.0
/* attribution: who spent the cycles of a CPU. */
#include <math.h>

#include "attribution.h"

static const struct {
	const char *key;
	const char *name;
} parts[ATTRIBUTION_PARTS] = {
	[ATTRIBUTION_SOURCE] = { "source_cycles", "source calls" },
	[ATTRIBUTION_SINK] = { "sink_cycles", "sink calls" },
	[ATTRIBUTION_WORKER] = { "worker_cycles", "worker threads" },
	[ATTRIBUTION_OWN_SOFTIRQ] = { "own_softirq_cycles", "softirqs" },
	[ATTRIBUTION_OTHER_SOFTIRQ] = { "other_softirq_cycles",
					"softirqs of others" },
	[ATTRIBUTION_OTHER_TASKS] = { "other_tasks_cycles", "other tasks" },
	[ATTRIBUTION_STEAL] = { "steal_cycles", "the hypervisor" },
	[ATTRIBUTION_IDLE] = { "idle_cycles", "idle" },
};

/* A CPU by kind of work, in any unit, before run and others are separated. */
struct kinds {
	double source;
	double sink;
	double worker;
	double irq;
	double tasks;
	double steal;
	double idle;
};

/**
 * attribution_key() - key of a part in records
 * @part: part
 *
 * Return: a JSON key.
 */
const char *attribution_key(enum attribution_part part)
{
	return parts[part].key;
}

/**
 * attribution_name() - name of a part in text
 * @part: part
 *
 * Return: a noun.
 */
const char *attribution_name(enum attribution_part part)
{
	return parts[part].name;
}

/**
 * attribution_own() - cycles spent by the run itself
 * @attribution: cycles of a CPU
 *
 * Return: cycles of its calls and its workers, and of softirqs and interrupts on
 * its behalf.
 */
uint64_t attribution_own(const struct attribution *attribution)
{
	return attribution->cycles[ATTRIBUTION_SOURCE] +
	       attribution->cycles[ATTRIBUTION_SINK] +
	       attribution->cycles[ATTRIBUTION_WORKER] +
	       attribution->cycles[ATTRIBUTION_OWN_SOFTIRQ];
}

/**
 * attribution_foreign() - cycles spent by others
 * @attribution: cycles of a CPU
 *
 * Return: cycles of other work and of the hypervisor.
 */
uint64_t attribution_foreign(const struct attribution *attribution)
{
	return attribution->cycles[ATTRIBUTION_OTHER_SOFTIRQ] +
	       attribution->cycles[ATTRIBUTION_OTHER_TASKS] +
	       attribution->cycles[ATTRIBUTION_STEAL];
}

/* Steal time is part of the contexts that it interrupted, except idle. */
static void by_contexts(const struct measure_cpu *cpu, struct kinds *to)
{
	const uint64_t *cycles = cpu->contexts.cycles;
	double busy, left = 1;

	*to = (struct kinds) {
		.source = cycles[KTPUT_A_CONTEXTS_SOURCE],
		.sink = cycles[KTPUT_A_CONTEXTS_SINK],
		.worker = cycles[KTPUT_A_CONTEXTS_WORKER],
		.irq = (double)cycles[KTPUT_A_CONTEXTS_SOFTIRQ_RECEIVE] +
		       cycles[KTPUT_A_CONTEXTS_SOFTIRQ_TRANSMIT] +
		       cycles[KTPUT_A_CONTEXTS_SOFTIRQ_OTHER] +
		       cycles[KTPUT_A_CONTEXTS_HARDIRQ],
		.tasks = (double)cycles[KTPUT_A_CONTEXTS_KERNEL] +
			 cycles[KTPUT_A_CONTEXTS_USER],
		.idle = cycles[KTPUT_A_CONTEXTS_IDLE],
	};
	busy = to->source + to->sink + to->worker + to->irq + to->tasks;
	if (!cpu->times.known || !busy)
		return;
	to->steal = fmin((double)cpu->times.steal_ns / cpu->elapsed_ns *
			 (busy + to->idle), busy);
	left = 1 - to->steal / busy;
	to->source *= left;
	to->sink *= left;
	to->worker *= left;
	to->irq *= left;
	to->tasks *= left;
}

static void by_ticks(const struct measure_cpu *cpu, struct kinds *to)
{
	const struct cpu_times *times = &cpu->times;
	const double ticks = times->task_ns + times->irq_ns;
	const double elapsed = cpu->elapsed_ns;
	double busy;

	*to = (struct kinds) {
		.idle = elapsed * (1 - cpu->busy),
	};
	busy = elapsed - to->idle;
	to->steal = fmin(times->steal_ns, busy);
	busy -= to->steal;
	to->irq = ticks > 0 ? busy * times->irq_ns / ticks : 0;
	to->tasks = busy - to->irq;
}

/* User-space threads of the run are tasks. Returns what may belong to others. */
static double take_threads(const struct attribution_facts *facts, double unit,
			   struct kinds *of)
{
	const double own = (facts->source_ns + facts->sink_ns) * unit;
	const double others = fmax(of->tasks - own, 0);
	const double taken = of->tasks - others;

	if (!own)
		return 0;
	of->source += taken * facts->source_ns / (facts->source_ns +
						  facts->sink_ns);
	of->sink += taken * facts->sink_ns / (facts->source_ns +
					      facts->sink_ns);
	of->tasks = others;
	return others > 0 ? fmin(of->irq, taken) : 0;
}

/* Share of other traffic in the packets of the CPU. */
static double others_share(const struct attribution_facts *facts)
{
	const struct measure_cpu *cpu = facts->cpu;
	const double packets = (double)cpu->times.packets + facts->packets;
	double others = facts->others_per_s * cpu->elapsed_ns / 1e9;

	if (!cpu->times.packets_known)
		return 0;
	if (!packets)
		return facts->calls ? 0 : 1;
	if (facts->own_packets_max)
		others = fmax(others, packets - facts->own_packets_max);
	return fmin(others / packets, 1);
}

/* Whole cycles that add up to the total: the last part takes the remainder. */
static void divide(const double *share, struct attribution *to)
{
	uint64_t left = to->total;

	for (int i = 0; i < ATTRIBUTION_IDLE; i++) {
		to->cycles[i] = llround(fmax(share[i], 0) * to->total);
		if (to->cycles[i] > left)
			to->cycles[i] = left;
		left -= to->cycles[i];
	}
	to->cycles[ATTRIBUTION_IDLE] = left;
}

/**
 * attribution_compute() - find out who spent the cycles of a CPU
 * @facts: the input
 * @to: filled in
 */
void attribution_compute(const struct attribution_facts *facts,
			 struct attribution *to)
{
	const struct measure_cpu *cpu = facts->cpu;
	const bool contexts = contexts_known(&cpu->contexts);
	double all, others, overlap, unit = 1;
	struct kinds kinds;

	*to = (struct attribution) {
		.total = cpu->cycles, .ticks = !contexts,
	};
	if (!cpu->elapsed_ns ||
	    (!contexts && (!cpu->times.known || isnan(cpu->busy))))
		return;
	if (contexts) {
		by_contexts(cpu, &kinds);
		unit = (double)cpu->cycles / cpu->elapsed_ns;
	} else {
		by_ticks(cpu, &kinds);
	}
	overlap = take_threads(facts, unit, &kinds);
	all = kinds.source + kinds.sink + kinds.worker + kinds.irq +
	      kinds.tasks + kinds.steal + kinds.idle;
	if (!all)
		return;
	others = others_share(facts) * kinds.irq;
	divide((double[ATTRIBUTION_PARTS]) {
		[ATTRIBUTION_SOURCE] = kinds.source / all,
		[ATTRIBUTION_SINK] = kinds.sink / all,
		[ATTRIBUTION_WORKER] = kinds.worker / all,
		[ATTRIBUTION_OWN_SOFTIRQ] = (kinds.irq - others) / all,
		[ATTRIBUTION_OTHER_SOFTIRQ] = others / all,
		[ATTRIBUTION_OTHER_TASKS] = kinds.tasks / all,
		[ATTRIBUTION_STEAL] = kinds.steal / all,
	}, to);
	to->uncertain = llround((others + overlap) / all * to->total);
	to->known = true;
}
