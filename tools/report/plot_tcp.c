// SPDX-License-Identifier: GPL-2.0
/* plot_tcp: congestion window and round-trip time of streams over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "memory.h"
#include "plot.h"

/* More lines are not told apart. */
#define STREAMS_MAX	8
/* The kernel's word for a threshold that is not set is more than 2^30. */
#define THRESHOLD_MAX	1e9

/* Streams that are drawn. */
struct streams {
	size_t count;
	size_t all;
	char label[STREAMS_MAX][PLOT_LABEL_SIZE + 24];
};

static struct json_object *find_stream(struct json_object *interval, double id)
{
	struct json_object *all = json_array(interval, "source.streams");

	for (size_t i = 0; i < json_length(all); i++) {
		struct json_object *stream = json_element(all, i);

		if (json_number(stream, "stream") == id &&
		    json_at(stream, "tcp"))
			return stream;
	}
	return NULL;
}

static void write_stream(struct plot *plot, struct json_object *intervals,
			 double id, size_t index)
{
	fprintf(plot->gnuplot.script, "$stream%zu << EOD\n", index);
	for (size_t i = 0; i < json_length(intervals); i++) {
		struct json_object *one = json_element(intervals, i);
		struct json_object *tcp = json_at(find_stream(one, id), "tcp");
		double threshold =
			json_number(tcp, "slow_start_threshold_segments");

		gnuplot_number(&plot->gnuplot,
			       json_number(one, "to_ns") / 1e9);
		gnuplot_number(&plot->gnuplot,
			       json_number(tcp, "congestion_window_segments"));
		gnuplot_number(&plot->gnuplot,
			       threshold < THRESHOLD_MAX ? threshold : NAN);
		gnuplot_number(&plot->gnuplot,
			       json_number(tcp, "rtt_us") / 1e3);
		gnuplot_number(&plot->gnuplot,
			       json_number(tcp, "rtt_min_us") / 1e3);
		fputc('\n', plot->gnuplot.script);
	}
	fputs("EOD\n", plot->gnuplot.script);
}

static void write_run(struct plot *plot, size_t run, struct streams *streams)
{
	const struct record *record = &plot->records->record[run];
	struct json_object *intervals = json_array(record->root, "intervals");
	const char *label = plot->label[plot->of[run]];
	struct json_object *first = NULL;

	if (json_length(intervals))
		first = json_array(json_element(intervals,
						json_length(intervals) - 1),
				   "source.streams");
	for (size_t i = 0; i < json_length(first); i++) {
		struct json_object *stream = json_element(first, i);
		double id = json_number(stream, "stream");

		if (isnan(id) || !json_at(stream, "tcp") ||
		    streams->all++ >= STREAMS_MAX)
			continue;
		write_stream(plot, intervals, id, streams->count);
		snprintf(streams->label[streams->count++],
			 sizeof(streams->label[0]), "%s%sstream %.0f", label,
			 *label ? ", " : "", id);
	}
}

/* One curve of each stream, and a paler one beside it. */
static void write_panel(struct plot *plot, const struct streams *streams,
			int column, bool titles)
{
	for (size_t i = 0; i < streams->count; i++) {
		const char *colour = gnuplot_colour(i);

		fprintf(plot->gnuplot.script, "%s$stream%zu using 1:%d with "
					      "lines lw 2 lc rgb '%s' ",
			i ? ", " : "plot ", i, column, colour);
		if (titles) {
			fputs("title ", plot->gnuplot.script);
			gnuplot_quote(&plot->gnuplot, streams->label[i]);
		} else {
			fputs("notitle", plot->gnuplot.script);
		}
		fprintf(plot->gnuplot.script, ", $stream%zu using 1:%d with "
					      "lines lw 1.5 dt 3 lc rgb '%s' notitle",
			i, column + 1, colour);
	}
	fputc('\n', plot->gnuplot.script);
}

/**
 * plot_tcp() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_tcp(struct plot *plot, struct units_error *err)
{
	struct streams *streams = memory_must(calloc(1, sizeof(*streams)));
	FILE *script = plot->gnuplot.script;

	for (size_t run = 0; run < plot->records->count; run++)
		write_run(plot, run, streams);
	if (!streams->count) {
		units_refuse(err, "these runs have no TCP streams in their "
				  "intervals: measure with ktput-ctl -j -s start");
		free(streams);
		return -1;
	}
	fputs("set multiplot layout 2,1\nset xrange [0:*]\nset yrange [0:*]\n"
	      "set lmargin 10\nset bmargin 2.5\nset tmargin 2.2\n",
	      script);
	plot_title(plot, "Congestion window; slow start threshold dotted");
	plot_axis(plot, "y", "segments", NULL);
	write_panel(plot, streams, 2, false);
	plot_title(plot, streams->all > streams->count ?
		   "Round-trip time, smoothed; least dotted; only the first 8 streams" :
		   "Round-trip time, smoothed; least dotted");
	plot_axis(plot, "y", "ms", NULL);
	plot_axis(plot, "x", "time", "s");
	fputs("set bmargin 5\n", script);
	write_panel(plot, streams, 4, true);
	fputs("unset multiplot\n", script);
	free(streams);
	return 0;
}
