/* SPDX-License-Identifier: GPL-2.0 */
/*
 * netns: do something in another network namespace, and come back.
 *
 * A socket belongs for ever to the namespace that it was made in. So it is
 * enough to be there while it is made.
 */
#ifndef KTPUT_TOOLS_NETNS_H
#define KTPUT_TOOLS_NETNS_H

#include "../base/units.h"

/**
 * struct netns_visit - the way back
 * @home: namespace that the thread came from, -1 where it never left
 */
struct netns_visit {
	int home;
};

int netns_enter(struct netns_visit *visit, const char *name,
		struct units_error *err);
void netns_leave(struct netns_visit *visit);

#endif
