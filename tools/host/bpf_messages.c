// SPDX-License-Identifier: GPL-2.0
/* bpf_messages: what is said of a program of BPF that is loaded, or cannot be. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

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

/**
 * bpf_messages_refuse() - why a program that watches packets cannot
 * @error: errno of libbpf
 * @before: how the sentence begins, may be empty
 * @purpose: what it watches
 * @err: filled in
 *
 * Return: -1.
 */
int bpf_messages_refuse(int error, const char *before, const char *purpose,
			struct units_error *err)
{
	if (error == EPERM || error == EACCES)
		units_refuse(err, "%sit takes root, or CAP_BPF and CAP_PERFMON, "
			     "to watch %s", before, purpose);
	else if (error == ESRCH || error == ENOENT)
		units_refuse(err, "%sthis kernel does not describe its types "
			     "(CONFIG_DEBUG_INFO_BTF)", before);
	else
		units_refuse(err, "%sthe kernel does not load the BPF program: "
			     "%s (-s shows more)", before, strerror(error));
	return -1;
}
