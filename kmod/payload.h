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
 * @buffer: as many bytes to be written, for sinks that copy
 * @size: bytes of each, a power of two
 * @order: order of both
 */
struct ktput_payload {
	struct page *pages;
	void *buffer;
	u32 size;
	unsigned int order;
};

int ktput_payload_create(struct ktput_payload *payload, int node);
void ktput_payload_destroy(struct ktput_payload *payload);

#endif /* KTPUT_PAYLOAD_H */
