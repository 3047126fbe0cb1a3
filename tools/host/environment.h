/* SPDX-License-Identifier: GPL-2.0 */
/*
 * environment: description of the machine in a record.
 *
 * It does not identify the owner: no names of hosts or users, and no MAC
 * addresses.
 */
#ifndef KTPUT_TOOLS_ENVIRONMENT_H
#define KTPUT_TOOLS_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#include "../base/output.h"

void environment_record(struct output *out);
void environment_record_end(struct output *out, const char *netns,
			    uint32_t device);
void environment_record_device(struct output *out, const char *netns,
			       uint32_t device);

char *environment_read_line(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void environment_public_words(char *line);

#define SIGNATURE_ENFORCE	"/sys/module/module/parameters/sig_enforce"
#define SIGNATURE_LOCKDOWN	"/sys/kernel/security/lockdown"

const char *signature_asked_by(const char *enforce, const char *lockdown);

#endif
