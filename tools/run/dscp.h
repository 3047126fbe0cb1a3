/* SPDX-License-Identifier: GPL-2.0 */
/* dscp: names of differentiated services code points. */
#ifndef KTPUT_TOOLS_DSCP_H
#define KTPUT_TOOLS_DSCP_H

#include <stdint.h>

#include "../base/units.h"

int dscp_parse(const char *word, uint64_t *tos, struct units_error *err);

#endif
