// SPDX-License-Identifier: GPL-2.0
/* plot_cpu: cycles of each CPU, stacked by what they went into. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cycles.h"
#include "memory.h"
#include "plot.h"

#define BARS_MAX	256
/* Characters that have room side by side above the bars. */
#define LABELS_WIDTH	90
/* Of the height of the picture. */
#define LEGEND_LINE	0.035
#define LEGEND_BOTTOM	0.14

/* Runs that are alike, as the mean of them. */
struct group {
	struct cycles mean;
	size_t runs;
};

static struct cycles_cpu *find_cpu(struct cycles *in, unsigned int id)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->cpu[i].id == id)
			return &in->cpu[i];
	return NULL;
}

/* Runs that tell their contexts and runs that do not have no mean. */
static int add(struct group *group, const struct record *record,
	       struct units_error *err)
{
	struct cycles contexts;

	cycles_get(record, &contexts);
	if (!group->runs++) {
		group->mean = contexts;
		return 0;
	}
	if (contexts.name != group->mean.name) {
		cycles_free(&contexts);
		units_refuse(err, "some of these runs tell the contexts of "
				  "their cycles and others do not: plot them apart");
		return -1;
	}
	for (size_t i = 0; i < contexts.count; i++) {
		struct cycles_cpu *to = find_cpu(&group->mean,
						   contexts.cpu[i].id);

		for (size_t k = 0; to && k < contexts.contexts; k++)
			to->cycles[k] += contexts.cpu[i].cycles[k];
	}
	cycles_free(&contexts);
	return 0;
}

static double total_of(const struct group *group, const struct cycles_cpu *cpu)
{
	double total = 0;

	for (size_t i = 0; i < group->mean.contexts; i++)
		total += cpu->cycles[i] / group->runs;
	return total;
}

/* Bars one on the other: what is below a height, the widest first. */
static void write_bars(struct plot *plot, const struct group *group,
		       size_t groups, double factor)
{
	size_t x = 0;

	fputs("$bars << EOD\n", plot->gnuplot.script);
	for (size_t i = 0; i < groups; i++, x++) {
		for (size_t cpu = 0; cpu < group[i].mean.count; cpu++, x++) {
			const struct cycles_cpu *one =
				&group[i].mean.cpu[cpu];
			double height = 0;

			fprintf(plot->gnuplot.script, "%zu ", x);
			for (size_t k = 0; k < group[i].mean.contexts; k++) {
				height += one->cycles[k] / group[i].runs;
				gnuplot_number(&plot->gnuplot,
					       height * factor);
			}
			fputc('\n', plot->gnuplot.script);
		}
	}
	fputs("EOD\n", plot->gnuplot.script);
}

/* Whether labels are too long to stand above their bars. */
static bool by_number(const struct plot *plot)
{
	for (size_t i = 0; i < plot->labels; i++)
		if (strlen(plot->label[i]) * plot->labels > LABELS_WIDTH)
			return true;
	return false;
}

static void write_labels(struct plot *plot, const struct group *group,
			 size_t groups)
{
	const char *between = "";
	size_t x = 0, first;

	fputs("set xtics (", plot->gnuplot.script);
	for (size_t i = 0; i < groups; i++, x++)
		for (size_t cpu = 0; cpu < group[i].mean.count; cpu++, x++) {
			fprintf(plot->gnuplot.script, "%s'%u' %zu", between,
				group[i].mean.cpu[cpu].id, x);
			between = ", ";
		}
	fputs(") scale 0\n", plot->gnuplot.script);
	x = 0;
	for (size_t i = 0; i < groups; i++) {
		first = x;
		x += group[i].mean.count + 1;
		if (!*plot->label[i] || !group[i].mean.count)
			continue;
		fputs("set label ", plot->gnuplot.script);
		if (by_number(plot))
			fprintf(plot->gnuplot.script, "'run %zu'", i + 1);
		else
			gnuplot_quote(&plot->gnuplot, plot->label[i]);
		fprintf(plot->gnuplot.script, " at %.1f, graph 1 center "
					      "offset 0,%.1f tc rgb '#444444'\n",
			(first + x - 2) / 2.0,
			groups > 2 && i % 2 && !by_number(plot) ? 1.6 : 0.6);
	}
	fprintf(plot->gnuplot.script, "set xrange [-0.8:%.1f]\n", x - 1.2);
}

/* Below the axis, a line each. */
static void write_legend(struct plot *plot, size_t groups)
{
	if (!by_number(plot))
		return;
	fprintf(plot->gnuplot.script, "set bmargin at screen %.3f\n",
		LEGEND_BOTTOM + groups * LEGEND_LINE);
	for (size_t i = 0; i < groups; i++) {
		char *title = memory_print("run %zu: %s", i + 1,
					   plot->label[i]);

		fputs("set label ", plot->gnuplot.script);
		gnuplot_quote(&plot->gnuplot, title);
		fprintf(plot->gnuplot.script, " at screen 0.05, screen %.3f\n",
			(groups - i) * LEGEND_LINE);
		free(title);
	}
}

static const char *colour_of(const struct cycles *contexts, size_t context)
{
	/* Idle is what is left over. */
	if (context + 1 == contexts->contexts)
		return "#dddddd";
	return gnuplot_colour(context);
}

static void write_all(struct plot *plot, const struct group *group,
		      size_t groups)
{
	const struct cycles *first = &group[0].mean;
	struct plot_scale scale;
	double largest = 0;

	for (size_t i = 0; i < groups; i++)
		for (size_t cpu = 0; cpu < group[i].mean.count; cpu++)
			largest = fmax(largest,
				       total_of(&group[i],
						&group[i].mean.cpu[cpu]));
	scale = plot_scale(largest, "");
	write_bars(plot, group, groups, scale.factor);
	fputs("set key outside right center vertical\n", plot->gnuplot.script);
	plot_title(plot, "Cycles of each CPU over the run");
	plot_axis(plot, "x", "CPU", NULL);
	plot_axis(plot, "y", "cycles", *scale.unit == 'G' ? "10^9" :
		  *scale.unit == 'M' ? "10^6" : *scale.unit == 'k' ? "10^3" :
		  *scale.unit == 'T' ? "10^12" : NULL);
	fputs("set yrange [0:*]\nset boxwidth 0.8\nset tmargin 5\n"
	      "set title offset 0,1.4\nset grid noxtics\n",
	      plot->gnuplot.script);
	write_labels(plot, group, groups);
	write_legend(plot, groups);
	for (size_t i = first->contexts; i-- > 0;) {
		fprintf(plot->gnuplot.script, "%s$bars using 1:%zu with "
					      "boxes fs solid border rgb "
					      "'#ffffff' lc rgb '%s' title ",
			i + 1 == first->contexts ? "plot " : ", ", i + 2,
			colour_of(first, i));
		gnuplot_quote(&plot->gnuplot, first->name[i]);
	}
	fputc('\n', plot->gnuplot.script);
}

/**
 * plot_cpu() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_cpu(struct plot *plot, struct units_error *err)
{
	struct group group[PLOT_LABELS_MAX] = { 0 };
	size_t bars = 0;
	int ret = 0;

	for (size_t run = 0; run < plot->records->count && !ret; run++)
		ret = add(&group[plot->of[run]], &plot->records->record[run],
			  err);
	for (size_t i = 0; i < plot->labels && !ret; i++) {
		bars += group[i].mean.count;
		if (!group[i].mean.count ||
		    group[i].mean.name == group[0].mean.name)
			continue;
		units_refuse(err, "some of these runs tell the contexts of "
				  "their cycles and others do not: plot them apart");
		ret = -1;
	}
	if (!ret && (!bars || bars > BARS_MAX)) {
		units_refuse(err, bars ? "%zu bars are too many: choose fewer runs" :
			     "these runs have no cycles", bars);
		ret = -1;
	}
	if (!ret)
		write_all(plot, group, plot->labels);
	for (size_t i = 0; i < plot->labels; i++)
		cycles_free(&group[i].mean);
	return ret;
}
