/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams in a snapshot: the operations of all streams of datagrams.
 */
#ifndef KTPUT_DATAGRAM_SNAPSHOT_H
#define KTPUT_DATAGRAM_SNAPSHOT_H

#include <linux/types.h>

struct ktput_arrivals;
struct ktput_run;
struct ktput_stream_reading;
struct sk_buff;

void ktput_datagram_read(struct ktput_stream_reading *to,
			 const struct ktput_run *run,
			 struct ktput_arrivals *arrivals);
int ktput_datagram_put_source(struct sk_buff *skb,
			      const struct ktput_stream_reading *stream);
int ktput_datagram_put_sink(struct sk_buff *skb,
			    const struct ktput_stream_reading *stream);
int ktput_datagram_put_peer(struct sk_buff *skb, const struct ktput_run *run,
			    unsigned long index, unsigned int *places);

#endif /* KTPUT_DATAGRAM_SNAPSHOT_H */
