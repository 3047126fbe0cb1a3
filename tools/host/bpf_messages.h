/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_messages: what libbpf prints while it loads a program.
 */
#ifndef KTPUT_TOOLS_BPF_MESSAGES_H
#define KTPUT_TOOLS_BPF_MESSAGES_H

#include <stdbool.h>

void bpf_messages_set(bool detail);

#endif
