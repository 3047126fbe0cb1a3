/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backend: what runs an end of a session.
 *
 * A backend keeps what it needs in struct session_end, and brings the members
 * there up to date that every end has: run, and config as it is in effect.
 */
#ifndef KTPUT_CTL_BACKEND_H
#define KTPUT_CTL_BACKEND_H

#include "../module/client.h"
#include "../base/output.h"

struct session_end;

/**
 * struct backend_clock - the clock of what a snapshot calls cycles
 * @module_version: of the module, empty where it has no part in the end
 * @name: what a record calls the clock
 * @hz: its frequency, 0 where not known
 */
struct backend_clock {
	char module_version[32];
	char name[32];
	uint64_t hz;
};

/**
 * struct backend - operations on an end
 * @open: make ready for a start; -ENOENT where the module is not loaded
 * @start: start the run; sets its run. @peer is the other end of the session, and
 *	@detail has libraries say more, as text
 * @snapshot: look at the counters; for client_snapshot_free()
 * @refresh: bring its run and configuration up to date
 * @stop: tell the run to end; it may take its time to drain
 * @fd: what becomes readable when the run is to be refreshed, or -1
 * @take_events: read what made @fd readable; true where it calls for a refresh
 * @close: end the run if it is to be forgotten, and let go of all
 * @clock: the clock of its cycles; false where that cannot be told
 * @describe: print which run it is
 * @record: add to the record what only this backend has, or NULL
 *
 * Those that return int return 0, or a negative number with a sentence.
 */
struct backend {
	int (*open)(struct session_end *end, struct units_error *err);
	int (*start)(struct session_end *end, const struct session_end *peer,
		     bool detail, struct units_error *err);
	int (*snapshot)(struct session_end *end,
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
};

extern const struct backend backend_module;
extern const struct backend backend_xdp;
extern const struct backend backend_user;
extern const struct backend backend_engine;

const struct backend *backend_of(const struct config *config);

#endif
