/* SPDX-License-Identifier: GPL-2.0 */
/*
 * show_file: print the results of a file of records again.
 */
#ifndef KTPUT_CTL_SHOW_FILE_H
#define KTPUT_CTL_SHOW_FILE_H

#include "../base/command.h"

int show_file(const struct command_context *context, const char *file,
	      uint64_t number, struct units_error *err);

#endif
