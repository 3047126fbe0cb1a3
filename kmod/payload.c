// SPDX-License-Identifier: GPL-2.0
/*
 * Payload: the data that sources send, and the buffer of sinks that copy.
 *
 * Each worker has its own, and so does each CPU: every frame that carries a
 * page takes a reference on it, and a count shared by CPUs would bounce.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "pages.h"
#include "payload.h"

/**
 * ktput_payload_create() - allocate payload
 * @payload: filled in, but for its quota and memory cgroup, which are set
 * @node: NUMA node to allocate on
 * @least: bytes needed, up to 128 KiB
 *
 * Allocates 128 KiB if memory is not too fragmented, less otherwise. A message
 * is sent in one call only as far as the payload reaches.
 *
 * Return: 0 or -ENOMEM.
 */
int ktput_payload_create(struct ktput_payload *payload, int node, u32 least)
{
	const unsigned int last = get_order(least);
	unsigned int order;
	u32 i;

	for (order = get_order(SZ_128K);; order--) {
		const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_COMP |
				  __GFP_NOWARN |
				  (order > last ? __GFP_NORETRY : 0);
		struct page *buffer;

		payload->pages = alloc_pages_node(node, gfp, order);
		buffer = alloc_pages_node(node, gfp, order);
		if (payload->pages && buffer) {
			payload->buffer = page_address(buffer);
			break;
		}
		if (payload->pages)
			__free_pages(payload->pages, order);
		if (buffer)
			__free_pages(buffer, order);
		if (order == last)
			return -ENOMEM;
	}
	payload->order = order;
	payload->size = PAGE_SIZE << order;
	for (i = 0; i < payload->size; i++)
		((u8 *)page_address(payload->pages))[i] = i;
	memcpy(payload->buffer, page_address(payload->pages), payload->size);
	return 0;
}

/**
 * ktput_payload_room() - ensure room for headers that frames will refer to
 * @payload: payload; softirqs may be disabled
 * @length: bytes, at most PAGE_SIZE
 *
 * Frames keep references to a full page.
 *
 * Return: false without memory.
 */
bool ktput_payload_room(struct ktput_payload *payload, u32 length)
{
	struct page *page;

	if (payload->headers && payload->header_offset + length <= PAGE_SIZE)
		return true;
	page = ktput_pages_alloc(payload->memcg, numa_node_id(), 0, GFP_NOWAIT);
	if (!page)
		return false;
	if (payload->headers)
		put_page(payload->headers);
	payload->headers = page;
	payload->header_offset = 0;
	return true;
}

/**
 * ktput_payload_destroy() - release payload
 * @payload: payload
 *
 * Pages that frames still refer to are freed with the last of them, and charged
 * to the quota until then.
 */
void ktput_payload_destroy(struct ktput_payload *payload)
{
	ktput_pages_leave(payload->pages, payload->quota);
	free_pages((unsigned long)payload->buffer, payload->order);
	if (payload->headers)
		ktput_pages_leave(payload->headers, payload->quota);
}
