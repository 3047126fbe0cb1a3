// SPDX-License-Identifier: GPL-2.0
/* Sampled: costs of classes, their variances, and when methods disagree. */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "../../tools/analysis/sampled.h"
#include "test.h"

/* Half of CPU 0 copies, a quarter idles; CPU 1 waits with all it has. */
#define CPUS								\
	"\"cpus\":["							\
	"{\"effective_samples\":50,\"classes\":["			\
	"{\"class\":\"copy\",\"samples\":50,\"cycles\":500},"	\
	"{\"class\":\"tcp\",\"samples\":25,\"cycles\":250},"		\
	"{\"class\":\"idle\",\"samples\":25,\"cycles\":250}]},"		\
	"{\"classes\":[{\"class\":\"copy\",\"samples\":0,\"cycles\":null},"	\
	"{\"class\":\"lock\",\"samples\":10,\"cycles\":2000}]}]"

static struct sampled *sampled_of(const char *text, bool packets,
				  struct sampled_names *names)
{
	struct json_object *document = json_tokener_parse(text);
	struct sampled *sampled = sampled_read(document, packets, names);

	TEST_TRUE(text, document);
	json_object_put(document);
	return sampled;
}

static void near(const char *what, double have, double want)
{
	if (!(fabs(have - want) <= 1e-9 * fabs(want)))
		TEST_FAIL("%s: have %.12g, want %.12g", what, have, want);
}

static void costs(void)
{
	static const char *const copy[] = { "copy", NULL };
	static const char *const two[] = { "copy", "tcp", "none", NULL };
	struct sampled_names names = { 0 };
	struct sampled *sampled = sampled_of("{\"profile\":{\"cycles_of\":"
		"\"tsc\"," CPUS "},\"result\":{\"cpu_bytes\":10,"
		"\"cpu_packets\":2}}", false, &names);
	double variance;

	TEST_TRUE("it has samples", sampled);
	if (!sampled)
		return;
	TEST_U64("names", names.count, 4);
	near("copy", sampled_cost(sampled, sampled_set_of(&names, copy),
				  &variance), 50);
	/* (1000 / 10)^2 x 0.5 x 0.5 / 50 */
	near("its variance", variance, 50);
	near("two", sampled_cost(sampled, sampled_set_of(&names, two),
				 &variance), 75);
	near("their variance", variance, 1e4 * 0.75 * 0.25 / 50);
	near("busy", sampled_cost(sampled, sampled_busy(&names), &variance),
	     275);
	near("nothing varies on CPU 1", variance, 1e4 * 0.75 * 0.25 / 50);
	free(sampled);
	sampled = sampled_of("{\"profile\":{\"cycles_of\":\"tsc\"," CPUS "},"
			     "\"result\":{\"cpu_bytes\":10,\"cpu_packets\":2}}",
			     true, &names);
	near("of a packet", sampled_cost(sampled, sampled_set_of(&names, copy),
					 &variance), 250);
	free(sampled);
	sampled_names_free(&names);
}

/* A PMU's cycles become those that the run was busy. */
static void scaled(void)
{
	static const char *const copy[] = { "copy", NULL };
	struct sampled_names names = { 0 };
	struct sampled *sampled = sampled_of("{\"profile\":{\"cycles_of\":"
		"\"core\"," CPUS "},\"result\":{\"cpu_bytes\":10,"
		"\"busy_cycles_per_byte\":550}}", false, &names);
	double variance;

	TEST_TRUE("it has samples", sampled);
	if (!sampled)
		return;
	near("busy", sampled_cost(sampled, sampled_busy(&names), &variance),
	     550);
	near("copy", sampled_cost(sampled, sampled_set_of(&names, copy),
				  &variance), 100);
	free(sampled);
	sampled_names_free(&names);
}

static void absent(void)
{
	static const char *const texts[] = {
		"{}",
		"{\"profile\":{" CPUS "},\"result\":{\"cpu_bytes\":10}}",
		"{\"profile\":{\"cycles_of\":\"tsc\"," CPUS "}}",
		"{\"profile\":{\"cycles_of\":\"tsc\",\"cpus\":[]},"
			"\"result\":{\"cpu_bytes\":10}}",
		"{\"profile\":{\"cycles_of\":\"tsc\"," CPUS "},"
			"\"result\":{\"cpu_bytes\":0}}",
	};
	struct sampled_names names = { 0 };

	for (size_t i = 0; i < TEST_COUNT(texts); i++)
		TEST_TRUE(texts[i], !sampled_of(texts[i], false, &names));
	sampled_names_free(&names);
}

/* What is beyond the room for names is in no class, and breaks nothing. */
static void many_classes(void)
{
	struct json_object *document = json_object_new_object();
	struct json_object *profile = json_object_new_object();
	struct json_object *result = json_object_new_object();
	struct json_object *cpus = json_object_new_array();
	struct json_object *cpu = json_object_new_object();
	struct json_object *classes = json_object_new_array();
	struct sampled_names names = { 0 };
	struct sampled *sampled;
	double variance;

	for (int i = 0; i < SAMPLED_CLASSES + 5; i++) {
		struct json_object *class = json_object_new_object();
		char name[16];

		snprintf(name, sizeof(name), "c%d", i);
		json_object_object_add(class, "class",
				       json_object_new_string(name));
		json_object_object_add(class, "samples", json_object_new_int(1));
		json_object_object_add(class, "cycles", json_object_new_int(2));
		json_object_array_add(classes, class);
	}
	json_object_object_add(cpu, "classes", classes);
	json_object_array_add(cpus, cpu);
	json_object_object_add(profile, "cycles_of",
			       json_object_new_string("tsc"));
	json_object_object_add(profile, "cpus", cpus);
	json_object_object_add(result, "cpu_bytes", json_object_new_int(1));
	json_object_object_add(document, "profile", profile);
	json_object_object_add(document, "result", result);
	sampled = sampled_read(document, false, &names);
	TEST_U64("names", names.count, SAMPLED_CLASSES);
	near("all", sampled_cost(sampled, sampled_busy(&names), &variance),
	     2 * SAMPLED_CLASSES);
	free(sampled);
	sampled_names_free(&names);
	json_object_put(document);
}

static void estimates(void)
{
	static const double alike[] = { 10, 10, 10, 10 };
	static const double apart[] = { 9, 10, 11 };
	static const double variance[] = { 4, 4, 4, 4 };
	struct sampled_estimate estimate;

	sampled_estimate(alike, variance, 4, &estimate);
	near("mean", estimate.mean, 10);
	/* 1.959964 x sqrt(16) / 4 */
	near("binomial", estimate.binomial, 1.959964);
	near("which is the wider one", estimate.half_width, 1.959964);
	near("all samples count", estimate.effective, 1);
	/* 4.302653 x 1 / sqrt(3), beside 1.959964 x sqrt(12) / 3 x 0.01 */
	sampled_estimate(apart, (const double[]){ 4e-4, 4e-4, 4e-4 }, 3,
			 &estimate);
	TEST_TRUE("rounds differ by more",
		  fabs(estimate.half_width - 2.484138) < 1e-5);
	TEST_TRUE("fewer samples count", fabs(estimate.effective -
		  pow(0.0226317 / 2.484138, 2)) < 1e-8);
	sampled_estimate(apart, variance, 2, &estimate);
	near("two rounds do not tell", estimate.half_width,
	     1.959964 * sqrt(8) / 2);
	TEST_TRUE("nor how many count", isnan(estimate.effective));
	sampled_estimate(apart, variance, 0, &estimate);
	TEST_TRUE("nothing of none", isnan(estimate.mean) &&
		  isnan(estimate.half_width));
}

static void disagreement(void)
{
	TEST_TRUE("intervals that meet", !sampled_disagree(1, 2, 5, 2));
	TEST_TRUE("intervals apart", sampled_disagree(1, 2, 5.01, 2));
	TEST_TRUE("either way", sampled_disagree(5.01, 2, 1, 2));
	TEST_TRUE("what is not known", !sampled_disagree(1, NAN, 5, 0));
}

static const struct test_case cases[] = {
	{ "costs of classes", costs },
	{ "cycles of cores", scaled },
	{ "profiles without samples", absent },
	{ "more classes than there is room for", many_classes },
	{ "means and intervals", estimates },
	{ "when methods disagree", disagreement },
};

TEST_MAIN(cases)
