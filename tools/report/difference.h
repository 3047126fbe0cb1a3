/* SPDX-License-Identifier: GPL-2.0 */
/*
 * difference: how far two means are apart, and how sure that is.
 *
 * The interval is Welch's: (b - a) +- t(c, f) sqrt(u + v), where u and v are the
 * squares of the standard errors of a and b, and
 *
 *   f = (u + v)^2 / (u^2 / m + v^2 / n)
 *
 * with m and n the degrees of freedom of u and v, rounded down: B. L. Welch,
 * "The generalization of 'Student's' problem when several different population
 * variances are involved", Biometrika 34 (1947) 28.
 */
#ifndef KTPUT_REPORT_DIFFERENCE_H
#define KTPUT_REPORT_DIFFERENCE_H

#include <stdbool.h>

#include "../lib/statistics.h"

/**
 * struct difference - between two means
 * @value: b less a
 * @relative: the same over a
 * @low: lower end of the confidence interval, NAN where there is none
 * @high: upper end
 * @distinguishable: the interval does not hold zero
 */
struct difference {
	double value;
	double relative;
	double low;
	double high;
	bool distinguishable;
};

void difference_compute(const struct statistics *a, const struct statistics *b,
			struct difference *to);

#endif
