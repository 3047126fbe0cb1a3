/* SPDX-License-Identifier: GPL-2.0 */
/*
 * end: one end of a session, for any engine.
 */
#ifndef KTPUT_ENGINES_END_H
#define KTPUT_ENGINES_END_H

#include "../host/backlog.h"
#include "../host/clock_offset.h"
#include "../host/device.h"
#include "../host/device_counters.h"
#include "../host/protocols.h"
#include "../host/tcp_memory.h"
#include "../module/client.h"
#include "backend.h"
#include "engine_run.h"
#include "user/user_engine.h"
#include "xdp_run.h"

struct far;

/**
 * struct session_end - one end
 * @present: the session has this end
 * @host: name of its host for ssh, or NULL for this one
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @backend: its backend, NULL before session_open()
 * @client: the module there, open if @backend is backend_module
 * @config: configuration as requested; after the start, as in effect
 * @xdp: an XDP sink, if @backend is backend_xdp
 * @user: the run in user space, if @backend is backend_user
 * @engine: the process, if @backend is backend_engine
 * @far: the connection to @host, if @backend is backend_far
 * @run: latest state of the run
 * @begin: snapshot from which the result counts: at the start, or at the end of
 *	the warm-up
 * @last: latest snapshot; in the report the one after the end
 * @closed: streams of a sink that had ended when its streams were last read
 * @device: index of the device that its packets pass, 0 if unknown
 * @device_name: its name, or a placeholder
 * @device_certain: the packets cannot pass any other device
 * @device_begin: counters of @device before the start
 * @device_last: counters of @device after the end
 * @backlog: queueing discipline of @device, of a source
 * @driver_queue: transmit queues of @device, likewise
 * @tcp_memory_begin: TCP memory state before the start
 * @tcp_memory_last: TCP memory state after the end
 * @protocols_begin: drops of its network namespace's protocols before the start
 * @protocols_last: drops of its network namespace's protocols after the end
 * @clock_begin: clocks of its host before the start
 * @clock_last: clocks of its host after the end
 */
struct session_end {
	bool present;
	const char *host;
	const char *netns;
	const struct backend *backend;
	struct client client;
	struct config config;
	struct xdp_run xdp;
	struct user_engine *user;
	struct engine_run *engine;
	struct far *far;
	struct client_run run;
	struct client_snapshot begin;
	struct client_snapshot last;
	uint64_t closed;
	uint32_t device;
	char device_name[DEVICE_NAME_MAX];
	bool device_certain;
	struct device_counters device_begin;
	struct device_counters device_last;
	struct backlog backlog;
	struct driver_queue driver_queue;
	struct tcp_memory tcp_memory_begin;
	struct tcp_memory tcp_memory_last;
	struct protocols protocols_begin;
	struct protocols protocols_last;
	struct clock_offset clock_begin;
	struct clock_offset clock_last;
};

#endif
