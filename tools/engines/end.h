/* SPDX-License-Identifier: GPL-2.0 */
/*
 * end: one end of a session, whatever engine runs it.
 */
#ifndef KTPUT_ENGINES_END_H
#define KTPUT_ENGINES_END_H

#include "../host/device.h"
#include "../host/device_counters.h"
#include "../host/tcp_memory.h"
#include "../module/client.h"
#include "backend.h"
#include "engine_run.h"
#include "user/user_engine.h"
#include "xdp_run.h"

/**
 * struct session_end - one end
 * @present: the session has it
 * @netns: its network namespace as netns_enter() takes it, or NULL
 * @backend: what runs it, NULL before session_open()
 * @client: the module there, open where @backend is backend_module
 * @config: what is asked for; once it is started, what is in effect
 * @xdp: a sink at the driver, where @backend is backend_xdp
 * @user: the run in user space, where @backend is backend_user
 * @engine: the process, where @backend is backend_engine
 * @run: the run as it was last seen
 * @begin: snapshot before payload was counted for the result: at the start, or
 *	when the warm-up was over
 * @last: latest snapshot; in the report the one after the end
 * @device: number of the device that its packets pass, or 0 where not known
 * @device_name: its name, or what stands for it
 * @device_certain: they can pass no other
 * @device_begin: counters of @device before the start
 * @device_last: counters of @device after the end
 * @tcp_memory_begin: what TCP told of its memory before the start
 * @tcp_memory_last: what it told after the end
 */
struct session_end {
	bool present;
	const char *netns;
	const struct backend *backend;
	struct client client;
	struct config config;
	struct xdp_run xdp;
	struct user_engine *user;
	struct engine_run *engine;
	struct client_run run;
	struct client_snapshot begin;
	struct client_snapshot last;
	uint32_t device;
	char device_name[DEVICE_NAME_MAX];
	bool device_certain;
	struct device_counters device_begin;
	struct device_counters device_last;
	struct tcp_memory tcp_memory_begin;
	struct tcp_memory tcp_memory_last;
};

#endif
