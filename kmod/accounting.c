// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU accounting while runs exist, done by contexts.c and events.c. All
 * runs share it.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "accounting.h"
#include "contexts.h"
#include "events.h"

/* Setting it up takes long, so it stays this long for the next run. */
#define LINGER	HZ

static atomic_t users;
static DEFINE_MUTEX(lock);

static void end(void)
{
	lockdep_assert_held(&lock);
	ktput_contexts_end();
	ktput_events_end();
}

static void retire(struct work_struct *unused)
{
	mutex_lock(&lock);
	if (!atomic_read(&users))
		end();
	mutex_unlock(&lock);
}

static DECLARE_DELAYED_WORK(retirement, retire);

/**
 * ktput_accounting_get() - account all CPUs from now on
 * @events: account perf events too; this takes PMU counters that others may
 *	want
 *
 * Sleeps, and takes cpus_read_lock(). Anything that cannot be accounted is
 * silently left out.
 */
void ktput_accounting_get(bool events)
{
	mutex_lock(&lock);
	atomic_inc(&users);
	cancel_delayed_work(&retirement);
	if (events)
		ktput_events_begin();
	ktput_contexts_begin();
	mutex_unlock(&lock);
}

/**
 * ktput_accounting_put() - stop accounting CPUs, unless other users remain
 *
 * Any context. Earlier readings are meaningless afterwards.
 */
void ktput_accounting_put(void)
{
	/*
	 * A CPU that goes offline waits for runs. A run must not wait for the
	 * lock then, since the lock's holder may wait for the CPU. So a work
	 * item takes the lock.
	 */
	if (atomic_dec_and_test(&users))
		schedule_delayed_work(&retirement, LINGER);
}

/**
 * ktput_accounting_exit() - release everything
 *
 * All users have called ktput_accounting_put().
 */
void ktput_accounting_exit(void)
{
	cancel_delayed_work_sync(&retirement);
	mutex_lock(&lock);
	end();
	mutex_unlock(&lock);
}
