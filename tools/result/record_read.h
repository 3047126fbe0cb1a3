/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_read: a session, read back from its record.
 *
 * What the reports print of a session is in it, and nothing that would be needed
 * to run it: it must not be closed as one that was opened.
 */
#ifndef KTPUT_CTL_RECORD_READ_H
#define KTPUT_CTL_RECORD_READ_H

#include <json-c/json.h>

#include "../host/route.h"
#include "../run/session.h"

/**
 * struct record_read - a session that has ended, and its route
 * @session: the session; where its output goes is left to the caller
 * @route: way of the source's packets, of a session that has one
 * @routed: it has one
 */
struct record_read {
	struct session session;
	struct route route;
	bool routed;
};

int record_read(struct json_object *record, struct record_read *to,
		struct units_error *err);
void record_read_free(struct record_read *read);

#endif
