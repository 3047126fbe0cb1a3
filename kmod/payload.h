/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload: what sources send, and where sinks that copy put it.
 */
#ifndef KTPUT_PAYLOAD_H
#define KTPUT_PAYLOAD_H

#include <linux/types.h>

struct page;

/**
 * struct ktput_payload - pages with a constant pattern
 * @pages: a compound page that is read alone, for sources
 * @buffer: as many bytes with the same pattern, to be written by sinks that
 *	copy, and by sources of datagrams
 * @size: bytes of each, a power of two
 * @order: order of both
 * @headers: a page for headers that frames refer to, or NULL
 * @header_offset: where in @headers no frame refers to yet
 */
struct ktput_payload {
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
