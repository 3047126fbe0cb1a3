// SPDX-License-Identifier: GPL-2.0
/* plot_pingpong: latency and throughput against size, a line for each sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "memory.h"
#include "plot.h"

/* Columns of a line's data. */
enum {
	COLUMN_BYTES = 1,
	COLUMN_LATENCY_US,
	COLUMN_THROUGHPUT,
};

static const char *text_of(struct json_object *sweep, const char *path)
{
	const char *text = json_text(sweep, path);

	return text ? text : "";
}

/* Where the sweeps are to different places, that tells them apart, too. */
static bool same_place(const struct records *records)
{
	for (size_t i = 1; i < records->sweeps; i++)
		if (strcmp(text_of(records->sweep[i], "sweep.to"),
			   text_of(records->sweep[0], "sweep.to")))
			return false;
	return true;
}

static char *name_of(const struct records *records, size_t number)
{
	struct json_object *sweep = records->sweep[number];
	const char *to = same_place(records) ? "" :
					       text_of(sweep, "sweep.to");
	const char *how = text_of(sweep, "sweep.source.wait");
	const char *separator = *how ? ", " : "";
	char *name, *all;

	if (!strcmp(text_of(sweep, "sweep.engine"), "nptcp")) {
		name = memory_copy("NPtcp, mean");
	} else {
		if (!*how && json_text(sweep, "sweep.source.reply")) {
			separator = ", from the ";
			how = text_of(sweep, "sweep.source.reply");
		}
		name = memory_print("%s, layer %s%s%s%s",
				    text_of(sweep, "sweep.source.transport"),
				    text_of(sweep, "sweep.source.layer"),
				    separator, how,
				    json_is(sweep,
					    "sweep.source.connect_per_request") ?
				    ", a connection each" : "");
	}
	all = memory_print("%s%s%s%s", name, *to ? ", to " : "", to,
			   json_is(sweep, "interrupted") ?
			   ", interrupted" : "");
	free(name);
	return all;
}

/* NPtcp tells no median. */
static double latency_us(struct json_object *size)
{
	double ns = json_number(size, "latency_p50_ns");

	return (isnan(ns) ? json_number(size, "latency_mean_ns") : ns) / 1e3;
}

static bool drops_out(struct json_object *sweep, double bytes)
{
	struct json_object *dropouts = json_array(sweep, "dropouts");

	for (size_t i = 0; i < json_length(dropouts); i++)
		if (json_number(json_element(dropouts, i), "bytes") == bytes)
			return true;
	return false;
}

static void write_row(struct plot *plot, struct json_object *size,
		      double factor)
{
	gnuplot_number(&plot->gnuplot, json_number(size, "bytes"));
	gnuplot_number(&plot->gnuplot, latency_us(size));
	gnuplot_number(&plot->gnuplot,
		       json_number(size, "throughput_bps") * factor);
	fputc('\n', plot->gnuplot.script);
}

/* All sizes of a sweep, and those that drop out once more. */
static size_t write_data(struct plot *plot, size_t number, double factor)
{
	struct json_object *sweep = plot->records->sweep[number];
	struct json_object *sizes = json_array(sweep, "sizes");
	size_t dropouts = 0;

	fprintf(plot->gnuplot.script, "$sweep%zu << EOD\n", number);
	for (size_t i = 0; i < json_length(sizes); i++)
		write_row(plot, json_element(sizes, i), factor);
	fprintf(plot->gnuplot.script, "EOD\n$out%zu << EOD\n", number);
	for (size_t i = 0; i < json_length(sizes); i++) {
		struct json_object *size = json_element(sizes, i);

		if (!drops_out(sweep, json_number(size, "bytes")))
			continue;
		write_row(plot, size, factor);
		dropouts++;
	}
	fputs("EOD\n", plot->gnuplot.script);
	return dropouts;
}

static double largest_throughput(const struct records *records)
{
	double largest = 0;

	for (size_t i = 0; i < records->sweeps; i++) {
		struct json_object *sizes = json_array(records->sweep[i],
						       "sizes");

		for (size_t j = 0; j < json_length(sizes); j++)
			largest = fmax(largest,
				       json_number(json_element(sizes, j),
						   "throughput_bps"));
	}
	return largest;
}

/* The legend is below the lower panel, and of both. */
static void write_panel(struct plot *plot, int column, bool named,
			const size_t *dropouts)
{
	FILE *script = plot->gnuplot.script;
	bool marked = false;

	for (size_t i = 0; i < plot->records->sweeps; i++) {
		char *name = name_of(plot->records, i);

		fprintf(script, "%s$sweep%zu using %d:%d with linespoints "
				"pt 7 ps 0.3 lw 2 dt %d lc rgb '%s' ",
			i ? ", " : "plot ", i, COLUMN_BYTES, column,
			i < GNUPLOT_COLOURS ? 1 : 2, gnuplot_colour(i));
		fputs(named ? "title " : "notitle", script);
		if (named)
			gnuplot_quote(&plot->gnuplot, name);
		free(name);
		if (!dropouts[i])
			continue;
		fprintf(script, ", $out%zu using %d:%d with points pt 6 ps 1.4 "
				"lw 2 lc rgb '%s' ",
			i, COLUMN_BYTES, column, gnuplot_colour(i));
		fputs(named && !marked ? "title 'drops out'" : "notitle",
		      script);
		marked = true;
	}
	fputc('\n', script);
}

static void write_all(struct plot *plot, double largest)
{
	const struct records *records = plot->records;
	const struct plot_scale scale = plot_scale(largest, "b/s");
	size_t *dropouts = memory_must(calloc(records->sweeps,
					      sizeof(*dropouts)));
	FILE *script = plot->gnuplot.script;

	gnuplot_height(&plot->gnuplot, 1.7);
	for (size_t i = 0; i < records->sweeps; i++)
		dropouts[i] = write_data(plot, i, scale.factor);
	fputs("set logscale x 2\nset format x '%.0b %BB'\n"
	      "set multiplot title ", script);
	gnuplot_quote(&plot->gnuplot, "Ping-pong: latency and throughput "
				      "against the size of messages");
	fputs("\nset lmargin 12\nset rmargin 4\nset tmargin at screen 0.93\n"
	      "set bmargin at screen 0.59\nset logscale y\n", script);
	plot_axis(plot, "x", "message", NULL);
	plot_axis(plot, "y", "round trip, median", "us");
	write_panel(plot, COLUMN_LATENCY_US, false, dropouts);
	fputs("set tmargin at screen 0.48\nunset bmargin\nunset logscale y\n"
	      "set yrange [0:*]\n", script);
	plot_axis(plot, "y", "throughput", scale.unit);
	write_panel(plot, COLUMN_THROUGHPUT, true, dropouts);
	fputs("unset multiplot\n", script);
	free(dropouts);
}

/**
 * plot_pingpong() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_pingpong(struct plot *plot, struct units_error *err)
{
	const double largest = largest_throughput(plot->records);

	if (!plot->records->sweeps) {
		units_refuse(err, "there is no sweep of sizes in it: give what "
				  "ktput-ctl -j pingpong sizes prints");
		return -1;
	}
	if (plot->records->sweeps > PLOT_LABELS_MAX) {
		units_refuse(err, "%zu sweeps: more than %d lines are read by nobody",
			     plot->records->sweeps, PLOT_LABELS_MAX);
		return -1;
	}
	if (!(largest > 0)) {
		units_refuse(err, "no size of the sweep has a result");
		return -1;
	}
	write_all(plot, largest);
	return 0;
}
