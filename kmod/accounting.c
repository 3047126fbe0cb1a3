// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting: what is counted on each CPU while there are runs, by contexts.c
 * and events.c. All runs share it.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "accounting.h"
#include "contexts.h"
#include "events.h"

/* How long it stays for the next run, since it takes long to set up. */
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
 * ktput_accounting_get() - have all CPUs accounted from now on
 * @events: those of perf too, which others may want the counters of
 *
 * Sleeps, and takes cpus_read_lock(). What is not possible is not accounted,
 * and not told.
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
 * ktput_accounting_put() - have CPUs accounted no more, unless others do
 *
 * Any context. What was read before is worthless after it.
 */
void ktput_accounting_put(void)
{
	/*
	 * A CPU that goes offline waits for runs, which must not wait for the
	 * lock then: its holder may wait for the CPU. So others take it.
	 */
	if (atomic_dec_and_test(&users))
		schedule_delayed_work(&retirement, LINGER);
}

/**
 * ktput_accounting_exit() - leave nothing behind
 *
 * All users have done ktput_accounting_put().
 */
void ktput_accounting_exit(void)
{
	cancel_delayed_work_sync(&retirement);
	mutex_lock(&lock);
	end();
	mutex_unlock(&lock);
}
