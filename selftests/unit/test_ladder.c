// SPDX-License-Identifier: GPL-2.0
/* ladder: figures of rungs and of the steps between them, by hand. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/cmd/ladder.h"
#include "test.h"

#define ROUNDS	4

/* Rungs of the first step of a group, and what they measured in each round. */
struct fixture {
	struct ladder ladder;
	const struct ladder_step *step;
	struct ladder_cell *above, *below;
};

static void set_up(struct fixture *to, enum ladder_group group)
{
	*to = (struct fixture) { .ladder.rounds = ROUNDS };
	to->ladder.cells = calloc(ladder_rung_count,
				  sizeof(*to->ladder.cells));
	for (size_t i = 0; !to->step && i < ladder_step_count; i++)
		if (ladder_steps[i].group == group && ladder_steps[i].below)
			to->step = &ladder_steps[i];
	to->above = &to->ladder.cells[ladder_rung_find(group,
						       to->step->above)];
	to->below = &to->ladder.cells[ladder_rung_find(group,
						       to->step->below)];
	for (int i = 0; i < ROUNDS; i++) {
		/* 10, 20, 30 and 40 above 1, 1, 2 and 8. */
		to->above->samples[i] = (struct ladder_sample) {
			.present = true, .goodput_bps = 1000 * i,
			.cycles_per_byte = 10 * (i + 1),
			.cycles_per_packet = 100 * (i + 1),
			.packets_per_s = 5 * i, .loss_share = 0.25 * i,
		};
		to->below->samples[i] = to->above->samples[i];
		to->below->samples[i].cycles_per_byte = 1 << (i - (i > 0) +
							      (i == 3));
	}
}

static void rungs(void)
{
	const size_t tcp = ladder_cost(LADDER_TCP);
	struct statistics have;
	struct fixture fixture;
	size_t rung;

	set_up(&fixture, LADDER_TCP);
	rung = fixture.above - fixture.ladder.cells;
	TEST_U64("TCP by the byte", tcp, LADDER_CYCLES_BYTE);
	TEST_U64("frames by the packet", ladder_cost(LADDER_TRANSMIT),
		 LADDER_CYCLES_PACKET);
	ladder_rung_statistics(&fixture.ladder, rung, tcp, &have);
	TEST_U64("rounds", have.count, ROUNDS);
	TEST_U64("mean", have.mean, 25);
	ladder_rung_statistics(&fixture.ladder, rung, LADDER_CYCLES_PACKET,
			       &have);
	TEST_U64("packets", have.mean, 250);
	ladder_rung_statistics(&fixture.ladder, rung, LADDER_GOODPUT, &have);
	TEST_U64("goodput", have.mean, 1500);
	ladder_rung_statistics(&fixture.ladder, rung, LADDER_PACKETS, &have);
	TEST_TRUE("packets a second", have.mean == 7.5);
	ladder_rung_statistics(&fixture.ladder, rung, LADDER_LOSS, &have);
	TEST_TRUE("loss", have.mean == 0.375);
	/* A round without a result is left out. */
	fixture.above->samples[3].present = false;
	ladder_rung_statistics(&fixture.ladder, rung, tcp, &have);
	TEST_U64("fewer rounds", have.count, ROUNDS - 1);
	TEST_U64("of these", have.mean, 20);
	free(fixture.ladder.cells);
}

/* Within a round: 9, 19, 28 and 32. */
static void steps(void)
{
	struct statistics have;
	struct fixture fixture;

	set_up(&fixture, LADDER_TCP);
	ladder_step_statistics(&fixture.ladder, fixture.step,
			       LADDER_CYCLES_BYTE, &have);
	TEST_U64("rounds", have.count, ROUNDS);
	TEST_U64("mean", have.mean, 22);
	TEST_U64("least", have.min, 9);
	TEST_U64("most", have.max, 32);
	fixture.below->samples[0].present = false;
	ladder_step_statistics(&fixture.ladder, fixture.step,
			       LADDER_CYCLES_BYTE, &have);
	TEST_U64("where both are there", have.count, ROUNDS - 1);
	free(fixture.ladder.cells);
}

/* 100 samples of 1000 cycles for 10 units, of which @part are of a class. */
static struct sampled *sampled(double part)
{
	struct sampled *to = calloc(1, sizeof(*to) + sizeof(*to->cpu));

	to->units = 10;
	to->cpus = 1;
	to->cpu[0].samples = 100;
	to->cpu[0].effective = 100;
	to->cpu[0].cycles = 1000;
	to->cpu[0].class[0] = part;
	return to;
}

/*
 * Costs of 50 and 20, variances 100^2 p (1 - p) / 100 of 25 and 16: the
 * difference is 30 +- 1.96 sqrt(41).
 */
static void samples(void)
{
	struct sampled_estimate have;
	struct fixture fixture;

	set_up(&fixture, LADDER_TCP);
	fixture.above->sampled[0] = sampled(50);
	fixture.below->sampled[0] = sampled(20);
	/* Without its counterpart. */
	fixture.above->sampled[1] = sampled(90);
	ladder_step_sampled(&fixture.ladder, fixture.step, 1, &have);
	TEST_U64("rounds", have.runs, 1);
	TEST_TRUE("mean", fabs(have.mean - 30) < 1e-9);
	TEST_TRUE("half", fabs(have.half_width - 1.959964 * sqrt(41)) < 1e-6);
	ladder_rung_sampled(&fixture.ladder,
			    fixture.above - fixture.ladder.cells, 1, &have);
	TEST_U64("both of a rung", have.runs, 2);
	TEST_TRUE("their mean", fabs(have.mean - 70) < 1e-9);
	free(fixture.above->sampled[0]);
	free(fixture.above->sampled[1]);
	free(fixture.below->sampled[0]);
	free(fixture.ladder.cells);
}

static const struct test_case cases[] = {
	{ "rungs", rungs },
	{ "steps", steps },
	{ "steps by samples", samples },
};

TEST_MAIN(cases)
