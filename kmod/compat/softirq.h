/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check that softirqs of one CPU do not preempt each other.
 *
 * Softirq code uses per-CPU data without a lock, both to count and to send.
 * PREEMPT_RT kernels since 6.18 may be built so that softirqs of one CPU
 * preempt each other.
 */
#ifndef KTPUT_COMPAT_SOFTIRQ_H
#define KTPUT_COMPAT_SOFTIRQ_H

#include <linux/version.h>

#if defined(CONFIG_PREEMPT_RT) && !defined(CONFIG_PREEMPT_RT_NEEDS_BH_LOCK) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#error "softirqs preempt each other: set CONFIG_PREEMPT_RT_NEEDS_BH_LOCK"
#endif

#endif /* KTPUT_COMPAT_SOFTIRQ_H */
