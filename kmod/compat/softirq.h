/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softirq: that there is one at a time on a CPU.
 *
 * What softirq counts and sends is of its CPU, without a lock. A PREEMPT_RT kernel
 * from 6.18 on may be built to let several softirqs of a CPU preempt each other.
 */
#ifndef KTPUT_COMPAT_SOFTIRQ_H
#define KTPUT_COMPAT_SOFTIRQ_H

#include <linux/version.h>

#if defined(CONFIG_PREEMPT_RT) && !defined(CONFIG_PREEMPT_RT_NEEDS_BH_LOCK) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#error "softirqs preempt each other: set CONFIG_PREEMPT_RT_NEEDS_BH_LOCK"
#endif

#endif /* KTPUT_COMPAT_SOFTIRQ_H */
