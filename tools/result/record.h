/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record: write the module's replies as JSON, so that every figure can be
 * recomputed.
 */
#ifndef KTPUT_CTL_RECORD_H
#define KTPUT_CTL_RECORD_H

#include "../base/output.h"
#include "../module/client.h"
#include "../module/names.h"
#include "../run/session.h"

void record_run(struct output *out, const char *key,
		const struct client_run *run);
names_word record_words(int type);
const char *record_word(const struct config *config, int type);
void record_config(struct output *out, const char *key,
		   const struct config *config);
void record_contexts(struct output *out, const struct contexts *contexts);
void record_events(struct output *out, const struct events *events);
void record_snapshot(struct output *out, const char *key,
		     const struct client_snapshot *snapshot, bool streams);

/*
 * readings: record the readings of a session's ends.
 *
 * The result is computed only from the readings, the configurations, the route and
 * the intervals. record_read() reads them back.
 */

void readings_record_drops(struct output *out, const char *key,
			   const struct drops *drops);
void readings_record(const struct session *session);
void readings_record_host(struct output *out, const struct session_end *end);
void readings_record_reference(struct output *out, const char *key,
			       const struct reference *reference);

#endif
