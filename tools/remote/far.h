/* SPDX-License-Identifier: GPL-2.0 */
/*
 * far: an end of a session on another host.
 *
 * 'ktput-ctl far-end' runs it there, as a child of ssh, and does what this side
 * requests: open, start, snapshot, stop. It ends, and its run with it, when the
 * connection does.
 */
#ifndef KTPUT_REMOTE_FAR_H
#define KTPUT_REMOTE_FAR_H

#include <stdio.h>

#include "../engines/child.h"
#include "../run/start_plan.h"
#include "link.h"

/* Command of the other host. */
#define FAR_COMMAND	"far-end"

/**
 * struct far_clock - the clocks of the other host against those of this one
 * @monotonic_ns: CLOCK_MONOTONIC there less that here
 * @offset_ns: CLOCK_REALTIME there less that here
 * @error_ns: the offset is wrong by no more; nor is @monotonic_ns by half of the
 *	shortest round trip
 * @from: what the offset is from: "ssh", the round trip, or "chrony"
 */
struct far_clock {
	int64_t monotonic_ns;
	int64_t offset_ns;
	uint64_t error_ns;
	const char *from;
};

/**
 * struct far - a connection to another host
 * @host: its name for ssh
 * @child: the process of ssh
 * @said: what ssh and ktput-ctl there write to standard error
 * @to: what is written to the connection
 * @open: far_connect() was called
 * @link: the connection
 * @address: address of the host by which ssh reached it, or its name
 * @own_address: address of this host in that connection, or empty
 * @clock: its clocks
 * @has_module: the module is loaded there
 * @exclusive: no other such run may be there
 * @device: name of the device that the end is bound to, or NULL
 * @environment: what the host tells of itself, or NULL
 * @start: its answer to the start, or NULL
 * @backend_clock: clock of its cycles; its name is empty if unknown
 * @reference: filled in after the end
 */
struct far {
	const char *host;
	struct child child;
	int said;
	FILE *to;
	bool open;
	struct link link;
	char address[64];
	char own_address[64];
	struct far_clock clock;
	bool has_module;
	bool exclusive;
	const char *device;
	struct json_object *environment;
	struct json_object *start;
	struct backend_clock backend_clock;
	struct reference *reference;
};

int far_plan(struct far *far, struct start_plan *plan,
	     struct run_options *options, struct units_error *err);
void far_close(struct far *far);

#endif
