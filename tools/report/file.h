/* SPDX-License-Identifier: GPL-2.0 */
/* file: write what a command makes. */
#ifndef KTPUT_REPORT_FILE_H
#define KTPUT_REPORT_FILE_H

#include <stddef.h>

#include "../lib/units.h"

int file_write(const char *name, const char *data, size_t size,
	       struct units_error *err);

#endif
