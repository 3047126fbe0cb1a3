/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attribution: who spent the cycles of a CPU.
 *
 * Pure arithmetic. The cycles of a CPU between two readings are split into parts.
 * The parts add up to the cycles:
 *
 *   source, sink   turns and calls of this run
 *   worker         the module's threads between turns; of user space there are none
 *   own softirq    softirqs and interrupts that served the run's packets
 *   other softirq  softirqs and interrupts that served other packets
 *   other tasks    all other tasks, including kernel threads
 *   steal          the hypervisor ran something else
 *   idle
 *
 * If the module counts contexts, they separate calls, softirqs, tasks and idle.
 * Otherwise the idle time and the CPU time of the run's own threads are used, and
 * ticks of /proc/stat divide the rest.
 *
 * No counter shows whom a softirq served, so packets are used. Before the run, the CPU
 * received other packets at some rate. It is assumed to receive as many per second
 * during the run, and every packet is assumed to cost the same. Packets beyond those
 * that the run can have caused are of others, whatever the rate was. The share of other
 * packets in all packets of the CPU is the share of others in its softirqs and
 * interrupts. A CPU that received no packet and made no call of the run did nothing
 * for the run.
 *
 * The kernel charges an interrupt to the CPU time of the interrupted thread, unless
 * it accounts interrupt time (CONFIG_IRQ_TIME_ACCOUNTING). So with threads in user
 * space, up to the smaller of both may be wrongly taken from other tasks. The cycles
 * that may belong elsewhere, for either reason, are @uncertain.
 */
#ifndef KTPUT_TOOLS_ATTRIBUTION_H
#define KTPUT_TOOLS_ATTRIBUTION_H

#include "measure.h"

enum attribution_part {
	ATTRIBUTION_SOURCE,
	ATTRIBUTION_SINK,
	ATTRIBUTION_WORKER,
	ATTRIBUTION_OWN_SOFTIRQ,
	ATTRIBUTION_OTHER_SOFTIRQ,
	ATTRIBUTION_OTHER_TASKS,
	ATTRIBUTION_STEAL,
	ATTRIBUTION_IDLE,
	ATTRIBUTION_PARTS,
};

/**
 * struct attribution_facts - input for a CPU
 * @cpu: its activity between two readings
 * @source_ns: CPU time of the source's thread there, 0 if it is in the kernel
 * @sink_ns: CPU time of the sink's thread, likewise
 * @calls: the run makes calls there
 * @packets: packets that the run takes there before the kernel counts them
 * @others_per_s: rate of other packets received there without the run
 * @own_packets_max: packets that the run can have caused at most, on all CPUs; 0 if
 *	unknown
 */
struct attribution_facts {
	const struct measure_cpu *cpu;
	uint64_t source_ns;
	uint64_t sink_ns;
	bool calls;
	uint64_t packets;
	double others_per_s;
	double own_packets_max;
};

/**
 * struct attribution - who spent the cycles of a CPU
 * @known: the parts are known
 * @total: all cycles
 * @cycles: of each part; they add up to @total
 * @uncertain: cycles that may belong to another part
 * @ticks: the parts are derived from ticks of user space
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
