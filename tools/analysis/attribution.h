/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attribution: whose cycles those of a CPU were.
 *
 * Pure arithmetic. The cycles of a CPU between two readings are split into parts
 * that add up to them:
 *
 *   source, sink   turns and calls of this run
 *   own softirq    softirqs and interrupts that served its packets
 *   other softirq  those that served other packets
 *   other tasks    all other tasks, those of the kernel among them
 *   steal          the hypervisor ran something else
 *   idle
 *
 * Where the module counts contexts, they say what was a call, a softirq, a task or
 * idle. Where it does not, the idle time and the CPU time of the run's own threads
 * do, and ticks of /proc/stat divide the rest.
 *
 * Nothing tells whose a softirq was. Packets do: in a time without the run, before
 * it, the CPU received others at some rate. It is taken to receive as many in the
 * time of the run, and a packet to cost the same whosever it is. The share of these
 * in all packets of the CPU is the share of others in its softirqs and interrupts.
 * A CPU that received none and has no call of the run did nothing for the run.
 *
 * The kernel charges an interrupt to the CPU time of the thread that it interrupts,
 * unless it keeps time of interrupts (CONFIG_IRQ_TIME_ACCOUNTING). So with threads
 * in user space up to the smaller of both may be wrongly taken from other tasks.
 * The cycles that may belong elsewhere, by both reasons, are @uncertain.
 */
#ifndef KTPUT_TOOLS_ATTRIBUTION_H
#define KTPUT_TOOLS_ATTRIBUTION_H

#include "measure.h"

enum attribution_part {
	ATTRIBUTION_SOURCE,
	ATTRIBUTION_SINK,
	ATTRIBUTION_OWN_SOFTIRQ,
	ATTRIBUTION_OTHER_SOFTIRQ,
	ATTRIBUTION_OTHER_TASKS,
	ATTRIBUTION_STEAL,
	ATTRIBUTION_IDLE,
	ATTRIBUTION_PARTS,
};

/**
 * struct attribution_facts - what is known of a CPU
 * @cpu: what it did between two readings
 * @source_ns: CPU time of the source's thread there, 0 for one in the kernel
 * @sink_ns: likewise of the sink's
 * @calls: the run has calls there
 * @packets: packets that the run took there before the kernel counts them
 * @others_per_s: packets that it received from others in a time without the run
 */
struct attribution_facts {
	const struct measure_cpu *cpu;
	uint64_t source_ns;
	uint64_t sink_ns;
	bool calls;
	uint64_t packets;
	double others_per_s;
};

/**
 * struct attribution - whose cycles those of a CPU were
 * @known: they can be told apart
 * @total: all cycles
 * @cycles: of each part; together they are @total
 * @uncertain: those that may belong to another part
 * @ticks: the parts are divided by ticks of user space
 */
struct attribution {
	bool known;
	uint64_t total;
	uint64_t cycles[ATTRIBUTION_PARTS];
	uint64_t uncertain;
	bool ticks;
};

const char *attribution_key(enum attribution_part part);
const char *attribution_name(enum attribution_part part);
void attribution_compute(const struct attribution_facts *facts,
			 struct attribution *to);
uint64_t attribution_own(const struct attribution *attribution);
uint64_t attribution_foreign(const struct attribution *attribution);

#endif
