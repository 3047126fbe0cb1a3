/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that frames refer to: who they are charged to, and until when.
 */
#ifndef KTPUT_PAGES_H
#define KTPUT_PAGES_H

#include <linux/page_ref.h>
#include <linux/types.h>

struct ktput_quota;
struct mem_cgroup;

/**
 * ktput_pages_returned() - whether no frame refers to a page
 * @page: page with a reference of the caller's, whose frames had no other source
 *
 * Once the caller has the only reference, nobody else can take another. The CPU
 * that dropped the last one had finished with the page (dropping implies a full
 * barrier), and writes to the page depend on this read.
 *
 * Return: true if the caller's reference is the only one.
 */
static inline bool ktput_pages_returned(const struct page *page)
{
	return page_ref_count(page) == 1;
}

struct page *ktput_pages_alloc(struct mem_cgroup *memcg, int node,
			       unsigned int order, gfp_t gfp);
void ktput_pages_release(struct page *page, struct ktput_quota *quota);
void ktput_pages_leave(struct page *page, struct ktput_quota *quota);
void ktput_pages_exit(void);

#endif /* KTPUT_PAGES_H */
