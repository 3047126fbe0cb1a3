// SPDX-License-Identifier: GPL-2.0
/* plot_draw: what the kinds of pictures share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plot.h"

/**
 * plot_scale() - choose a decimal prefix
 * @largest: greatest value
 * @unit: unit without prefix
 *
 * Return: factor and unit.
 */
struct plot_scale plot_scale(double largest, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	struct plot_scale scale = { .factor = 1 };
	size_t i = 0;

	while (largest * scale.factor >= 1000 && i < 4) {
		scale.factor /= 1000;
		i++;
	}
	snprintf(scale.unit, sizeof(scale.unit), "%s%s", prefixes[i], unit);
	return scale;
}

/**
 * plot_axis() - label an axis
 * @plot: the picture
 * @axis: x or y
 * @name: what it shows
 * @unit: its unit, or NULL
 */
void plot_axis(struct plot *plot, const char *axis, const char *name,
	       const char *unit)
{
	char *label = unit ? memory_print("%s (%s)", name, unit) :
			     memory_copy(name);

	fprintf(plot->gnuplot.script, "set %slabel ", axis);
	gnuplot_quote(&plot->gnuplot, label);
	fputc('\n', plot->gnuplot.script);
	free(label);
}

void plot_title(struct plot *plot, const char *title)
{
	fputs("set title ", plot->gnuplot.script);
	gnuplot_quote(&plot->gnuplot, title);
	fputc('\n', plot->gnuplot.script);
}

static void label_run(struct plot *plot, size_t run, char *label, size_t size)
{
	const struct record *record = &plot->records->record[run];
	size_t length;

	settings_label(&plot->settings[run], plot->variable, label, size);
	if (!record->why_not)
		return;
	length = strlen(label);
	snprintf(label + length, size - length, "%s%s", length ? ", " : "",
		 record->interrupted ? "interrupted" : "invalid");
}

/* One label for all runs that nothing sets apart. */
static int label_runs(struct plot *plot, struct units_error *err)
{
	for (size_t run = 0; run < plot->records->count; run++) {
		char label[PLOT_LABEL_SIZE];
		size_t i = 0;

		label_run(plot, run, label, sizeof(label));
		while (i < plot->labels && strcmp(plot->label[i], label))
			i++;
		if (i == PLOT_LABELS_MAX) {
			units_refuse(err, "the runs differ in more than %d "
					  "ways: choose fewer, or 'sweep' what varies",
				     PLOT_LABELS_MAX);
			return -1;
		}
		if (i == plot->labels)
			memcpy(plot->label[plot->labels++], label,
			       sizeof(label));
		plot->of[run] = i;
	}
	return 0;
}

/**
 * plot_draw() - draw a picture
 * @kind: what it shows
 * @variable: PLOT_SWEEP: name of a setting, else NULL
 * @records: runs, one or more, or a profile, ladder or sweeps
 * @form: format
 * @image: the picture, for free()
 * @err: why there is none
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int plot_draw(enum plot_kind kind, const char *variable,
	      const struct records *records, enum gnuplot_form form,
	      struct gnuplot_image *image, struct units_error *err)
{
	static int (*const kinds[])(struct plot *plot,
				    struct units_error *err) = {
		[PLOT_RATE] = plot_rate, [PLOT_SWEEP] = plot_sweep,
		[PLOT_CPU] = plot_cpu, [PLOT_TCP] = plot_tcp,
		[PLOT_PROFILE] = plot_profile, [PLOT_LADDER] = plot_ladder,
		[PLOT_PINGPONG] = plot_pingpong,
	};
	struct plot plot = {
		.records = records, .variable = variable,
		.settings = settings_get_all(records),
		.of = memory_must(calloc(records->count + 1,
					 sizeof(*plot.of))),
	};
	int ret;

	gnuplot_begin(&plot.gnuplot, form);
	ret = plot_is_of_runs(kind) ? label_runs(&plot, err) : 0;
	if (!ret)
		ret = kinds[kind](&plot, err);
	if (!ret)
		ret = gnuplot_end(&plot.gnuplot, image, err);
	gnuplot_free(&plot.gnuplot);
	settings_free_all(plot.settings, records->count);
	free(plot.of);
	return ret;
}
