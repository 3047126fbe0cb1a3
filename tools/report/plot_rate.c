// SPDX-License-Identifier: GPL-2.0
/* plot_rate: goodput over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "limit.h"
#include "memory.h"
#include "plot.h"

/* A ceiling that is higher would press the runs to the floor. */
#define OFF_SCALE	4

/* Ceilings of all runs, each once. */
struct ceilings {
	struct limit limit[8];
	size_t count;
};

static void collect(const struct record *record, struct ceilings *all)
{
	struct limits limits;

	limit_get(record, &limits);
	for (size_t i = 0; i < limits.count; i++) {
		const struct limit *limit = &limits.limit[i];
		size_t k = 0;

		while (k < all->count &&
		       (strcmp(all->limit[k].name, limit->name) ||
			fabs(all->limit[k].bps / limit->bps - 1) > 0.001))
			k++;
		if (k == all->count && k < 8 && limit->bps > 0)
			all->limit[all->count++] = *limit;
	}
	limit_free(&limits);
}

static void write_data(struct plot *plot, size_t run, double factor,
		       const struct figures_intervals *intervals)
{
	fprintf(plot->gnuplot.script, "$run%zu << EOD\n", run);
	for (size_t i = 0; i < intervals->count; i++) {
		const struct figures_interval *one = &intervals->interval[i];

		/* A level from end to end: it is a mean. */
		gnuplot_number(&plot->gnuplot, one->from_s);
		gnuplot_number(&plot->gnuplot, one->goodput_bps * factor);
		fputc('\n', plot->gnuplot.script);
		gnuplot_number(&plot->gnuplot, one->to_s);
		gnuplot_number(&plot->gnuplot, one->goodput_bps * factor);
		fputc('\n', plot->gnuplot.script);
	}
	fputs("EOD\n", plot->gnuplot.script);
}

static void write_warm_up(struct plot *plot, double to_s)
{
	if (!(to_s > 0))
		return;
	fprintf(plot->gnuplot.script, "set object 1 rectangle from 0, graph "
				      "0 to %.6f, graph 1 fc rgb '#eeeeee' "
				      "fs solid noborder behind\n"
		"set label 'warm-up' at 0, graph 0.97 offset 0.5,0 tc rgb '#666666'\n",
		to_s);
}

static void write_runs(struct plot *plot)
{
	bool *named = memory_must(calloc(plot->labels, sizeof(*named)));

	for (size_t i = 0; i < plot->records->count; i++) {
		size_t label = plot->of[i];

		fprintf(plot->gnuplot.script, "%s$run%zu using 1:2 with "
					      "lines lw 2 dt %d lc rgb '%s' ",
			i ? ", " : "plot ", i,
			label < GNUPLOT_COLOURS ? 1 : 2, gnuplot_colour(label));
		if (named[label]) {
			fputs("notitle", plot->gnuplot.script);
		} else {
			fputs("title ", plot->gnuplot.script);
			gnuplot_quote(&plot->gnuplot, *plot->label[label] ?
				      plot->label[label] : "goodput");
		}
		named[label] = true;
	}
	free(named);
}

static void write_ceilings(struct plot *plot, const struct ceilings *ceilings,
			   double largest, const struct plot_scale *scale)
{
	for (size_t i = 0; i < ceilings->count; i++) {
		const struct limit *limit = &ceilings->limit[i];
		bool off = limit->bps > largest * OFF_SCALE;
		char *title = memory_print("ceiling: %s, %s%s", limit->name,
					   units_show_bitrate(limit->bps).text,
					   off ? " (off scale)" : "");

		if (off)
			fputs(", keyentry with lines", plot->gnuplot.script);
		else
			fprintf(plot->gnuplot.script, ", %.10g with lines",
				limit->bps * scale->factor);
		fprintf(plot->gnuplot.script, " lw 2 dt %zu lc rgb '#666666' title ",
			i % 4 + 2);
		gnuplot_quote(&plot->gnuplot, title);
		free(title);
	}
}

/**
 * plot_rate() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_rate(struct plot *plot, struct units_error *err)
{
	size_t count = plot->records->count, points = 0;
	struct figures_intervals *all = memory_must(calloc(count,
							   sizeof(*all)));
	struct ceilings ceilings = { 0 };
	double largest = 0, warm_up = 0;
	struct plot_scale scale;

	for (size_t run = 0; run < count; run++) {
		figures_intervals_get(&plot->records->record[run], &all[run]);
		collect(&plot->records->record[run], &ceilings);
		for (size_t i = 0; i < all[run].count; i++) {
			const struct figures_interval *one =
				&all[run].interval[i];

			points += isfinite(one->goodput_bps);
			largest = fmax(largest, one->goodput_bps);
			if (one->warm_up)
				warm_up = fmax(warm_up, one->to_s);
		}
	}
	scale = plot_scale(largest, "b/s");
	for (size_t run = 0; run < count; run++) {
		write_data(plot, run, scale.factor, &all[run]);
		figures_intervals_free(&all[run]);
	}
	free(all);
	if (!points) {
		units_refuse(err, "there are no intervals in these runs: set "
				  "'interval' shorter than 'time'");
		return -1;
	}
	plot_title(plot, "Goodput over time");
	plot_axis(plot, "x", "time", "s");
	plot_axis(plot, "y", "goodput", scale.unit);
	fputs("set yrange [0:*]\nset xrange [0:*]\n", plot->gnuplot.script);
	write_warm_up(plot, warm_up);
	write_runs(plot);
	write_ceilings(plot, &ceilings, largest, &scale);
	fputc('\n', plot->gnuplot.script);
	return 0;
}
