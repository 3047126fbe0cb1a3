// SPDX-License-Identifier: GPL-2.0
/* plot_ladder: cost of each rung of a ladder, one panel for each group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "memory.h"
#include "plot.h"
#include "rungs.h"

/*
 * Heights, over that of another picture: of the title, and of a panel its head,
 * each row and the axis. The picture is as high as they are together.
 */
#define TITLE_HEIGHT	0.075
#define HEAD_HEIGHT	0.055
#define ROW_HEIGHT	0.048
#define AXIS_HEIGHT	0.125

/* Of its row a bar has this share above and below the middle. */
#define BAR_HALF	0.35

/* Of its width: a character of a name, and how much names have at most. */
#define NAME_WIDTH	0.0105
#define NAMES_MAX	0.45

/* What is right of the largest value, for the text beside its bar. */
#define ROOM	1.35

/* Groups that have results, and what their panels have in common. */
struct panels {
	struct rungs rungs[RUNGS_GROUPS];
	size_t count;
	double height;
	double left;
};

static size_t length_of(const struct rung *rung)
{
	return strlen(rung->name) +
	       (rung->method ? strlen(rung->method) + 2 : 0);
}

static void collect(struct json_object *document, struct panels *panels)
{
	size_t longest = 0;

	panels->height = TITLE_HEIGHT;
	for (size_t group = 0; group < RUNGS_GROUPS; group++) {
		struct rungs *rungs = &panels->rungs[panels->count];

		rungs_get(document, group, rungs);
		if (!rungs->results)
			continue;
		for (size_t i = 0; i < rungs->count; i++)
			longest = fmax(longest, length_of(&rungs->rung[i]));
		panels->height += HEAD_HEIGHT + AXIS_HEIGHT +
				  rungs->count * ROW_HEIGHT;
		panels->count++;
	}
	panels->left = fmin(NAMES_MAX, (longest + 3) * NAME_WIDTH);
}

/* Panels with the same unit have the same scale. */
static double scale_of(const struct panels *panels, const struct rungs *rungs)
{
	double largest = 0;

	for (size_t i = 0; i < panels->count; i++)
		if (panels->rungs[i].per_packet == rungs->per_packet)
			largest = fmax(largest,
				       rungs_largest(&panels->rungs[i]));
	return largest > 0 ? largest * ROOM : 1;
}

static void write_label(struct plot *plot, const char *text, const char *how)
{
	fputs("set label ", plot->gnuplot.script);
	gnuplot_quote(&plot->gnuplot, text);
	fprintf(plot->gnuplot.script, " %s\n", how);
}

/* As many digits for all values of a panel. */
static int digits_of(double largest)
{
	if (largest >= 1000)
		return 0;
	return largest >= 100 ? 1 : largest >= 10 ? 2 : largest >= 1 ? 3 : 4;
}

/* Name and value of a rung; tic labels would be read as formats. */
static void write_texts(struct plot *plot, const struct rung *rung, size_t row,
			int digits)
{
	char *how = memory_print("at graph 0, first -%zu right offset -1,0",
				 row);
	char *name = rung->method ?
		     memory_print("%s, %s", rung->name, rung->method) :
		     memory_copy(rung->name);
	char *value;

	write_label(plot, name, how);
	free(name);
	free(how);
	how = memory_print("at first %.10g, first -%zu left offset 1,0%s",
			   isnan(rung->mean) ? 0 :
			   fmax(0, fmax(rung->mean, rung->ci_high)),
			   row, isnan(rung->mean) ? " tc rgb '#666666'" : "");
	if (isnan(rung->mean))
		value = memory_copy("not run");
	else if (isnan(rung->ci_high))
		value = memory_print("%.*f", digits, rung->mean);
	else
		value = memory_print("%.*f \u00b1 %.*f", digits, rung->mean,
				     digits,
				     (rung->ci_high - rung->ci_low) / 2);
	write_label(plot, value, how);
	free(value);
	free(how);
}

static void write_rungs(struct plot *plot, const struct rungs *rungs,
			size_t panel)
{
	FILE *script = plot->gnuplot.script;

	fprintf(script, "$panel%zu << EOD\n", panel);
	for (size_t i = 0; i < rungs->count; i++) {
		const struct rung *rung = &rungs->rung[i];

		gnuplot_number(&plot->gnuplot, -(double)i);
		gnuplot_number(&plot->gnuplot, rung->mean);
		gnuplot_number(&plot->gnuplot, rung->ci_low);
		gnuplot_number(&plot->gnuplot, rung->ci_high);
		fputc('\n', script);
	}
	fputs("EOD\n", script);
	for (size_t i = 0; i < rungs->count; i++)
		write_texts(plot, &rungs->rung[i], i,
			    digits_of(rungs_largest(rungs)));
}

/* A panel between two heights of the picture. */
static void write_panel(struct plot *plot, const struct panels *panels,
			size_t panel, double bottom, double top)
{
	const struct rungs *rungs = &panels->rungs[panel];
	FILE *script = plot->gnuplot.script;

	fputs("unset label\n", script);
	write_rungs(plot, rungs, panel);
	write_label(plot, rungs->title,
		    "at graph 0, graph 1 left offset 0,0.9");
	plot_axis(plot, "x", rungs->unit, NULL);
	fprintf(script, "set tmargin at screen %.4f\n"
		"set bmargin at screen %.4f\n"
		"set xrange [%.10g:%.10g]\nset yrange [%.1f:0.5]\n"
		"plot $panel%zu using 2:1:(0):2:($1-%g):($1+%g) "
		"with boxxyerror fs solid 0.6 noborder lc rgb '%s' notitle, "
		"$panel%zu using 2:1:3:4 with xerrorbars pt 0 lw 2 "
		"lc rgb '#000000' notitle\n",
		top / panels->height, bottom / panels->height,
		rungs_least(rungs), scale_of(panels, rungs), 0.5 - rungs->count, panel, BAR_HALF,
		BAR_HALF, gnuplot_colour(panel), panel);
}

static void write_all(struct plot *plot, struct json_object *document,
		      const struct panels *panels)
{
	FILE *script = plot->gnuplot.script;
	double rounds = json_number(document, "ladder.rounds");
	double top = panels->height - TITLE_HEIGHT, bottom;
	char *title;

	title = memory_print("Cost of each rung over %.0f round%s: mean and "
			     "95%% confidence interval%s",
			     rounds > 0 ? rounds : 0, rounds == 1 ? "" : "s",
			     json_is(document, "ladder.interrupted") ?
			     " (interrupted)" : "");
	gnuplot_height(&plot->gnuplot, panels->height);
	fputs("set multiplot title ", script);
	gnuplot_quote(&plot->gnuplot, title);
	fprintf(script, "\nunset key\nunset ytics\nset grid noytics\n"
		"set lmargin at screen %.4f\nset rmargin at screen 0.97\n",
		panels->left);
	free(title);
	for (size_t i = 0; i < panels->count; i++) {
		top -= HEAD_HEIGHT;
		bottom = top - panels->rungs[i].count * ROW_HEIGHT;
		write_panel(plot, panels, i, bottom, top);
		top = bottom - AXIS_HEIGHT;
	}
	fputs("unset multiplot\n", script);
}

/**
 * plot_ladder() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_ladder(struct plot *plot, struct units_error *err)
{
	struct panels panels = { 0 };

	if (plot->records->ladders != 1) {
		units_refuse(err, "%zu ladders: give what one ktput-ctl -j "
				  "ladder prints", plot->records->ladders);
		return -1;
	}
	collect(plot->records->ladder[0], &panels);
	if (!panels.count) {
		units_refuse(err, "no rung of the ladder has a result");
		return -1;
	}
	write_all(plot, plot->records->ladder[0], &panels);
	return 0;
}
