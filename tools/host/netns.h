/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netns: work in another network namespace, and return.
 *
 * A socket stays in the network namespace where it was created. So a visit is
 * needed only to create it.
 */
#ifndef KTPUT_TOOLS_NETNS_H
#define KTPUT_TOOLS_NETNS_H

#include "../base/units.h"

/**
 * struct netns_visit - state for the return
 * @home: original namespace, -1 if the thread did not leave
 */
struct netns_visit {
	int home;
};

int netns_enter(struct netns_visit *visit, const char *name,
		struct units_error *err);
void netns_leave(struct netns_visit *visit);

#endif
