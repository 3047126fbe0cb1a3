/* SPDX-License-Identifier: GPL-2.0 */
/* plot: the kinds of pictures. */
#ifndef KTPUT_REPORT_PLOT_H
#define KTPUT_REPORT_PLOT_H

#include "gnuplot.h"
#include "record.h"
#include "settings.h"

/* A legend with more entries is read by nobody. */
#define PLOT_LABELS_MAX	16
#define PLOT_LABEL_SIZE	80

/**
 * enum plot_kind - what a picture shows
 * @PLOT_RATE: goodput over time
 * @PLOT_SWEEP: goodput against a setting
 * @PLOT_CPU: cycles of each CPU
 * @PLOT_TCP: congestion window and round-trip time over time
 * @PLOT_PROFILE: classes of work on each CPU, of a sampled breakdown
 * @PLOT_LADDER: cost of the same traffic in each place, of a ladder
 * @PLOT_PINGPONG: latency and throughput against size, of sweeps of ping-pongs
 */
enum plot_kind {
	PLOT_RATE = 1,
	PLOT_SWEEP,
	PLOT_CPU,
	PLOT_TCP,
	PLOT_PROFILE,
	PLOT_LADDER,
	PLOT_PINGPONG,
};

/* Whether records are drawn, and not a document that stands for itself. */
static inline bool plot_is_of_runs(enum plot_kind kind)
{
	return kind < PLOT_PROFILE;
}

/**
 * struct plot - a picture of runs
 * @records: the runs
 * @settings: of each of them
 * @variable: PLOT_SWEEP: name of the setting
 * @label: what sets runs apart, one text for all that are alike
 * @labels: how many there are
 * @of: for each run the index of its label
 * @gnuplot: the script
 */
struct plot {
	const struct records *records;
	struct settings *settings;
	const char *variable;
	char label[PLOT_LABELS_MAX][PLOT_LABEL_SIZE];
	size_t labels;
	size_t *of;
	struct gnuplot gnuplot;
};

/**
 * struct plot_scale - a decimal prefix for an axis
 * @factor: what a value is multiplied with
 * @unit: the unit with its prefix
 */
struct plot_scale {
	double factor;
	char unit[24];
};

int plot_draw(enum plot_kind kind, const char *variable,
	      const struct records *records, enum gnuplot_form form,
	      struct gnuplot_image *image, struct units_error *err);
char *plot_sweep_variable(const struct records *records);

int plot_rate(struct plot *plot, struct units_error *err);
int plot_sweep(struct plot *plot, struct units_error *err);
int plot_cpu(struct plot *plot, struct units_error *err);
int plot_tcp(struct plot *plot, struct units_error *err);
int plot_profile(struct plot *plot, struct units_error *err);
int plot_pingpong(struct plot *plot, struct units_error *err);
int plot_ladder(struct plot *plot, struct units_error *err);

struct plot_scale plot_scale(double largest, const char *unit);
void plot_axis(struct plot *plot, const char *axis, const char *name,
	       const char *unit);
void plot_title(struct plot *plot, const char *title);

#endif
