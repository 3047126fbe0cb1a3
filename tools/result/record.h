/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record: write the module's replies as JSON, so that every figure can be
 * recomputed.
 */
#ifndef KTPUT_CTL_RECORD_H
#define KTPUT_CTL_RECORD_H

#include "../module/client.h"
#include "../base/output.h"

void record_run(struct output *out, const char *key,
		const struct client_run *run);
const char *record_word(const struct config *config, int type);
void record_config(struct output *out, const char *key,
		   const struct config *config);
void record_contexts(struct output *out, const struct contexts *contexts);
void record_events(struct output *out, const struct events *events);
void record_snapshot(struct output *out, const char *key,
		     const struct client_snapshot *snapshot, bool streams);

#endif
