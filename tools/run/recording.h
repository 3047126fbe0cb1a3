/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recording: write the documents of a command to a file as well as stdout.
 */
#ifndef KTPUT_CTL_RECORDING_H
#define KTPUT_CTL_RECORDING_H

#include "../base/command.h"
#include "session.h"

/* The version of Documentation/measure/record.schema.json. */
#define RECORD_VERSION	1

int recording_run(const struct command_context *context, const void *data,
		  const char *path, bool replace,
		  int (*run)(const struct command_context *context,
			     const void *data));
void recording_prepare(const struct session *session);

#endif
