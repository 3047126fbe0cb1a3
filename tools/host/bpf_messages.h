/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_messages: what is said of a program of BPF that is loaded, or cannot be.
 */
#ifndef KTPUT_TOOLS_BPF_MESSAGES_H
#define KTPUT_TOOLS_BPF_MESSAGES_H

#include <stdbool.h>

#include "../base/units.h"

void bpf_messages_set(bool detail);
int bpf_messages_refuse(int error, const char *before, const char *purpose,
			struct units_error *err);

#endif
