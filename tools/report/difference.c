// SPDX-License-Identifier: GPL-2.0
/* difference: how far two means are apart, and how sure that is. */
#include <math.h>

#include "difference.h"

/* Square of the standard error, from the interval that it was made to. */
static double squared_error(const struct statistics *of)
{
	double half = (of->ci_high - of->ci_low) / 2;

	if (of->batches < 2)
		return NAN;
	return pow(half / statistics_student(of->confidence, of->batches - 1),
		   2);
}

static size_t freedom(double u, size_t m, double v, size_t n)
{
	double least = m < n ? m : n;

	/* Welch's is never less, but rounding may make it so. */
	return fmax(floor((u + v) * (u + v) / (u * u / m + v * v / n)), least);
}

/**
 * difference_compute() - compare two means
 * @a: of one series
 * @b: of another, which does not depend on the first
 * @to: filled in
 */
void difference_compute(const struct statistics *a, const struct statistics *b,
			struct difference *to)
{
	double u = squared_error(a), v = squared_error(b);
	double half;

	*to = (struct difference) {
		.value = b->mean - a->mean, .low = NAN, .high = NAN,
	};
	to->relative = a->mean ? to->value / fabs(a->mean) : NAN;
	if (isnan(u) || isnan(v) || isnan(to->value))
		return;
	half = u + v > 0 ? sqrt(u + v) *
		statistics_student(a->confidence,
				   freedom(u, a->batches - 1, v,
					   b->batches - 1)) : 0;
	to->low = to->value - half;
	to->high = to->value + half;
	to->distinguishable = to->low > 0 || to->high < 0;
}
