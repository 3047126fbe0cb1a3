/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recording: documents that go to a file beside what is printed.
 */
#ifndef KTPUT_CTL_RECORDING_H
#define KTPUT_CTL_RECORDING_H

#include "../lib/record_file.h"
#include "command.h"
#include "session.h"

/**
 * struct recording - documents that go to a file
 * @out: where they come from, or NULL where none is wanted
 * @file: where they go to
 */
struct recording {
	struct output *out;
	struct record_file file;
};

int recording_begin(struct recording *recording, struct output *out,
		    const char *path, struct units_error *err);
int recording_end(struct recording *recording, struct units_error *err);
void recording_prepare(const struct session *session);

#endif
