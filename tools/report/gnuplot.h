/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gnuplot: pictures, drawn by gnuplot(1).
 *
 * The script goes to its standard input and the picture comes from its standard
 * output, so that it sees no name of a file. Data are numbers, and text is
 * quoted by gnuplot_quote(): nothing of a record is read as a command.
 */
#ifndef KTPUT_REPORT_GNUPLOT_H
#define KTPUT_REPORT_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

#include "../lib/units.h"

/* Line colours that are told apart with any kind of colour vision. */
#define GNUPLOT_COLOURS	8

/**
 * enum gnuplot_form - format of a picture
 * @GNUPLOT_SVG: lines
 * @GNUPLOT_PNG: pixels
 */
enum gnuplot_form {
	GNUPLOT_SVG,
	GNUPLOT_PNG,
};

/**
 * struct gnuplot_image - a picture
 * @data: its bytes, for free()
 * @size: how many
 */
struct gnuplot_image {
	char *data;
	size_t size;
};

/**
 * struct gnuplot - a script that is being written
 * @form: format of the picture
 * @script: where it is written to
 * @text: what there is of it once @script is closed
 * @size: bytes of @text
 */
struct gnuplot {
	enum gnuplot_form form;
	FILE *script;
	char *text;
	size_t size;
};

void gnuplot_begin(struct gnuplot *plot, enum gnuplot_form form);
int gnuplot_end(struct gnuplot *plot, struct gnuplot_image *image,
		struct units_error *err);
void gnuplot_free(struct gnuplot *plot);

void gnuplot_height(struct gnuplot *plot, double factor);
void gnuplot_quote(struct gnuplot *plot, const char *text);
void gnuplot_number(struct gnuplot *plot, double number);
const char *gnuplot_colour(size_t index);

#endif
