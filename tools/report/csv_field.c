// SPDX-License-Identifier: GPL-2.0
/* csv_field: fields of comma-separated values (RFC 4180). */
#include <math.h>
#include <string.h>

#include "csv_field.h"

static void begin(struct csv_field *csv)
{
	if (csv->started)
		fputc(',', csv->to);
	csv->started = true;
}

/**
 * csv_field_text() - one field
 * @csv: where rows go
 * @text: the text, or NULL for an empty field
 */
void csv_field_text(struct csv_field *csv, const char *text)
{
	begin(csv);
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv->to);
		return;
	}
	fputc('"', csv->to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', csv->to);
		fputc(*text, csv->to);
	}
	fputc('"', csv->to);
}

/**
 * csv_field_number() - one field
 * @csv: where rows go
 * @number: the number, to 15 digits; NAN for an empty field
 */
void csv_field_number(struct csv_field *csv, double number)
{
	begin(csv);
	if (isfinite(number))
		fprintf(csv->to, "%.15g", number);
}

/**
 * csv_field_end() - end the row
 * @csv: where rows go
 */
void csv_field_end(struct csv_field *csv)
{
	fputc('\n', csv->to);
	csv->started = false;
}
