/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_run: one run of a rung, by this program as a process of its own.
 */
#ifndef KTPUT_CTL_LADDER_RUN_H
#define KTPUT_CTL_LADDER_RUN_H

#include <json-c/json.h>
#include <stdbool.h>

#include "../lib/record_file.h"
#include "../lib/units.h"
#include "ladder_words.h"

/**
 * struct ladder_sample - what came of a run
 * @present: it has a valid result
 * @goodput_bps: payload that arrived
 * @packets_per_s: datagrams that arrived; NaN of TCP
 * @cycles_per_byte: busy cycles of all CPUs
 * @cycles_per_packet: likewise; NaN of TCP
 * @loss_share: of datagrams; NaN of TCP
 */
struct ladder_sample {
	bool present;
	double goodput_bps;
	double packets_per_s;
	double cycles_per_byte;
	double cycles_per_packet;
	double loss_share;
};

bool ladder_run_document(const struct ladder_words *words,
			 struct record_file *record,
			 struct json_object **document,
			 struct units_error *why);
bool ladder_run(const struct ladder_words *words, struct record_file *record,
		struct json_object **document, struct ladder_sample *sample,
		struct units_error *why);

#endif
