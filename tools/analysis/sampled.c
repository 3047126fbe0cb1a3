// SPDX-License-Identifier: GPL-2.0
/* sampled: what a byte or a packet costs by the samples of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "sampled.h"
#include "statistics.h"

/* Of the normal distribution, two-sided, for STATISTICS_CONFIDENCE. */
#define QUANTILE	1.959964

#define IDLE	"idle"

/* Index of a name, which is added where it is new; SAMPLED_CLASSES if not. */
static size_t find(struct sampled_names *names, const char *name)
{
	size_t i;

	if (!name)
		return SAMPLED_CLASSES;
	for (i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return i;
	if (i < SAMPLED_CLASSES) {
		names->name[i] = strdup(name);
		names->count += !!names->name[i];
	}
	return i < names->count ? i : SAMPLED_CLASSES;
}

static void read_cpu(struct json_object *from, struct sampled_names *names,
		     struct sampled_cpu *cpu)
{
	struct json_object *classes = json_array(from, "classes");
	const double effective = json_number(from, "effective_samples");

	for (size_t i = 0; i < json_length(classes); i++) {
		struct json_object *class = json_element(classes, i);
		const size_t index = find(names, json_text(class, "class"));
		const double cycles = json_number(class, "cycles");
		const double samples = json_number(class, "samples");

		if (index == SAMPLED_CLASSES || !(samples > 0))
			continue;
		cpu->class[index] = samples;
		cpu->samples += samples;
		cpu->cycles += cycles > 0 ? cycles : 0;
	}
	cpu->effective = effective > 0 ? effective : cpu->samples;
}

/*
 * A PMU counts cycles of the cores, whose frequency is not that of the counter
 * that busy cycles are told by: all of them together are as many as these.
 */
static void scale(struct sampled *sampled, double busy_cycles,
		  const struct sampled_names *names)
{
	double variance;
	double factor = busy_cycles / sampled->units /
			sampled_cost(sampled, sampled_busy(names), &variance);

	for (size_t i = 0; i < sampled->cpus; i++)
		sampled->cpu[i].cycles *= isfinite(factor) ? factor : 0;
}

/**
 * sampled_read() - samples of a run
 * @document: its record, with a profile
 * @packets: its units are packets, else bytes
 * @names: classes; new ones are added
 *
 * Return: for free(); NULL where there are no samples, or nothing that they could
 * be divided by.
 */
struct sampled *sampled_read(struct json_object *document, bool packets,
			     struct sampled_names *names)
{
	struct json_object *cpus = json_array(document, "profile.cpus");
	const double bytes = json_number(document, "result.cpu_bytes");
	const double units = packets ? json_number(document,
						   "result.cpu_packets") : bytes;
	const char *cycles_of = json_text(document, "profile.cycles_of");
	const size_t count = json_length(cpus);
	struct sampled *sampled;

	if (!count || !cycles_of || !(units > 0))
		return NULL;
	sampled = calloc(1, sizeof(*sampled) + count * sizeof(*sampled->cpu));
	if (!sampled)
		return NULL;
	sampled->units = units;
	sampled->cpus = count;
	for (size_t i = 0; i < count; i++)
		read_cpu(json_element(cpus, i), names, &sampled->cpu[i]);
	if (!strcmp(cycles_of, "core"))
		scale(sampled, bytes * json_number(document,
						   "result.busy_cycles_per_byte"),
		      names);
	return sampled;
}

/**
 * sampled_names_free() - forget names
 * @names: names, or zeroes
 */
void sampled_names_free(struct sampled_names *names)
{
	while (names->count)
		free(names->name[--names->count]);
}

/**
 * sampled_set_of() - a set of classes by their names
 * @names: classes that there are
 * @words: names, ended by NULL; one that there is not is left out
 *
 * Return: the set.
 */
sampled_set sampled_set_of(const struct sampled_names *names,
			   const char *const *words)
{
	sampled_set set = 0;

	for (; *words; words++)
		for (size_t i = 0; i < names->count; i++)
			if (!strcmp(names->name[i], *words))
				set |= (sampled_set)1 << i;
	return set;
}

/**
 * sampled_busy() - all classes of a CPU that is not idle
 * @names: classes that there are
 *
 * Return: the set, with what has no class.
 */
sampled_set sampled_busy(const struct sampled_names *names)
{
	static const char *const idle[] = { IDLE, NULL };
	const sampled_set all = ((sampled_set)1 << names->count) - 1;

	return all & ~sampled_set_of(names, idle);
}

/**
 * sampled_cost() - what a set of classes costs
 * @sampled: samples of a run
 * @set: the classes
 * @variance: filled in, by the binomial distribution
 *
 * Return: cycles a unit.
 */
double sampled_cost(const struct sampled *sampled, sampled_set set,
		    double *variance)
{
	double cost = 0;

	*variance = 0;
	for (size_t i = 0; i < sampled->cpus; i++) {
		const struct sampled_cpu *cpu = &sampled->cpu[i];
		const double cycles = cpu->cycles / sampled->units;
		uint64_t part = 0;
		double share;

		if (!cpu->samples)
			continue;
		for (size_t j = 0; j < SAMPLED_CLASSES; j++)
			if (set >> j & 1)
				part += cpu->class[j];
		share = (double)part / cpu->samples;
		cost += cycles * share;
		*variance += cycles * cycles * share * (1 - share) /
			     cpu->effective;
	}
	return cost;
}

/**
 * sampled_estimate() - the mean of costs, or of differences, with its interval
 * @costs: of each run or round
 * @variances: theirs
 * @count: how many
 * @to: filled in
 */
void sampled_estimate(const double *costs, const double *variances,
		      size_t count, struct sampled_estimate *to)
{
	struct statistics statistics;
	double empirical, variance = 0;

	statistics_differences(costs, count, &statistics);
	for (size_t i = 0; i < count; i++)
		variance += variances[i];
	*to = (struct sampled_estimate){
		.runs = count,
		.mean = statistics.mean,
		.binomial = count ? QUANTILE * sqrt(variance) / count : NAN,
		.effective = NAN,
	};
	to->half_width = to->binomial;
	if (statistics.too_short)
		return;
	empirical = statistics_half_width(&statistics);
	to->half_width = fmax(to->binomial, empirical);
	to->effective = fmin(1, pow(to->binomial / empirical, 2));
}

/**
 * sampled_disagree() - whether two methods contradict each other
 * @first: what the first one says
 * @first_half: half of its interval; of NaN nothing is contradicted
 * @second: what the second one says
 * @second_half: half of its interval
 *
 * Return: true where the intervals have nothing in common.
 */
bool sampled_disagree(double first, double first_half, double second,
		      double second_half)
{
	return fabs(first - second) > first_half + second_half;
}
