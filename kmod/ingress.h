/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sinks at the netfilter ingress hook of a device.
 */
#ifndef KTPUT_INGRESS_H
#define KTPUT_INGRESS_H

#include <linux/compiler.h>
#include <linux/netfilter.h>

#include "contexts.h"

struct ktput_ingress;
struct ktput_run;
struct ktput_stream;
struct netlink_ext_ack;
struct sk_buff;

extern const struct ktput_ops ktput_ingress_ops;

struct ktput_stream *ktput_ingress_find(const struct ktput_ingress *ingress,
					const struct sk_buff *skb, int *offset);

/**
 * ktput_ingress_called() - body of the function that netfilter calls
 * @ingress: hook
 * @skb: frame; bottom halves are disabled, and the RCU read lock is held
 * @take: handles a frame, given the offset of its UDP header and the cycle counter
 *	at the call: NF_STOLEN for a frame of the run, which it frees or sends;
 *	NF_ACCEPT for any other
 *
 * Inline with @take known, so that netfilter's call is the only indirect one.
 *
 * Return: the verdict for netfilter.
 */
static __always_inline
unsigned int ktput_ingress_called(const struct ktput_ingress *ingress,
				  struct sk_buff *skb,
				  unsigned int (*take)(struct ktput_stream *,
						       struct sk_buff *, int,
						       u64))
{
	const struct ktput_call call = ktput_contexts_begin_call();
	unsigned int verdict = NF_ACCEPT;
	struct ktput_stream *stream;
	int offset;

	stream = ktput_ingress_find(ingress, skb, &offset);
	if (stream)
		verdict = take(stream, skb, offset, call.begin);
	ktput_contexts_end_call(call);
	return verdict;
}

int ktput_ingress_prepare(struct ktput_run *run, nf_hookfn called,
			  struct netlink_ext_ack *extack);
void ktput_ingress_end(struct ktput_run *run);
void ktput_ingress_free(struct ktput_run *run);
int ktput_ingress_init(void);
void ktput_ingress_exit(void);

#endif /* KTPUT_INGRESS_H */
