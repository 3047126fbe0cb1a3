// SPDX-License-Identifier: GPL-2.0
/*
 * plot_sweep: goodput against a setting, with its uncertainty and ceilings; of
 * ping-pongs their latency.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "limit.h"
#include "memory.h"
#include "plot.h"

#define CEILINGS_MAX	8
/* Values further apart than this are spaced by their ratio. */
#define RATIO_MAX	12
/* A ceiling that is higher would press the runs to the floor. */
#define OFF_SCALE	4

/* Runs of one label at one value of the variable. */
struct point {
	double x;
	size_t label;
	struct statistics value;
};

/* All points, in the order of their values. */
struct points {
	struct point *point;
	size_t count;
	double largest;
	enum figure figure;
};

/* A ceiling at each value. */
struct curve {
	const char *name;
	size_t count;
	double *x;
	double *bps;
};

static int by_value(const void *one, const void *other)
{
	const struct point *a = one, *b = other;

	return a->x == b->x ? (a->label > b->label) - (a->label < b->label) :
			      (a->x > b->x) - (a->x < b->x);
}

static double value_of(const struct plot *plot, size_t run)
{
	return settings_number(&plot->settings[run], plot->variable);
}

/* Goodput, where a run has any. */
static enum figure figure_of(const struct records *records)
{
	for (size_t run = 0; run < records->count; run++)
		if (!isnan(figures_of_run(&records->record[run],
					  FIGURE_GOODPUT)))
			return FIGURE_GOODPUT;
	return FIGURE_LATENCY;
}

static void estimate(const struct plot *plot, enum figure figure,
		     struct point *point)
{
	struct record *alike = NULL;
	size_t count = 0;

	for (size_t run = 0; run < plot->records->count; run++) {
		if (plot->of[run] != point->label ||
		    value_of(plot, run) != point->x)
			continue;
		alike = memory_grow(alike, count + 1, sizeof(*alike));
		alike[count++] = plot->records->record[run];
	}
	if (count > 1)
		estimate_runs(alike, count, figure, &point->value);
	else
		estimate_run(alike, figure, &point->value);
	free(alike);
}

static void collect(const struct plot *plot, struct points *points)
{
	points->figure = figure_of(plot->records);
	for (size_t run = 0; run < plot->records->count; run++) {
		double x = value_of(plot, run);
		size_t i = 0;

		while (i < points->count &&
		       (points->point[i].x != x ||
			points->point[i].label != plot->of[run]))
			i++;
		if (i < points->count || isnan(x))
			continue;
		points->point = memory_grow(points->point, points->count + 1,
					    sizeof(*points->point));
		points->point[points->count++] = (struct point) {
			.x = x, .label = plot->of[run],
		};
	}
	for (size_t i = 0; i < points->count; i++) {
		estimate(plot, points->figure, &points->point[i]);
		points->largest = fmax(points->largest,
				       fmax(points->point[i].value.mean,
					    points->point[i].value.ci_high));
	}
	if (points->count)
		qsort(points->point, points->count, sizeof(*points->point),
		      by_value);
}

/* Whether a number varies that is not the environment's. */
static bool varies(const struct setting *setting)
{
	return setting->varies && !isnan(setting->number) &&
	       !settings_is_environment(setting);
}

static void list_varying(const struct plot *plot, char *text, size_t size)
{
	const struct settings *first = &plot->settings[0];
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < first->count && length < size; i++) {
		const char *name = settings_name(&first->setting[i]);

		/* Both ends may have it. */
		if (varies(&first->setting[i]) && !strstr(text, name))
			length += snprintf(text + length, size - length,
					   "%s%s", length ? ", " : "", name);
	}
}

static void refuse(const struct plot *plot, const struct points *points,
		   struct units_error *err)
{
	char varying[90];

	list_varying(plot, varying, sizeof(varying));
	units_refuse(err, "%.40s %s; %s%s", plot->variable,
		     points->count ? "is the same in all runs" :
				     "is no number that these runs have",
		     *varying ? "numbers that vary: " :
				"no number varies in them", varying);
}

static void write_series(struct plot *plot, const struct points *points,
			 size_t label, double factor)
{
	fprintf(plot->gnuplot.script, "$series%zu << EOD\n", label);
	for (size_t i = 0; i < points->count; i++) {
		const struct point *point = &points->point[i];
		double low = point->value.ci_low, high = point->value.ci_high;

		if (point->label != label)
			continue;
		gnuplot_number(&plot->gnuplot, point->x);
		gnuplot_number(&plot->gnuplot, point->value.mean * factor);
		gnuplot_number(&plot->gnuplot, fmax(low, 0) * factor);
		gnuplot_number(&plot->gnuplot, high * factor);
		fputc('\n', plot->gnuplot.script);
	}
	fputs("EOD\n", plot->gnuplot.script);
}

static struct curve *curve_of(struct curve *curves, size_t *count,
			      const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(curves[i].name, name))
			return &curves[i];
	if (*count == CEILINGS_MAX)
		return NULL;
	curves[*count] = (struct curve) { .name = name };
	return &curves[(*count)++];
}

/* The ceilings of a run; of runs at one value the first to name one counts. */
static void add_ceilings(const struct record *record, double x,
			 struct curve *curves, size_t *count)
{
	struct limits limits;

	limit_get(record, &limits);
	for (size_t i = 0; i < limits.count; i++) {
		struct curve *curve;
		size_t k = 0;

		if (!(limits.limit[i].bps > 0))
			continue;
		curve = curve_of(curves, count, limits.limit[i].name);
		if (!curve)
			continue;
		while (k < curve->count && curve->x[k] != x)
			k++;
		if (k < curve->count)
			continue;
		curve->x = memory_grow(curve->x, k + 1, sizeof(*curve->x));
		curve->bps = memory_grow(curve->bps, k + 1,
					 sizeof(*curve->bps));
		curve->x[k] = x;
		curve->bps[k] = limits.limit[i].bps;
		curve->count++;
	}
	limit_free(&limits);
}

static size_t write_ceilings(struct plot *plot, const struct points *points,
			     double factor, struct curve *curves)
{
	size_t count = 0;

	for (size_t run = 0; run < plot->records->count; run++)
		if (!isnan(value_of(plot, run)) &&
		    points->figure == FIGURE_GOODPUT)
			add_ceilings(&plot->records->record[run],
				     value_of(plot, run), curves, &count);
	for (size_t i = 0; i < count; i++) {
		fprintf(plot->gnuplot.script, "$ceiling%zu << EOD\n", i);
		for (size_t k = 0; k < curves[i].count; k++) {
			double bps = curves[i].bps[k];

			if (bps > points->largest * OFF_SCALE)
				bps = NAN;
			gnuplot_number(&plot->gnuplot, curves[i].x[k]);
			gnuplot_number(&plot->gnuplot, bps * factor);
			fputc('\n', plot->gnuplot.script);
		}
		fputs("EOD\n", plot->gnuplot.script);
	}
	return count;
}

static bool on_scale(const struct curve *curve, double largest)
{
	for (size_t i = 0; i < curve->count; i++)
		if (curve->bps[i] <= largest * OFF_SCALE)
			return true;
	return false;
}

/* The axis of the variable: what ends in _bytes is bytes, and so on. */
static void write_axis(struct plot *plot, const struct points *points)
{
	double first = points->point[0].x;
	double last = points->point[points->count - 1].x;
	const char *name = plot->variable, *unit = strrchr(name, '_');
	bool ratio = first > 0 && last / first > RATIO_MAX;
	char *title = memory_copy(name);
	double pad = (last - first) * 0.05;

	if (unit && (!strcmp(unit, "_bytes") || !strcmp(unit, "_ns") ||
		     !strcmp(unit, "_bps")))
		title[unit - name] = '\0';
	else
		unit = NULL;
	for (char *at = title; *at; at++)
		if (*at == '_')
			*at = ' ';
	plot_axis(plot, "x", title, unit ? unit + 1 : NULL);
	free(title);
	if (ratio)
		fprintf(plot->gnuplot.script, "set logscale x 2\nset xrange [%.10g:%.10g]\n",
			first / 1.2, last * 1.2);
	else
		fprintf(plot->gnuplot.script, "set xrange [%.10g:%.10g]\n",
			first - pad, last + pad);
	fputs("set xtics (", plot->gnuplot.script);
	for (size_t i = 0; i < points->count; i++)
		fprintf(plot->gnuplot.script, "%s%.10g", i ? ", " : "",
			points->point[i].x);
	fputs(")\n", plot->gnuplot.script);
	if (points->count > 10)
		fputs("set xtics rotate by -40\n", plot->gnuplot.script);
}

static void write_plot(struct plot *plot, const struct points *points,
		       const struct curve *curves, size_t ceilings)
{
	FILE *script = plot->gnuplot.script;

	for (size_t i = 0; i < plot->labels; i++) {
		const char *colour = gnuplot_colour(i);

		fprintf(script, "%s$series%zu using 1:2 with lines lw 2 lc "
				"rgb '%s' notitle, $series%zu using 1:2:3:4 "
				"with yerrorbars pt %zu ps 0.8 lw 2 lc rgb '%s' title ",
			i ? ", " : "plot ", i, colour, i, 5 + 2 * (i % 5),
			colour);
		gnuplot_quote(&plot->gnuplot, *plot->label[i] ?
			      plot->label[i] : "mean and 95% interval");
	}
	for (size_t i = 0; i < ceilings; i++) {
		bool on = on_scale(&curves[i], points->largest);
		char *title = memory_print("ceiling: %s%s", curves[i].name,
					   on ? "" : " (off scale)");

		if (on)
			fprintf(script, ", $ceiling%zu using 1:2 smooth unique with lines",
				i);
		else
			fputs(", keyentry with lines", script);
		fprintf(script, " lw 2 dt %zu lc rgb '#666666' title ",
			i % 4 + 2);
		gnuplot_quote(&plot->gnuplot, title);
		free(title);
	}
	fputc('\n', script);
}

static int write_all(struct plot *plot, const struct points *points,
		     struct units_error *err)
{
	struct curve curves[CEILINGS_MAX] = { 0 };
	bool goodput = points->figure == FIGURE_GOODPUT;
	struct plot_scale scale;
	size_t ceilings;

	if (!points->count || points->point[0].x ==
			      points->point[points->count - 1].x) {
		refuse(plot, points, err);
		return -1;
	}
	if (!(points->largest > 0)) {
		units_refuse(err, "these runs have neither goodput nor latency");
		return -1;
	}
	scale = goodput ? plot_scale(points->largest, "b/s") :
			  (struct plot_scale) { .factor = 1 / 1e3, .unit = "us" };
	for (size_t i = 0; i < plot->labels; i++)
		write_series(plot, points, i, scale.factor);
	ceilings = write_ceilings(plot, points, scale.factor, curves);
	plot_title(plot, goodput ?
		   "Goodput, mean and 95% confidence interval" :
		   "Round trips, mean latency and 95% confidence interval");
	plot_axis(plot, "y", goodput ? "goodput" : "latency", scale.unit);
	fputs("set yrange [0:*]\n", plot->gnuplot.script);
	write_axis(plot, points);
	write_plot(plot, points, curves, ceilings);
	for (size_t i = 0; i < ceilings; i++) {
		free(curves[i].x);
		free(curves[i].bps);
	}
	return 0;
}

/**
 * plot_sweep() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_sweep(struct plot *plot, struct units_error *err)
{
	struct points points = { 0 };
	int ret;

	collect(plot, &points);
	ret = write_all(plot, &points, err);
	free(points.point);
	return ret;
}

/**
 * plot_sweep_variable() - what runs were swept over
 * @records: the runs
 *
 * Return: the one number that varies in them, for free(), or NULL if none or
 * several do.
 */
char *plot_sweep_variable(const struct records *records)
{
	struct settings *all = settings_get_all(records);
	const char *found = NULL;
	bool several = false;
	char *name = NULL;

	for (size_t i = 0; i < all[0].count; i++) {
		const struct setting *setting = &all[0].setting[i];

		if (!varies(setting))
			continue;
		several = found && strcmp(found, settings_name(setting));
		found = settings_name(setting);
		if (several)
			break;
	}
	if (found && !several)
		name = memory_copy(found);
	settings_free_all(all, records->count);
	return name;
}
