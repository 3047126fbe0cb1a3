/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile: what the profiler counts. Stacks are keys, so that no two of them
 * ever meet in one count, and have their CPU in them, so that none is shared.
 */
#ifndef KTPUT_BPF_PROFILE_H
#define KTPUT_BPF_PROFILE_H

#include <linux/types.h>

/*
 * Innermost frames: by them samples are classed, so that the outermost ones of a
 * deeper stack are not missed. A key of a map has at most 512 bytes.
 */
#define PROFILE_DEPTH	60

/**
 * struct profile_stack - where a CPU was
 * @cpu: its number
 * @reserved: 0
 * @address: in the kernel, innermost first, 0 behind the last; all 0 where the
 *	CPU was in user space
 */
struct profile_stack {
	__u32 cpu;
	__u32 reserved;
	__u64 address[PROFILE_DEPTH];
};

/**
 * struct profile_cpu - samples of a CPU
 * @samples: that were due; one that comes late stands for those that were not
 *	taken meanwhile
 * @squares: sum of the squares of what each stands for
 * @lost: those that no stack was kept of: there are too many stacks
 * @last_ns: CLOCK_MONOTONIC of the latest
 */
struct profile_cpu {
	__u64 samples;
	__u64 squares;
	__u64 lost;
	__u64 last_ns;
};

#endif
