/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backend: the implementation that runs an end of a session.
 *
 * A backend keeps its state in struct session_end. It updates the members common to
 * all ends: run, and config as in effect.
 */
#ifndef KTPUT_CTL_BACKEND_H
#define KTPUT_CTL_BACKEND_H

#include "../module/client.h"
#include "../base/output.h"

struct session_end;

/**
 * struct backend_clock - the clock behind the cycles of a snapshot
 * @module_version: version of the module, empty if it does not run the end
 * @name: name of the clock in records
 * @hz: its frequency, 0 if unknown
 */
struct backend_clock {
	char module_version[32];
	char name[32];
	uint64_t hz;
};

/**
 * struct backend - operations on an end
 * @open: prepare for a start; -ENOENT if the module is not loaded. NULL for nothing
 * @start: start the run and set @run. @peer is the other end of the session, and
 *	@detail makes libraries print more, as text
 * @watch: read what nobody tells after the end, again and again; NULL for nothing
 * @snapshot: read the counters, and of enum ktput_part at least those that are asked
 *	for; release with client_snapshot_free()
 * @refresh: update its run and configuration
 * @stop: tell the run to end; it may take time to drain
 * @fd: descriptor that becomes readable when a refresh is due, or -1
 * @take_events: read from @fd; true if a refresh is due. NULL if a refresh reads all
 * @close: end the run unless it is detached, and release everything
 * @clock: the clock of its cycles; false if unknown
 * @describe: print which run it is
 * @record: add data of this backend alone to the record, or NULL
 * @read_host: read the counters of another host after the end, NULL for this host
 *
 * Those that return int return 0, or a negative number with a message.
 */
struct backend {
	int (*open)(struct session_end *end, struct units_error *err);
	int (*start)(struct session_end *end, const struct session_end *peer,
		     bool detail, struct units_error *err);
	void (*watch)(struct session_end *end);
	int (*snapshot)(struct session_end *end, uint32_t parts,
			struct client_snapshot *snapshot,
			struct units_error *err);
	int (*refresh)(struct session_end *end, struct units_error *err);
	int (*stop)(struct session_end *end, struct units_error *err);
	int (*fd)(const struct session_end *end);
	bool (*take_events)(struct session_end *end);
	void (*close)(struct session_end *end, bool delete_run);
	bool (*clock)(struct session_end *end, struct backend_clock *clock);
	void (*describe)(const struct session_end *end, struct output *out);
	void (*record)(const struct session_end *end, struct output *out);
	int (*read_host)(struct session_end *end, struct units_error *err);
};

extern const struct backend backend_module;
extern const struct backend backend_xdp;
extern const struct backend backend_user;
extern const struct backend backend_engine;

const struct backend *backend_of(const struct config *config);
bool backend_is_due(struct session_end *end);
bool backend_user_clock(struct session_end *end, struct backend_clock *clock);
void backend_user_record(const struct session_end *end, struct output *out);

#endif
