/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that frames refer to: who they are charged to, and until when.
 */
#ifndef KTPUT_PAGES_H
#define KTPUT_PAGES_H

#include <linux/types.h>

struct ktput_quota;
struct mem_cgroup;
struct page;

struct page *ktput_pages_alloc(struct mem_cgroup *memcg, int node,
			       unsigned int order, gfp_t gfp);
bool ktput_pages_returned(const struct page *page);
void ktput_pages_release(struct page *page, struct ktput_quota *quota);
void ktput_pages_leave(struct page *page, struct ktput_quota *quota);
void ktput_pages_exit(void);

#endif /* KTPUT_PAGES_H */
