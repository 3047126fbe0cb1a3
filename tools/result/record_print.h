/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_print: print the result of a record.
 */
#ifndef KTPUT_RESULT_RECORD_PRINT_H
#define KTPUT_RESULT_RECORD_PRINT_H

#include "record_read.h"

int record_print(struct json_object *root, struct record_read *read,
		 struct units_error *err);
int record_print_other(struct session *session, struct json_object *other,
		       struct units_error *err);

#endif
