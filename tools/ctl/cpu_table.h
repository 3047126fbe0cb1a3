/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_table: what each CPU did for a session.
 */
#ifndef KTPUT_CTL_CPU_TABLE_H
#define KTPUT_CTL_CPU_TABLE_H

#include "session.h"

void cpu_table_print(const struct session *session);

#endif
