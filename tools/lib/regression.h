/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regression: what each of a few quantities costs, from sums of their costs.
 *
 * Pure arithmetic. Observation i has the quantities x_i1, x_i2, ... and what they
 * cost together, y_i. The model has no constant term:
 *
 *   y_i = sum_j b_j x_ij (1 + e_i)
 *
 * with errors e_i that are independent and have one variance: it is the relative
 * error that is alike among observations of different size. Least squares are
 * therefore weighted by 1 / m_i^2, where m_i is the model's value. Since that
 * takes the b_j, weights begin as those of the y_i, and are computed anew until
 * they stay: quasi-likelihood with a constant coefficient of variation,
 * McCullagh and Nelder, "Generalized Linear Models" (2nd edition, 1989), chapter
 * 8. Weights of the y_i alone would favour what came out too low.
 *
 * The confidence interval of b_j is b_j +- t(c, n - p) s sqrt(C_jj), where p is the
 * number of terms, s^2 the sum of the squared relative residuals over n - p, and C
 * the inverse of the matrix of weighted products of the x.
 *
 * The variance inflation of a term is C_jj over what it would be if the other
 * terms were known: 1 where nothing speaks against telling them apart. Products
 * are not centred, as there is no constant: Belsley, Kuh and Welsch, "Regression
 * Diagnostics" (1980), 3.2. Terms are taken in their order; one whose inflation
 * by those before it is above REGRESSION_INFLATION_MAX is left out, and they bear
 * its cost.
 */
#ifndef KTPUT_TOOLS_REGRESSION_H
#define KTPUT_TOOLS_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

#define REGRESSION_TERMS	3
#define REGRESSION_CONFIDENCE	0.95
/* The interval is ten times as wide as if the other terms were known. */
#define REGRESSION_INFLATION_MAX	100
/*
 * Terms are hard to tell apart: D. W. Marquardt, "Generalized Inverses, Ridge
 * Regression, Biased Linear Estimation, and Nonlinear Estimation",
 * Technometrics 12 (1970) 591.
 */
#define REGRESSION_INFLATION_HIGH	10

/**
 * struct regression_point - one observation
 * @x: the quantities, none negative
 * @y: what they cost together, positive
 * @fitted: filled in, what the model says
 * @residual: filled in, @y less @fitted, over the value that weights it
 * @weighted: filled in, the value that weights it: @fitted, or @y where the
 *	model has values that are not positive
 * @basis: filled in, orthonormal columns that the fit is made with
 */
struct regression_point {
	double x[REGRESSION_TERMS];
	double y;
	double fitted;
	double residual;
	double weighted;
	double basis[REGRESSION_TERMS];
};

/**
 * struct regression_term - cost of one quantity
 * @kept: it is in the model
 * @value: the coefficient; NaN where it is not in the model
 * @low: lower end of the confidence interval
 * @high: upper end
 * @inflation: of the variance, by the other terms of the model; of a term that
 *	is left out, by those before it, INFINITY where it is a sum of them
 */
struct regression_term {
	bool kept;
	double value;
	double low;
	double high;
	double inflation;
};

/**
 * struct regression - the model
 * @count: observations
 * @kept: terms in the model
 * @freedom: @count less @kept
 * @term: in the order of the quantities
 * @rms: root of the mean square of the relative residuals
 * @largest: observation whose residual is the largest in magnitude
 */
struct regression {
	size_t count;
	size_t kept;
	size_t freedom;
	struct regression_term term[REGRESSION_TERMS];
	double rms;
	size_t largest;
};

bool regression_fit(struct regression_point *point, size_t count,
		    struct regression *to) __attribute__((warn_unused_result));

#endif
