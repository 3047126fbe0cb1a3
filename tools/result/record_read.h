/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_read: read a session back from its record.
 *
 * The session has the state that the reports print, but no open backends. Do not
 * pass it to session_close().
 */
#ifndef KTPUT_CTL_RECORD_READ_H
#define KTPUT_CTL_RECORD_READ_H

#include <json-c/json.h>

#include "../host/route.h"
#include "../run/session.h"

/**
 * struct record_read - a session that has ended, and its route
 * @session: the session; the caller sets its output
 * @route: route of the source's packets, valid if @routed is set
 * @routed: the session has a route
 */
struct record_read {
	struct session session;
	struct route route;
	bool routed;
};

int record_read(struct json_object *record, struct record_read *to,
		struct units_error *err);
void record_read_free(struct record_read *read);
void record_read_config(struct json_object *from, struct config *config);
void record_read_run(struct json_object *from, struct client_run *run);
int record_read_snapshot(struct json_object *from,
			 struct client_snapshot *snapshot,
			 struct units_error *err);
void record_read_route(struct json_object *from, struct route *route);
void record_read_host(struct json_object *readings, struct session_end *end);
void record_read_reference(struct json_object *from,
			   struct reference *reference);

/* record_print: print the result of a record. */
int record_print(struct json_object *root, struct record_read *read,
		 struct units_error *err);
int record_print_other(struct session *session, struct json_object *other,
		       struct units_error *err);

#endif
