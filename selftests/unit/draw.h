/* SPDX-License-Identifier: GPL-2.0 */
/*
 * draw: random values for simulations.
 *
 * A generator of our own, so that the figures are the same everywhere.
 */
#ifndef KTPUT_UNIT_DRAW_H
#define KTPUT_UNIT_DRAW_H

#include <math.h>
#include <stdint.h>

static uint64_t draw_state;

/* Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014. */
static inline double draw_uniform(void)
{
	uint64_t z = draw_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Box and Muller; of the two, the one by cosine. */
static inline double draw_normal(void)
{
	double radius = sqrt(-2 * log(1 - draw_uniform()));

	return radius * cos(2 * M_PI * draw_uniform());
}

#endif
