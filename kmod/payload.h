/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload: the data that sources send, and the buffer of sinks that copy.
 */
#ifndef KTPUT_PAYLOAD_H
#define KTPUT_PAYLOAD_H

#include <linux/types.h>

struct ktput_quota;
struct mem_cgroup;
struct page;

/**
 * struct ktput_payload - pages with a constant pattern
 * @quota: charged for pages that frames still refer to when it is destroyed;
 *	outlives it
 * @memcg: charged for @headers, or NULL; outlives it
 * @pages: a compound page that is only read, for sources
 * @buffer: as many bytes with the same pattern, written by sinks that copy, and
 *	by sources of datagrams
 * @size: bytes of each, a power of two
 * @order: order of both
 * @headers: a page for headers that frames refer to, or NULL
 * @header_offset: offset in @headers from which no frame refers to it yet
 */
struct ktput_payload {
	struct ktput_quota *quota;
	struct mem_cgroup *memcg;
	struct page *pages;
	void *buffer;
	u32 size;
	unsigned int order;
	struct page *headers;
	u32 header_offset;
};

int ktput_payload_create(struct ktput_payload *payload, int node, u32 least);
bool ktput_payload_room(struct ktput_payload *payload, u32 length);
void ktput_payload_destroy(struct ktput_payload *payload);

#endif /* KTPUT_PAYLOAD_H */
