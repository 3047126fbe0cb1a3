/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ladder_remote: a run of a rung whose ends are on two hosts.
 */
#ifndef KTPUT_CTL_LADDER_REMOTE_H
#define KTPUT_CTL_LADDER_REMOTE_H

#include "ladder_run.h"

bool ladder_remote_run(const struct ladder_options *options,
		       const struct ladder_words *words,
		       struct record_file *record,
		       struct ladder_sample *sample, struct units_error *why);

#endif
