/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nuttcp: read the results of nuttcp (nuttcp -fparse -v).
 */
#ifndef KTPUT_TOOLS_NUTTCP_H
#define KTPUT_TOOLS_NUTTCP_H

#include <stdbool.h>

#include "engine_result.h"
#include "../base/units.h"

int nuttcp_read(const char *text, bool sender, struct engine_result *result,
		struct units_error *err);

#endif
