// SPDX-License-Identifier: GPL-2.0
/* regression: what each of a few quantities costs, from sums of their costs. */
#include <float.h>
#include <math.h>

#include "regression.h"
#include "statistics.h"

/* Each pass gains digits; more than that is a weight that does not settle. */
#define PASSES		100
#define SETTLED		(1024 * DBL_EPSILON)
/* What rounding leaves of a column that is a sum of the others, over its norm. */
#define ROUNDING	(1024 * DBL_EPSILON)

/* The columns as orthonormal ones times an upper triangle. */
struct triangle {
	double at[REGRESSION_TERMS][REGRESSION_TERMS];
};

static double weighted(const struct regression_point *point, size_t term)
{
	return point->x[term] / point->weighted;
}

static double squares(const struct regression_point *point, size_t count,
		      size_t term)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += weighted(&point[i], term) * weighted(&point[i], term);
	return sum;
}

/*
 * Take out of a column what those before it have, by Gram and Schmidt; twice is
 * enough for what is left to be orthogonal to rounding (Giraud, Langou and
 * Rozloznik, Numerische Mathematik 101 (2005) 87). Return: its norm.
 */
static double orthogonal(struct regression_point *point, size_t count,
			 const struct regression *model, size_t term,
			 struct triangle *triangle)
{
	double norm = 0;

	for (size_t i = 0; i < count; i++)
		point[i].basis[term] = weighted(&point[i], term);
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t k = 0; k < term; k++) {
			double product = 0;

			if (!model->term[k].kept)
				continue;
			for (size_t i = 0; i < count; i++)
				product += point[i].basis[k] *
					   point[i].basis[term];
			for (size_t i = 0; i < count; i++)
				point[i].basis[term] -= product *
							point[i].basis[k];
			triangle->at[k][term] += product;
		}
	}
	for (size_t i = 0; i < count; i++)
		norm += point[i].basis[term] * point[i].basis[term];
	norm = sqrt(norm);
	triangle->at[term][term] = norm;
	for (size_t i = 0; i < count && norm > 0; i++)
		point[i].basis[term] /= norm;
	return norm;
}

/* Which terms can be told apart, by the weights of what was measured. */
static void choose(struct regression_point *point, size_t count,
		   struct regression *model)
{
	struct triangle triangle = { 0 };

	for (size_t j = 0; j < REGRESSION_TERMS; j++) {
		double all = sqrt(squares(point, count, j));
		double own = orthogonal(point, count, model, j, &triangle);
		struct regression_term *term = &model->term[j];

		*term = (struct regression_term) {
			.value = NAN, .low = NAN, .high = NAN,
			.inflation = own > ROUNDING * all ?
				     (all / own) * (all / own) : INFINITY,
		};
		term->kept = term->inflation <= REGRESSION_INFLATION_MAX;
		model->kept += term->kept;
	}
}

/* Coefficients at the present weights, with their triangle. */
static void solve(struct regression_point *point, size_t count,
		  struct regression *model, struct triangle *triangle)
{
	double right[REGRESSION_TERMS] = { 0 };

	*triangle = (struct triangle) { 0 };
	for (size_t j = 0; j < REGRESSION_TERMS; j++) {
		if (!model->term[j].kept)
			continue;
		orthogonal(point, count, model, j, triangle);
		for (size_t i = 0; i < count; i++)
			right[j] += point[i].basis[j] * point[i].y /
				    point[i].weighted;
	}
	for (size_t j = REGRESSION_TERMS; j-- > 0;) {
		double sum = right[j];

		if (!model->term[j].kept)
			continue;
		for (size_t k = j + 1; k < REGRESSION_TERMS; k++)
			if (model->term[k].kept)
				sum -= triangle->at[j][k] *
				       model->term[k].value;
		model->term[j].value = sum / triangle->at[j][j];
	}
	for (size_t i = 0; i < count; i++) {
		point[i].fitted = 0;
		for (size_t j = 0; j < REGRESSION_TERMS; j++)
			if (model->term[j].kept)
				point[i].fitted += model->term[j].value *
						   point[i].x[j];
	}
}

/* Weigh anew. Return: false if that is not possible, or changes nothing. */
static bool weigh(struct regression_point *point, size_t count)
{
	bool moved = false;

	for (size_t i = 0; i < count; i++)
		if (!(point[i].fitted > 0))
			return false;
	for (size_t i = 0; i < count; i++) {
		moved = moved || fabs(point[i].fitted - point[i].weighted) >
				 SETTLED * point[i].weighted;
		point[i].weighted = point[i].fitted;
	}
	return moved;
}

static void judge(struct regression_point *point, size_t count,
		  struct regression *model)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		point[i].residual = (point[i].y - point[i].fitted) /
				    point[i].weighted;
		sum += point[i].residual * point[i].residual;
		if (fabs(point[i].residual) >
		    fabs(point[model->largest].residual))
			model->largest = i;
	}
	model->rms = sqrt(sum / count);
}

/* C_jj, the sum of squares of row j of the inverse of the triangle. */
static double variance_of(const struct regression *model,
			  const struct triangle *triangle, size_t j)
{
	double row[REGRESSION_TERMS] = { 0 }, sum = 0;

	for (size_t k = j; k < REGRESSION_TERMS; k++) {
		double value = k == j;

		if (!model->term[k].kept)
			continue;
		for (size_t m = j; m < k; m++)
			value -= row[m] * triangle->at[m][k];
		row[k] = value / triangle->at[k][k];
		sum += row[k] * row[k];
	}
	return sum;
}

static void bound(struct regression_point *point, size_t count,
		  const struct triangle *triangle, struct regression *model)
{
	double t = statistics_student(REGRESSION_CONFIDENCE, model->freedom);
	double sigma = model->rms * sqrt((double)count / model->freedom);

	for (size_t j = 0; j < REGRESSION_TERMS; j++) {
		struct regression_term *term = &model->term[j];
		double variance, half;

		if (!term->kept)
			continue;
		variance = variance_of(model, triangle, j);
		half = t * sigma * sqrt(variance);
		term->low = term->value - half;
		term->high = term->value + half;
		term->inflation = variance * squares(point, count, j);
	}
}

/**
 * regression_fit() - fit the model
 * @point: the observations; what the model says of each is filled in
 * @count: how many
 * @to: filled in
 *
 * Return: true; false if the observations are too few for the terms that could
 * be told apart, one more than those being the least. Then @to has the number
 * of terms and no values.
 */
bool regression_fit(struct regression_point *point, size_t count,
		    struct regression *to)
{
	struct triangle triangle;
	size_t passes = PASSES;

	*to = (struct regression) { .count = count, .rms = NAN };
	for (size_t i = 0; i < count; i++)
		point[i].weighted = point[i].y;
	choose(point, count, to);
	if (!to->kept || count <= to->kept)
		return false;
	to->freedom = count - to->kept;
	do
		solve(point, count, to, &triangle);
	while (--passes && weigh(point, count));
	judge(point, count, to);
	bound(point, count, &triangle, to);
	return true;
}
