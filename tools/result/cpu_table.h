/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_table: cycles and events of each CPU during a session.
 */
#ifndef KTPUT_CTL_CPU_TABLE_H
#define KTPUT_CTL_CPU_TABLE_H

#include "../run/session.h"

/**
 * struct cpu_table_payload - payload to divide the cycles by
 * @bytes: payload
 * @packets: datagrams, 0 if they are not counted
 */
struct cpu_table_payload {
	uint64_t bytes;
	uint64_t packets;
};

const struct session_end *cpu_table_reader(const struct session *session,
					   size_t i);
const struct session_end *cpu_table_of(const struct session *session,
				       const struct session_end *end);
struct cpu_table_payload cpu_table_payload(const struct session *session);
void cpu_table_id(const struct session *session, const struct session_end *end,
		  uint32_t id);
void cpu_table_print(const struct session *session);

void cpu_line_print(const struct session *session,
		    const struct session_end *end);

#endif
