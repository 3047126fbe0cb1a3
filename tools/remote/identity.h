/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identity: tell one host, or one network namespace of it, from another.
 */
#ifndef KTPUT_REMOTE_IDENTITY_H
#define KTPUT_REMOTE_IDENTITY_H

#include <json-c/json.h>
#include <stdbool.h>

#include "../base/output.h"
#include "../base/units.h"

void identity_write(struct output *out);
bool identity_is_this(struct json_object *from);

int host_lock(struct units_error *err);

#endif
