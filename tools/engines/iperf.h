/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iperf: read the results of iperf3 (iperf3 -J).
 */
#ifndef KTPUT_TOOLS_IPERF_H
#define KTPUT_TOOLS_IPERF_H

#include <json-c/json.h>
#include <stdbool.h>

#include "engine_result.h"
#include "../base/units.h"

const char *iperf_error(struct json_object *document);
int iperf_read(struct json_object *document, bool sender,
	       struct engine_result *result, struct units_error *err);

#endif
