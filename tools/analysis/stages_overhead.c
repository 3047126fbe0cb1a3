// SPDX-License-Identifier: GPL-2.0
/* stages_overhead: what the programs that follow messages cost the run. */
#include <math.h>
#include <string.h>

#include "stages_overhead.h"

static void sum_up(struct stages_reading *to, const struct stages_reading *last,
		   const struct stages_reading *now)
{
	to->now_ns += now->now_ns - last->now_ns;
	to->cost_ns += now->cost_ns - last->cost_ns;
	to->messages += now->messages - last->messages;
}

static struct stages_reading all(const struct stages_reading *part, size_t parts)
{
	const struct stages_reading none = { 0 };
	struct stages_reading sum = { 0 };

	for (size_t i = 0; i < parts; i++)
		sum_up(&sum, &none, &part[i]);
	return sum;
}

/* NaN or infinite without a message. */
static double excess(const struct stages_reading *of,
		     const struct stages_reading *without)
{
	return (double)of->cost_ns / of->messages /
	       ((double)without->cost_ns / without->messages) - 1;
}

/**
 * stages_overhead_add() - a part of a turn ends
 * @overhead: what the programs cost; at first zeroed but for the reading
 * @part: the part
 * @now: how far the run has come
 */
void stages_overhead_add(struct stages_overhead *overhead, enum stages_part part,
			 const struct stages_reading *now)
{
	sum_up(&overhead->part[part], &overhead->last, now);
	sum_up(&overhead->run[part], &overhead->last, now);
	overhead->last = *now;
}

/**
 * stages_overhead_turn() - a turn ends
 * @overhead: what the programs cost
 *
 * It counts if it has messages both with the programs and without them.
 */
void stages_overhead_turn(struct stages_overhead *overhead)
{
	const struct stages_reading *part = overhead->part;
	const struct stages_reading whole = all(part, STAGES_PARTS);
	const double attached = excess(&part[STAGES_WITH], &part[STAGES_WITHOUT]);

	if (isfinite(attached) && overhead->turns < STAGES_TURNS_MAX) {
		overhead->attached[overhead->turns] = attached;
		overhead->whole[overhead->turns++] =
			excess(&whole, &part[STAGES_WITHOUT]);
	}
	memset(overhead->part, 0, sizeof(overhead->part));
}

/**
 * stages_overhead_pause() - how long the programs have to stay away
 * @overhead: what they cost
 * @share: what of the run they may cost
 *
 * The second half of a turn is taken to be as the first was.
 *
 * Return: nanoseconds, by which their share of the run up to the end of the turn falls to
 * @share; 0 if it is less, or not known.
 */
double stages_overhead_pause(const struct stages_overhead *overhead, double share)
{
	const struct stages_reading half = all(overhead->part, STAGES_WITHOUT);
	const struct stages_reading none = { 0 };
	struct stages_reading whole = all(overhead->run, STAGES_PARTS);
	double cost;

	sum_up(&whole, &none, &half);
	cost = excess(&whole, &overhead->run[STAGES_WITHOUT]);
	return isfinite(cost) ? fmax(whole.now_ns * (cost / share - 1), 0) : 0;
}
