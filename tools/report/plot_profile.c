// SPDX-License-Identifier: GPL-2.0
/* plot_profile: shares of the classes of work on each CPU, stacked. */
#include <stdio.h>
#include <string.h>

#include "../lib/json.h"
#include "plot.h"

/* Classes that have a colour of their own; the others have one together. */
#define NAMED_MAX	GNUPLOT_COLOURS
#define CPUS_MAX	256

#define OTHERS_COLOUR	"#888888"
#define IDLE_COLOUR	"#dddddd"

/* The classes with most samples, most first; "idle" is not one of them. */
struct shown {
	struct json_object *class[NAMED_MAX];
	size_t count;
};

static bool is_idle(struct json_object *class)
{
	const char *name = json_text(class, "class");

	return name && !strcmp(name, "idle");
}

static void show(struct shown *shown, struct json_object *class)
{
	double samples = json_number(class, "samples");
	size_t at = shown->count;

	if (!(samples > 0) || is_idle(class) || !json_text(class, "class"))
		return;
	while (at && json_number(shown->class[at - 1], "samples") < samples)
		at--;
	if (at == NAMED_MAX)
		return;
	if (shown->count < NAMED_MAX)
		shown->count++;
	memmove(&shown->class[at + 1], &shown->class[at],
		(shown->count - at - 1) * sizeof(*shown->class));
	shown->class[at] = class;
}

/* Which bar a class of a CPU is part of: idle and others are behind all. */
static size_t part(const struct shown *shown, struct json_object *class)
{
	const char *name = json_text(class, "class");

	if (is_idle(class))
		return shown->count + 1;
	for (size_t i = 0; name && i < shown->count; i++)
		if (!strcmp(name, json_text(shown->class[i], "class")))
			return i;
	return shown->count;
}

static void write_cpu(struct plot *plot, const struct shown *shown,
		      struct json_object *cpu, size_t x)
{
	struct json_object *classes = json_array(cpu, "classes");
	double height[NAMED_MAX + 2] = { 0 }, sum = 0;

	for (size_t i = 0; i < json_length(classes); i++) {
		struct json_object *class = json_element(classes, i);
		double share = json_number(class, "share");

		if (share > 0)
			height[part(shown, class)] += share * 100;
	}
	fprintf(plot->gnuplot.script, "%zu ", x);
	for (size_t i = 0; i < shown->count + 2; i++) {
		sum += height[i];
		gnuplot_number(&plot->gnuplot, sum);
	}
	fputc('\n', plot->gnuplot.script);
}

static void write_cpus(struct plot *plot, const struct shown *shown,
		       struct json_object *cpus)
{
	fputs("$bars << EOD\n", plot->gnuplot.script);
	for (size_t i = 0; i < json_length(cpus); i++)
		write_cpu(plot, shown, json_element(cpus, i), i);
	fputs("EOD\nset xtics (", plot->gnuplot.script);
	for (size_t i = 0; i < json_length(cpus); i++)
		fprintf(plot->gnuplot.script, "%s'%.0f' %zu", i ? ", " : "",
			json_number(json_element(cpus, i), "cpu"), i);
	fprintf(plot->gnuplot.script, ") scale 0\nset xrange [-0.8:%.1f]\n",
		json_length(cpus) - 0.2);
}

/* What is on top is drawn first, and the rest over it. */
static void write_parts(struct plot *plot, const struct shown *shown)
{
	for (size_t i = shown->count + 2; i-- > 0;) {
		const char *colour = gnuplot_colour(i), *title;

		if (i < shown->count) {
			title = json_text(shown->class[i], "title");
			if (!title)
				title = json_text(shown->class[i], "class");
		} else {
			title = i == shown->count ? "Others" : "Idle";
			colour = i == shown->count ? OTHERS_COLOUR :
						     IDLE_COLOUR;
		}
		fprintf(plot->gnuplot.script, "%s$bars using 1:%zu with boxes "
					      "fs solid border rgb '#ffffff' "
					      "lc rgb '%s' title ",
			i == shown->count + 1 ? "plot " : ", ", i + 2, colour);
		gnuplot_quote(&plot->gnuplot, title);
	}
	fputc('\n', plot->gnuplot.script);
}

/**
 * plot_profile() - write the script
 * @plot: the picture
 * @err: why it cannot be drawn
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_profile(struct plot *plot, struct units_error *err)
{
	struct json_object *classes, *cpus;
	struct shown shown = { 0 };

	if (plot->records->profiles != 1) {
		units_refuse(err, "%zu profiles: give what one ktput-ctl -j "
				  "profile prints", plot->records->profiles);
		return -1;
	}
	classes = json_array(plot->records->profile[0], "profile.classes");
	cpus = json_array(plot->records->profile[0], "profile.cpus");
	for (size_t i = 0; i < json_length(classes); i++)
		show(&shown, json_element(classes, i));
	if (!shown.count || !json_length(cpus) ||
	    json_length(cpus) > CPUS_MAX) {
		units_refuse(err, "the profile has no samples, or more than "
				  "%d CPUs", CPUS_MAX);
		return -1;
	}
	write_cpus(plot, &shown, cpus);
	plot_title(plot, "Samples of each CPU by class of work");
	plot_axis(plot, "x", "CPU", NULL);
	plot_axis(plot, "y", "samples", "%");
	fputs("set yrange [0:100]\nset boxwidth 0.8\nset grid noxtics\n",
	      plot->gnuplot.script);
	write_parts(plot, &shown);
	return 0;
}
