/* SPDX-License-Identifier: GPL-2.0 */
/*
 * csv_field: fields of comma-separated values (RFC 4180), with
 * the line ends of this system.
 */
#ifndef KTPUT_REPORT_CSV_FIELD_H
#define KTPUT_REPORT_CSV_FIELD_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct csv_field - where rows go
 * @to: the stream
 * @started: the row has a field
 */
struct csv_field {
	FILE *to;
	bool started;
};

void csv_field_text(struct csv_field *csv, const char *text);
void csv_field_number(struct csv_field *csv, double number);
void csv_field_end(struct csv_field *csv);

#endif
