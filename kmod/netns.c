// SPDX-License-Identifier: GPL-2.0
/*
 * The runs of a network namespace, and the external events that end them: loss
 * of the owner, a device, a CPU, the namespace or the module.
 *
 * Locks, outermost first: RTNL or cpus_read_lock(), a run's lock, all_lock,
 * ktput_netns.lock. No task waits for a run to be done while it holds one of
 * them. The CPU hotplug callback runs with the hotplug lock held, and waits for
 * runs to leave the CPU; to leave, a run takes only its own lock of these.
 */
#include <linux/cpuhotplug.h>
#include <linux/idr.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "netns.h"
#include "quota.h"
#include "run.h"
#include "worker.h"

/**
 * struct ktput_netns - the runs of a network namespace
 * @net: the namespace
 * @node: link in the list of all; all_lock
 * @quota: quota of the runs; constant
 * @lock: protects the members below
 * @runs: runs by their numbers, with a reference each
 * @closed: no run is added any more
 */
struct ktput_netns {
	struct net *net;
	struct list_head node;
	struct ktput_quota *quota;
	struct mutex lock; /* see above */
	struct idr runs;
	bool closed;
};

static unsigned int netns_id;
static LIST_HEAD(all);
static DEFINE_MUTEX(all_lock);
static bool module_goes; /* all_lock */
static int cpu_state;

/* Selects the runs that an event concerns. */
struct match {
	const struct net *net;		/* of this namespace, or of any */
	u32 owner;			/* of this netlink port, or of any */
	u32 device;			/* bound to this device, or to any */
	int cpu;			/* with a worker there, or -1 */
};

static bool matches(const struct ktput_run *run, const struct match *match)
{
	if (match->owner &&
	    (run->owner != match->owner || run->config.detached))
		return false;
	if (match->device && run->config.device != match->device)
		return false;
	/* It has no worker yet; those that it gets are on CPUs that are online. */
	return match->cpu < 0 ||
	       (ktput_run_is_prepared(run) &&
		cpumask_test_cpu(match->cpu, &run->config.cpus));
}

static void forget(struct ktput_netns *netns, struct ktput_run *run)
{
	lockdep_assert_held(&netns->lock);
	if (idr_find(&netns->runs, run->id) != run)
		return;
	idr_remove(&netns->runs, run->id);
	ktput_quota_give(netns->quota, KTPUT_RESOURCE_RUNS, 1);
	ktput_run_put(run);
}

/* Applied to each run that an event concerns. */
typedef void (*visitor)(struct ktput_netns *netns, struct ktput_run *run,
			void *data);

static void visit_netns(struct ktput_netns *netns, const struct match *match,
			visitor visit, void *data)
{
	struct ktput_run *run;
	int id;

	mutex_lock(&netns->lock);
	idr_for_each_entry(&netns->runs, run, id)
		if (matches(run, match))
			visit(netns, run, data);
	mutex_unlock(&netns->lock);
}

/*
 * If a namespace is being created while the module is loaded, its table may be
 * too short for the module's id: net_generic() does not check.
 */
static bool knows(const struct net *net)
{
	bool known;

	rcu_read_lock();
	known = rcu_dereference(net->gen)->s.len > netns_id;
	rcu_read_unlock();
	return known;
}

/*
 * Visits each run that an event concerns, under its namespace's lock. Events of
 * devices and of generic netlink sockets also occur in namespaces without runs,
 * of which there may be thousands. So only the event's own namespace is
 * searched. While a namespace is being created, the creating task causes device
 * events before netns_init().
 */
static void visit_matches(const struct match *match, visitor visit, void *data)
{
	struct ktput_netns *netns;

	if (match->net) {
		netns = knows(match->net) ? ktput_netns_of(match->net) : NULL;
		if (netns && netns->net)
			visit_netns(netns, match, visit, data);
		return;
	}
	mutex_lock(&all_lock);
	list_for_each_entry(netns, &all, node)
		visit_netns(netns, match, visit, data);
	mutex_unlock(&all_lock);
}

static void abort_one(struct ktput_netns *netns, struct ktput_run *run,
		      void *data)
{
	const enum ktput_reason *reason = data;

	run->forget |= *reason == KTPUT_REASON_OWNER;
	/* A run that is in no table would not be waited for. */
	if (!completion_done(&run->done))
		ktput_run_abort(run, *reason);
	else if (run->forget)
		forget(netns, run);
}

/* Aborts the runs that an event concerns. */
static void abort_runs(const struct match *match, enum ktput_reason reason)
{
	visit_matches(match, abort_one, &reason);
}

/* Returns the completion of a run to wait for, by the source of an event. */
static struct completion *end_for(struct ktput_run *run,
				  const struct match *match)
{
	return match->cpu < 0 ? &run->done : &run->left;
}

/* The first run that has not yet ended for an event. */
struct unfinished {
	const struct match *match;
	struct ktput_run *run;
};

static void take_unfinished(struct ktput_netns *netns, struct ktput_run *run,
			    void *data)
{
	struct unfinished *found = data;

	if (found->run || completion_done(end_for(run, found->match)))
		return;
	kref_get(&run->ref);
	found->run = run;
}

static struct ktput_run *find_unfinished(const struct match *match)
{
	struct unfinished found = { .match = match };

	visit_matches(match, take_unfinished, &found);
	return found.run;
}

static void wait_for_runs(const struct match *match)
{
	struct ktput_run *run;

	while ((run = find_unfinished(match))) {
		wait_for_completion(end_for(run, match));
		ktput_run_put(run);
	}
}

/**
 * ktput_netns_of() - the module's state of a namespace
 * @net: namespace
 *
 * Return: the module's state, valid as long as @net.
 */
struct ktput_netns *ktput_netns_of(const struct net *net)
{
	return net_generic(net, netns_id);
}

/**
 * ktput_netns_net() - the namespace itself
 * @netns: the module's part
 *
 * Return: the namespace.
 */
struct net *ktput_netns_net(const struct ktput_netns *netns)
{
	return netns->net;
}

/**
 * ktput_netns_quota() - quota of the runs of a namespace
 * @netns: the module's part
 *
 * Return: the quota, valid as long as the namespace.
 */
struct ktput_quota *ktput_netns_quota(const struct ktput_netns *netns)
{
	return netns->quota;
}

/*
 * If the device went before the run was in the table, no event has ended the
 * run.
 */
static void look_at_device(struct ktput_netns *netns, struct ktput_run *run)
{
	struct net_device *dev;

	if (!run->config.device)
		return;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(netns->net, run->config.device);
	if (!dev)
		ktput_run_abort(run, KTPUT_REASON_DEVICE_REMOVED);
	else if (!(dev->flags & IFF_UP))
		ktput_run_abort(run, KTPUT_REASON_DEVICE_DOWN);
	rcu_read_unlock();
}

/**
 * ktput_netns_add() - publish a run
 * @netns: namespace
 * @run: run, ready to begin; gets its number and two more references: one of
 *	the table and one of the end work
 * @extack: gets the reason of a refusal
 *
 * Return: 0; -ENODEV if the namespace or the module is going away; -EBUSY if
 * there are too many runs; -ENOMEM.
 */
int ktput_netns_add(struct ktput_netns *netns, struct ktput_run *run,
		    struct netlink_ext_ack *extack)
{
	int id;

	mutex_lock(&netns->lock);
	if (netns->closed) {
		NL_SET_ERR_MSG(extack, "the module is being removed");
		id = -ENODEV;
	} else {
		id = ktput_quota_take(netns->quota, KTPUT_RESOURCE_RUNS, 1,
				      extack);
	}
	if (!id) {
		run->id = 0;
		id = idr_alloc_cyclic(&netns->runs, run, 1, 0, GFP_KERNEL);
		if (id < 0)
			ktput_quota_give(netns->quota, KTPUT_RESOURCE_RUNS, 1);
	}
	if (id > 0) {
		run->id = id;
		kref_get(&run->ref);
		kref_get(&run->ref);
		look_at_device(netns, run);
	}
	mutex_unlock(&netns->lock);
	return min(id, 0);
}

static struct ktput_run *find(struct ktput_netns *netns, u32 id)
{
	lockdep_assert_held(&netns->lock);
	return id > INT_MAX ? NULL : idr_find(&netns->runs, id);
}

/**
 * ktput_netns_find() - a run by its number
 * @netns: namespace
 * @id: number
 *
 * Return: the run with a reference for the caller, or NULL.
 */
struct ktput_run *ktput_netns_find(struct ktput_netns *netns, u32 id)
{
	struct ktput_run *run;

	mutex_lock(&netns->lock);
	run = find(netns, id);
	if (run)
		kref_get(&run->ref);
	mutex_unlock(&netns->lock);
	return run;
}

/**
 * ktput_netns_next() - the first run whose number is not below another
 * @netns: namespace
 * @from: number
 *
 * Return: the run with a reference for the caller, or NULL.
 */
struct ktput_run *ktput_netns_next(struct ktput_netns *netns, u32 from)
{
	struct ktput_run *run;
	int id = from;

	mutex_lock(&netns->lock);
	run = from > INT_MAX ? NULL : idr_get_next(&netns->runs, &id);
	if (run)
		kref_get(&run->ref);
	mutex_unlock(&netns->lock);
	return run;
}

/**
 * ktput_netns_delete() - stop a run and remove it from the table
 * @netns: namespace
 * @id: number
 *
 * Does not wait for a run that has not ended: it is removed at its end.
 *
 * Return: 0, or -ENOENT if there is none.
 */
int ktput_netns_delete(struct ktput_netns *netns, u32 id)
{
	enum ktput_reason reason = KTPUT_REASON_STOPPED;
	struct ktput_run *run;

	mutex_lock(&netns->lock);
	run = find(netns, id);
	if (run) {
		run->forget = true;
		abort_one(netns, run, &reason);
	}
	mutex_unlock(&netns->lock);
	return run ? 0 : -ENOENT;
}

/**
 * ktput_netns_run_done() - complete a run that no longer uses its namespace
 * @netns: namespace, which may be gone when this returns
 * @run: run that has ended
 *
 * Completes &ktput_run.done. A task that waits for it, in order to free the
 * namespace, then takes all_lock. So it cannot free the lock that is released
 * here.
 */
void ktput_netns_run_done(struct ktput_netns *netns, struct ktput_run *run)
{
	mutex_lock(&all_lock);
	mutex_lock(&netns->lock);
	complete_all(&run->done);
	if (run->forget)
		forget(netns, run);
	mutex_unlock(&netns->lock);
	mutex_unlock(&all_lock);
}

static int netlink_event(struct notifier_block *nb, unsigned long event,
			 void *data)
{
	const struct netlink_notify *notify = data;
	struct match match = { .net = notify->net, .owner = notify->portid,
			       .cpu = -1 };

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC)
		abort_runs(&match, KTPUT_REASON_OWNER);
	return NOTIFY_DONE;
}

static struct notifier_block netlink_notifier = {
	.notifier_call = netlink_event,
};

static int device_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	const struct net_device *dev = netdev_notifier_info_to_dev(data);
	struct match match = { .net = dev_net(dev), .device = dev->ifindex,
			       .cpu = -1 };

	/*
	 * A device that is being removed is taken down first, and is on a list
	 * of devices to be removed by then. A device that is being moved cannot
	 * be recognised before NETDEV_UNREGISTER; the end of a run waits for
	 * that event, within bounds. NETDEV_DOWN covers a run that looked at
	 * the device before NETDEV_GOING_DOWN and was added to the table after
	 * it.
	 */
	if (event == NETDEV_GOING_DOWN || event == NETDEV_DOWN)
		abort_runs(&match, list_empty(&dev->unreg_list) ?
				   KTPUT_REASON_DEVICE_DOWN :
				   KTPUT_REASON_DEVICE_REMOVED);
	else if (event == NETDEV_UNREGISTER)
		abort_runs(&match, KTPUT_REASON_DEVICE_REMOVED);
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

static int cpu_goes_down(unsigned int cpu)
{
	struct match match = { .cpu = cpu };

	abort_runs(&match, KTPUT_REASON_CPU);
	wait_for_runs(&match);
	return 0;
}

static void close_netns(struct ktput_netns *netns)
{
	mutex_lock(&netns->lock);
	netns->closed = true;
	mutex_unlock(&netns->lock);
}

static int __net_init netns_init(struct net *net)
{
	struct ktput_netns *netns = ktput_netns_of(net);

	netns->quota = ktput_quota_create(net);
	if (!netns->quota)
		return -ENOMEM;
	netns->net = net;
	mutex_init(&netns->lock);
	idr_init(&netns->runs);
	mutex_lock(&all_lock);
	netns->closed = module_goes;
	list_add_tail(&netns->node, &all);
	mutex_unlock(&all_lock);
	return 0;
}

/*
 * Runs before the namespace's devices and sockets go. No netlink socket is left
 * in the namespace, so no run is started or read.
 */
static void __net_exit netns_exit(struct net *net)
{
	struct ktput_netns *netns = ktput_netns_of(net);
	struct match match = { .net = net, .cpu = -1 };
	struct ktput_run *run;
	int id;

	close_netns(netns);
	abort_runs(&match, KTPUT_REASON_NETNS);
	wait_for_runs(&match);

	mutex_lock(&all_lock);
	list_del(&netns->node);
	mutex_unlock(&all_lock);
	mutex_lock(&netns->lock);
	idr_for_each_entry(&netns->runs, run, id)
		forget(netns, run);
	mutex_unlock(&netns->lock);
	idr_destroy(&netns->runs);
	ktput_quota_put(netns->quota);
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
	.id = &netns_id,
	.size = sizeof(struct ktput_netns),
};

/**
 * ktput_netns_init() - register for namespaces and for events
 *
 * Return: 0 or a negative errno.
 */
int __init ktput_netns_init(void)
{
	int error;

	/*
	 * Pernet device operations exit before pernet subsystems, and in
	 * reverse order: so this one exits while loopback still exists.
	 */
	error = register_pernet_device(&netns_ops);
	if (error)
		return error;
	error = netlink_register_notifier(&netlink_notifier);
	if (error)
		goto pernet;
	error = register_netdevice_notifier(&device_notifier);
	if (error)
		goto netlink;
	cpu_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "net/ktput:online", NULL,
					      cpu_goes_down);
	if (cpu_state >= 0)
		return 0;
	error = cpu_state;
	unregister_netdevice_notifier(&device_notifier);
netlink:
	netlink_unregister_notifier(&netlink_notifier);
pernet:
	unregister_pernet_device(&netns_ops);
	return error;
}

/**
 * ktput_netns_close() - end all runs for module removal
 *
 * No run is added any more. Sleeps until all have ended and notified their
 * listeners.
 */
void ktput_netns_close(void)
{
	static const struct match any = { .cpu = -1 };
	struct ktput_netns *netns;

	mutex_lock(&all_lock);
	module_goes = true;
	list_for_each_entry(netns, &all, node)
		close_netns(netns);
	mutex_unlock(&all_lock);
	abort_runs(&any, KTPUT_REASON_MODULE);
	wait_for_runs(&any);
}

/**
 * ktput_netns_exit() - undo ktput_netns_init()
 */
void ktput_netns_exit(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
	unregister_netdevice_notifier(&device_notifier);
	netlink_unregister_notifier(&netlink_notifier);
	unregister_pernet_device(&netns_ops);
}
