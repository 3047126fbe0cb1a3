// SPDX-License-Identifier: GPL-2.0
/*
 * ktput: traffic streams generated and consumed in the kernel.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "accounting.h"
#include "contexts.h"
#include "genl-gen.h"
#include "ingress.h"
#include "netns.h"
#include "pages.h"
#include "run.h"
#include "version.h"

static int __init ktput_init(void)
{
	int error;

	ktput_contexts_init();
	error = ktput_run_init();
	if (error)
		return error;
	error = ktput_ingress_init();
	if (error)
		goto run;
	error = ktput_netns_init();
	if (error)
		goto ingress;
	/* Last, since commands may arrive as soon as the family is registered. */
	error = genl_register_family(&ktput_nl_family);
	if (error)
		goto netns;
	return 0;

netns:
	ktput_netns_exit();
ingress:
	ktput_ingress_exit();
run:
	ktput_run_exit();
	return error;
}

static void __exit ktput_exit(void)
{
	/* Called while the family can still notify that they have ended. */
	ktput_netns_close();
	genl_unregister_family(&ktput_nl_family);
	ktput_netns_exit();
	ktput_ingress_exit();
	ktput_run_exit();
	ktput_pages_exit();
	/* The last run has released its use of them. */
	ktput_accounting_exit();
	ktput_contexts_exit();
	/*
	 * A task that frees a socket's frame calls the socket's callback
	 * outside any RCU read-side critical section. It may be preempted on
	 * the way into the module, or out of it.
	 */
	synchronize_rcu_tasks();
}

module_init(ktput_init);
module_exit(ktput_exit);

MODULE_AUTHOR("The ktput maintainers");
MODULE_DESCRIPTION("Generates and sinks TCP and UDP streams inside the kernel");
MODULE_VERSION(KTPUT_VERSION);
MODULE_LICENSE("GPL");
