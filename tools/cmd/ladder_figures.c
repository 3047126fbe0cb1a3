// SPDX-License-Identifier: GPL-2.0
/* ladder_figures: statistics of rungs, and of what lies between them. */
#include <math.h>

#include "ladder.h"

static double figure_of(const struct ladder_sample *sample,
			enum ladder_figure figure)
{
	if (!sample->present)
		return NAN;
	switch (figure) {
	case LADDER_GOODPUT:
		return sample->goodput_bps;
	case LADDER_PACKETS:
		return sample->packets_per_s;
	case LADDER_CYCLES_BYTE:
		return sample->cycles_per_byte;
	case LADDER_CYCLES_PACKET:
		return sample->cycles_per_packet;
	case LADDER_LOSS:
		return sample->loss_share;
	}
	return NAN;
}

/**
 * ladder_is_part() - whether a rung was tried, or is to be
 * @ladder: ladder
 * @rung: index into ladder_rungs
 *
 * Return: true where it is in the report.
 */
bool ladder_is_part(const struct ladder *ladder, size_t rung)
{
	return !ladder->cells[rung].left_out || ladder->cells[rung].failures;
}

/**
 * ladder_cost() - what the rungs of a group are compared by
 * @group: group
 *
 * TCP cuts the payload as it likes, so that packets are not to be compared.
 *
 * Return: a figure.
 */
enum ladder_figure ladder_cost(enum ladder_group group)
{
	return group == LADDER_TCP ? LADDER_CYCLES_BYTE : LADDER_CYCLES_PACKET;
}

/**
 * ladder_rung_statistics() - a figure of a rung over all rounds
 * @ladder: ladder
 * @rung: index into ladder_rungs
 * @figure: figure
 * @to: filled in; rounds without a valid result are left out
 */
void ladder_rung_statistics(const struct ladder *ladder, size_t rung,
			    enum ladder_figure figure, struct statistics *to)
{
	double values[LADDER_ROUNDS_MAX];
	size_t count = 0;

	for (unsigned int i = 0; i < ladder->rounds; i++) {
		double value = figure_of(&ladder->cells[rung].samples[i],
					 figure);

		if (!isnan(value))
			values[count++] = value;
	}
	statistics_runs(values, count, to);
}

static const struct ladder_cell *above_of(const struct ladder *ladder,
					  const struct ladder_step *step)
{
	return &ladder->cells[ladder_rung_find(step->group, step->above)];
}

/* NULL where the step is a rung for itself. */
static const struct ladder_cell *below_of(const struct ladder *ladder,
					  const struct ladder_step *step)
{
	if (!step->below)
		return NULL;
	return &ladder->cells[ladder_rung_find(step->group, step->below)];
}

/**
 * ladder_step_statistics() - what is between two rungs, over all rounds
 * @ladder: ladder
 * @step: the two rungs
 * @figure: figure
 * @to: filled in
 *
 * Rungs are compared with each other within a round, so that what changes on
 * the machine from round to round is no part of the difference.
 */
void ladder_step_statistics(const struct ladder *ladder,
			    const struct ladder_step *step,
			    enum ladder_figure figure, struct statistics *to)
{
	const struct ladder_cell *above = above_of(ladder, step);
	const struct ladder_cell *below = below_of(ladder, step);
	double values[LADDER_ROUNDS_MAX];
	size_t count = 0;

	for (unsigned int i = 0; i < ladder->rounds; i++) {
		double difference = figure_of(&above->samples[i], figure);

		if (below)
			difference -= figure_of(&below->samples[i], figure);
		if (!isnan(difference))
			values[count++] = difference;
	}
	if (below)
		statistics_differences(values, count, to);
	else
		statistics_runs(values, count, to);
}

/**
 * ladder_rung_sampled() - what a rung costs by its samples
 * @ladder: ladder
 * @rung: index into ladder_rungs
 * @set: classes of work
 * @to: filled in
 */
void ladder_rung_sampled(const struct ladder *ladder, size_t rung,
			 sampled_set set, struct sampled_estimate *to)
{
	const struct ladder_step alone = {
		.group = ladder_rungs[rung].group,
		.above = ladder_rungs[rung].name,
	};

	ladder_step_sampled(ladder, &alone, set, to);
}

/**
 * ladder_step_sampled() - what is between two rungs, by their samples
 * @ladder: ladder
 * @step: the two rungs
 * @set: classes of work
 * @to: filled in
 */
void ladder_step_sampled(const struct ladder *ladder,
			 const struct ladder_step *step, sampled_set set,
			 struct sampled_estimate *to)
{
	const struct ladder_cell *above = above_of(ladder, step);
	const struct ladder_cell *below = below_of(ladder, step);
	double costs[LADDER_ROUNDS_MAX], variances[LADDER_ROUNDS_MAX];
	size_t count = 0;

	for (unsigned int i = 0; i < ladder->rounds; i++) {
		double variance;

		if (!above->sampled[i] || (below && !below->sampled[i]))
			continue;
		costs[count] = sampled_cost(above->sampled[i], set,
					    &variances[count]);
		if (below) {
			costs[count] -= sampled_cost(below->sampled[i], set,
						     &variance);
			variances[count] += variance;
		}
		count++;
	}
	sampled_estimate(costs, variances, count, to);
}
