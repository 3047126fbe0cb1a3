/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_line: print the CPU use of an end in one line.
 */
#ifndef KTPUT_CTL_CPU_LINE_H
#define KTPUT_CTL_CPU_LINE_H

#include "../run/session.h"

void cpu_line_print(const struct session *session,
		    const struct session_end *end);

#endif
