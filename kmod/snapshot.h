/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A snapshot: a run's counters on all CPUs at one instant.
 */
#ifndef KTPUT_SNAPSHOT_H
#define KTPUT_SNAPSHOT_H

#include <linux/ktput.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/types.h>

#include "counters.h"
#include "datagram.h"

struct ktput_run;
struct ktput_snapshot;
struct netlink_ext_ack;
struct sk_buff;

/**
 * struct ktput_stream_reading - a stream in a snapshot
 * @id: number in the run
 * @cpu: CPU that serves it
 * @state: state of the stream
 * @error: errno, positive, that ended it
 * @copied: of a stream with a socket, see &struct ktput_socket
 * @unreturned: of a source of frames, see &struct ktput_frame_source
 * @recycled: likewise, see &struct ktput_frame_pool
 * @local: address of this side
 * @remote: address of the peer
 * @first_cycles: see &struct ktput_tally
 * @last_cycles: see &struct ktput_tally
 * @counters: of the stream
 * @tcp_info: TCP_INFO, of a stream of TCP
 * @arrivals: of a sink of datagrams
 * @refusals: of a source of datagrams, see &struct ktput_udp_stream
 * @failures: as @refusals
 * @failure: as @refusals
 * @drops: datagrams that the socket of a sink dropped
 */
struct ktput_stream_reading {
	u32 id;
	u32 cpu;
	enum ktput_state state;
	int error;
	bool copied;
	u32 unreturned;
	bool recycled;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	u64 first_cycles;
	u64 last_cycles;
	struct ktput_counters counters;
	struct tcp_info tcp_info;
	struct ktput_arrivals arrivals;
	u64 refusals;
	u64 failures;
	u32 failure;
	u64 drops;
};

struct ktput_snapshot *ktput_snapshot_take(struct ktput_run *run, u32 parts,
					   bool permitted,
					   struct netlink_ext_ack *extack);
void ktput_snapshot_free(struct ktput_snapshot *snapshot);
int ktput_snapshot_put(struct sk_buff *skb, struct ktput_snapshot *snapshot,
		       unsigned long *at);
int ktput_snapshot_put_run(struct sk_buff *skb, struct ktput_run *run);

#endif /* KTPUT_SNAPSHOT_H */
