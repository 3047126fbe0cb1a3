/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stages_trace: messages and their stages, as a trace that viewers of Perfetto and Chrome open.
 */
#ifndef KTPUT_TOOLS_STAGES_TRACE_H
#define KTPUT_TOOLS_STAGES_TRACE_H

#include <stdio.h>

#include "stages.h"

int stages_trace_write(const struct stages *stages,
		       const struct stages_result *result, const char *what,
		       FILE *to);

#endif
