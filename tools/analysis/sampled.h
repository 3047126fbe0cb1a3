/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampled: what a byte or a packet costs by the samples of a run, read back from
 * its profile.
 *
 * Pure arithmetic. CPU c had C_c cycles while it was sampled; p_c is the share of
 * its samples in a set of classes, n_c as how many independent ones they count,
 * and the run has carried u units. The set costs
 *
 *   x = sum over c of C_c p_c / u
 *
 * a unit, with the variance of a binomial share (Wilson's interval, which
 * breakdown.h has for a single share, goes over into it for many samples):
 *
 *   v = sum over c of (C_c / u)^2 p_c (1 - p_c) / n_c
 *
 * The difference of two runs has the difference of their x and the sum of their
 * v. Over R rounds the mean has the half width
 *
 *   b = z sqrt(sum of v) / R                         z of the normal distribution
 *   e = t(R - 1) s / sqrt(R)                         t of Student's distribution
 *
 * by the binomial distribution and by how much the rounds differ, for which 3
 * rounds are needed. Samples in a row may be alike, and machines change from run
 * to run: the wider one counts. (e / b)^2 is Kish's design effect, and n over it
 * the effective number of samples: Kish, "Survey Sampling", Wiley 1965, 8.2.
 */
#ifndef KTPUT_TOOLS_SAMPLED_H
#define KTPUT_TOOLS_SAMPLED_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classes.h"

/* Classes of a table, and what is in none. */
#define SAMPLED_CLASSES	(CLASSES_MAX + 1)

/**
 * struct sampled_names - the classes of the profiles of a ladder
 * @count: how many
 * @name: their names, for free()
 */
struct sampled_names {
	size_t count;
	char *name[SAMPLED_CLASSES];
};

/**
 * struct sampled_cpu - samples of a CPU
 * @cycles: while they were taken
 * @samples: how many
 * @effective: as how many independent ones they count
 * @class: of them by class, in the order of the names
 */
struct sampled_cpu {
	double cycles;
	uint64_t samples;
	double effective;
	uint64_t class[SAMPLED_CLASSES];
};

/**
 * struct sampled - samples of a run
 * @units: bytes or packets that it carried
 * @cpus: CPUs
 * @cpu: samples of each
 */
struct sampled {
	double units;
	size_t cpus;
	struct sampled_cpu cpu[];
};

/**
 * struct sampled_estimate - what a set of classes costs
 * @runs: runs, or rounds
 * @mean: cycles a unit; NaN of none
 * @half_width: half of the 95% confidence interval; NaN of none
 * @binomial: half width by the binomial distribution alone
 * @effective: share of the samples that are worth an independent one, at most 1;
 *	NaN where that is not known
 */
struct sampled_estimate {
	size_t runs;
	double mean;
	double half_width;
	double binomial;
	double effective;
};

/* A set of classes, a bit for each name. */
typedef uint64_t sampled_set;

struct sampled *sampled_read(struct json_object *document, bool packets,
			     struct sampled_names *names);
void sampled_names_free(struct sampled_names *names);
sampled_set sampled_set_of(const struct sampled_names *names,
			   const char *const *words);
sampled_set sampled_busy(const struct sampled_names *names);
double sampled_cost(const struct sampled *sampled, sampled_set set,
		    double *variance);
void sampled_estimate(const double *costs, const double *variances,
		      size_t count, struct sampled_estimate *to);
bool sampled_disagree(double first, double first_half, double second,
		      double second_half);

#endif
