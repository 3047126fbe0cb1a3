/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a transport does at a layer, in a role.
 */
#ifndef KTPUT_OPS_H
#define KTPUT_OPS_H

#include <linux/types.h>

#include "thread.h"

struct ktput_run;
struct ktput_stream;
struct ktput_stream_reading;
struct netlink_ext_ack;
struct sk_buff;
struct socket;

/**
 * struct ktput_ops - what a transport does at a layer, in a role
 * @workerless: all happens in softirq, on whichever CPU; the run has no CPUs
 * @closes_late: sockets of streams that have ended by themselves are closed by the
 *	end work, since @close may take cpus_read_lock(), for which no worker may wait
 * @prepare: makes what the run needs, its streams among it, before the run is
 *	published; in the context of the request, sleeps, but waits for no peer, and
 *	returns -EINTR for a signal. What it has made when it fails is released by
 *	@close and @end.
 * @connect: has the streams connect in turns, under the run's lock; they begin
 *	once all are connected. NULL where they need not.
 * @begin: has the streams, or the listener, begin; under the run's lock. May be
 *	NULL.
 * @end: lets go of what is no stream's, once the workers are stopped; nothing
 *	of it may be found by a new callback thereafter. May be NULL.
 * @free: frees what @end has left for callbacks to finish with, after a grace
 *	period. May be NULL.
 * @attach: has a stream be made ready by its socket; the turn's worker is set
 * @drain: a stream sends no more; called by its worker
 * @look: keeps what is wanted to be known of the socket, in the stream; called
 *	by its worker between turns, under the run's lock. May be NULL.
 * @leave: undoes @attach; called by the stream's worker, or when it is stopped
 * @close: closes a socket that its stream has left
 * @read: adds to a reading what streams of this kind have of their own; under the
 *	run's lock
 * @put: puts that into a message; returns 0 or -EMSGSIZE
 * @take: a turn of a stream of ping-pong; NULL for others
 *
 * Streams without sockets have no @attach, @look, @leave and @close. A NULL @drain
 * means that a stream which sends no more has ended.
 */
struct ktput_ops {
	bool workerless;
	bool closes_late;
	int (*prepare)(struct ktput_run *run, struct netlink_ext_ack *extack);
	void (*connect)(struct ktput_run *run);
	void (*begin)(struct ktput_run *run);
	void (*end)(struct ktput_run *run);
	void (*free)(struct ktput_run *run);
	void (*attach)(struct ktput_stream *stream);
	void (*drain)(struct ktput_stream *stream);
	void (*look)(struct ktput_stream *stream);
	void (*leave)(struct ktput_stream *stream);
	void (*close)(struct socket *sock);
	void (*read)(struct ktput_stream_reading *to,
		     struct ktput_stream *stream);
	int (*put)(struct sk_buff *skb,
		   const struct ktput_stream_reading *stream);
	enum ktput_verdict (*take)(struct ktput_turn *turn,
				   struct ktput_counters *delta);
};

#endif /* KTPUT_OPS_H */
