/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations of a transport at a layer, in a role.
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

/**
 * struct ktput_ops - operations of a transport at a layer, in a role
 * @stream_size: bytes of a stream: of the transport's structure, whose first
 *	member is &struct ktput_stream
 * @workerless: all work is done in softirq, on any CPU; the run has no CPUs
 * @closes_late: the end work closes sockets of streams that have ended by
 *	themselves, since @close may take cpus_read_lock(), for which no worker
 *	may wait
 * @prepare: creates what the run needs, including its streams, in steps: at
 *	most KTPUT_MAX_PREPARE_STEP sockets in a call, of which &ktput_run.preparation
 *	keeps the place. Called before the run is published, and then, while it
 *	is being prepared, under its @prepare_lock. Runs in the context of a
 *	request, may sleep, but waits for no peer. Returns 0 if all is created,
 *	1 if it is to be called again. After a failure @close and @end release
 *	what it has created.
 * @connect: makes the streams connect in turns, under the run's lock; they
 *	begin once all are connected. NULL if they need not connect.
 * @begin: starts the streams or the listener, under the run's lock. May be
 *	NULL.
 * @end: releases what belongs to no stream, once the workers are stopped; no
 *	new callback may find any of it thereafter. May be NULL.
 * @free: frees, after a grace period, what callbacks may still use after @end.
 *	May be NULL.
 * @attach: makes the socket's callbacks make the stream ready; the turn's
 *	worker is set
 * @shut_down: tells the peer that nothing follows; called by the worker of a
 *	stream that has stopped sending. May be NULL.
 * @drained: ends a stream that has stopped sending, once all that it sent has
 *	left; called in its turns. NULL for streams that never drain.
 * @look: copies the socket's state that readers want to the stream; called by
 *	its worker between turns, under the run's lock. May be NULL.
 * @leave: undoes @attach, if there is a socket, and stops sending; called by
 *	the stream's worker, or once it is stopped. May be NULL.
 * @retire: looks a last time, and takes the socket from readers, after @leave
 *	and under the run's lock; it is left for @close. May be NULL.
 * @close: closes what @retire has left, if anything. May be NULL.
 * @read: adds the state specific to this kind of stream to a reading, under the
 *	run's lock. May be NULL.
 * @put: writes that state to a message; returns 0 or -EMSGSIZE
 * @take: a turn: connects, sends or receives, and drains, see
 *	ktput_stream_wind_up(). NULL if @prepare chooses one, or there are none.
 *
 * Streams without sockets have no @attach, @look, @retire and @close.
 */
struct ktput_ops {
	size_t stream_size;
	bool workerless;
	bool closes_late;
	int (*prepare)(struct ktput_run *run, struct netlink_ext_ack *extack);
	void (*connect)(struct ktput_run *run);
	void (*begin)(struct ktput_run *run);
	void (*end)(struct ktput_run *run);
	void (*free)(struct ktput_run *run);
	void (*attach)(struct ktput_stream *stream);
	void (*shut_down)(struct ktput_stream *stream);
	enum ktput_verdict (*drained)(struct ktput_stream *stream);
	void (*look)(struct ktput_stream *stream);
	void (*leave)(struct ktput_stream *stream);
	void (*retire)(struct ktput_stream *stream);
	void (*close)(struct ktput_stream *stream);
	void (*read)(struct ktput_stream_reading *to,
		     struct ktput_stream *stream);
	int (*put)(struct sk_buff *skb,
		   const struct ktput_stream_reading *stream);
	enum ktput_verdict (*take)(struct ktput_turn *turn,
				   struct ktput_counters *delta);
};

#endif /* KTPUT_OPS_H */
