// SPDX-License-Identifier: GPL-2.0
/* bpf_messages: what libbpf prints while it loads a program. */
#include <bpf/libbpf.h>
#include <stdio.h>

#include "bpf_messages.h"

static int show(enum libbpf_print_level level, const char *format,
		va_list arguments)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, arguments);
}

/**
 * bpf_messages_set() - print messages of libbpf to stderr, or none
 * @detail: print all but those for its developers
 */
void bpf_messages_set(bool detail)
{
	libbpf_set_print(detail ? show : NULL);
}
