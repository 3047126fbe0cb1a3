/* SPDX-License-Identifier: GPL-2.0 */
/*
 * said: turn what ssh says into a sentence with what to do.
 */
#ifndef KTPUT_REMOTE_SAID_H
#define KTPUT_REMOTE_SAID_H

#include <stdbool.h>

#include "../base/units.h"

/**
 * struct said - the last words of a connection
 * @host: the host for ssh
 * @fd: file that ssh and ktput-ctl there wrote their messages to
 * @status: exit status of ssh, negative if it has not ended
 * @connected: ktput-ctl there had answered before
 */
struct said {
	const char *host;
	int fd;
	int status;
	bool connected;
};

void said_clean(char *text);
void said_refuse(const struct said *said, struct units_error *err);

#endif
