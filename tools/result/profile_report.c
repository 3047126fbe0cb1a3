// SPDX-License-Identifier: GPL-2.0
/* profile_report: print a profile. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/cpus.h"
#include "profile_report.h"

#define PERCENT		100.0

/* Functions of a class in the table, and in the document. */
#define TABLE_SYMBOLS	5
#define RECORD_SYMBOLS	20

/* Columns that remain for the name of a function. */
#define SYMBOL_WIDTH	46

static const char *class_name(const struct profile_report *report, size_t class)
{
	return class < report->classes->count ?
	       report->classes->class[class].name : "unclassified";
}

static const char *class_title(const struct profile_report *report,
			       size_t class)
{
	return class < report->classes->count ?
	       report->classes->class[class].title : "Unclassified";
}

/* Samples without a stack, on all CPUs. */
static uint64_t lost_samples(const struct profiler *profiler)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < profiler->cpus; i++)
		lost += profiler->cpu[i].lost;
	return lost;
}

/* Cycles of a CPU during the profile, or 0 if unknown. */
static double cycles(const struct profile_report *report,
		     const struct profiler_cpu *cpu)
{
	if (!report->profiler->timer)
		return cpu->count;
	return (double)cpu->count * report->clock_hz / UNITS_NSEC_PER_SEC;
}

static double all_cycles(const struct profile_report *report)
{
	double sum = 0;

	for (size_t i = 0; i < report->profiler->cpus; i++)
		sum += cycles(report, &report->profiler->cpu[i]);
	return sum;
}

/* Cycles of a class: the cycles of a sample differ between CPUs. */
static double class_cycles(const struct profile_report *report, size_t class)
{
	double sum = 0;

	for (size_t i = 0; i < report->breakdown->cpus; i++) {
		const struct breakdown_cpu *cpu = &report->breakdown->cpu[i];

		if (cpu->samples)
			sum += cycles(report, &report->profiler->cpu[i]) *
			       cpu->class[class] / cpu->samples;
	}
	return sum;
}

/* Whether there is a clock of cycles: without one their column has nothing. */
static bool has_cycles(const struct profile_report *report)
{
	return all_cycles(report) > 0;
}

static void print_cycles(struct output *out, const struct profile_report *report,
			 double count)
{
	if (count > 0)
		output_u64(out, "cycles", count, "%.0f", count);
	else if (has_cycles(report))
		output_null(out, "cycles", "-");
	else
		output_data_double(out, "cycles", NAN);
}

static void print_class(struct output *out, const struct profile_report *report,
			const struct breakdown_cpu *cpu, size_t class,
			double count)
{
	struct breakdown_interval share = breakdown_share(cpu, class);

	output_row_begin(out);
	output_data_string(out, "class", class_name(report, class));
	output_string(out, "title", class_title(report, class), "%s",
		      class_title(report, class));
	output_double(out, "share", share.share, "%.2f%%",
		      share.share * PERCENT);
	output_data_double(out, "ci_low", share.low);
	output_double(out, "ci_high", share.high, "%.2f - %.2f%%",
		      share.low * PERCENT, share.high * PERCENT);
	output_u64(out, "samples", cpu->class[class], "%" PRIu64,
		   cpu->class[class]);
	print_cycles(out, report, count);
	if (cpu == &report->breakdown->total)
		output_data_u64(out, "caller_samples",
				report->breakdown->by_caller[class]);
	output_row_end(out);
}

static const struct output_column class_columns[] = {
	{ .title = "class", .width = 28, .left = true },
	{ .title = "share", .width = 7 },
	{ .title = "95% interval", .width = 14 },
	{ .title = "samples" },
	{ .title = "cycles" },
};

/* The column of cycles is the last. */
static size_t class_column_count(const struct profile_report *report)
{
	return COUNT(class_columns) - !has_cycles(report);
}

static bool is_printed(struct output *out, const struct profile_report *report,
		       const struct breakdown_cpu *cpu, size_t class)
{
	return cpu->class[class] || (output_is_json(out) &&
				     class < report->classes->count);
}

static void print_total(struct output *out, const struct profile_report *report)
{
	const struct breakdown_cpu *total = &report->breakdown->total;

	output_text(out, "\nAll CPUs\n");
	output_table_begin(out, "classes", class_columns,
			   class_column_count(report), false);
	for (size_t i = 0; i <= report->classes->count; i++)
		if (is_printed(out, report, total, i))
			print_class(out, report, total, i,
				    class_cycles(report, i));
	output_table_end(out);
}

static void print_cpu(struct output *out, const struct profile_report *report,
		      size_t index)
{
	const struct profiler_cpu *sampled = &report->profiler->cpu[index];
	const struct breakdown_cpu *cpu = &report->breakdown->cpu[index];
	double count = cycles(report, sampled);

	output_object_begin(out, NULL);
	output_u64(out, "cpu", cpu->id, "\nCPU %u", cpu->id);
	output_u64(out, "samples", cpu->samples, ", %" PRIu64 " samples\n",
		   cpu->samples);
	output_data_double(out, "effective_samples", cpu->effective);
	output_data_u64(out, "lost_samples", sampled->lost);
	output_data_u64(out, report->profiler->timer ? "time_ns" :
			"core_cycles", sampled->count);
	if (cpu->samples || output_is_json(out)) {
		output_table_begin(out, "classes", class_columns,
				   class_column_count(report), false);
		for (size_t i = 0; i <= report->classes->count; i++)
			if (is_printed(out, report, cpu, i))
				print_class(out, report, cpu, i,
					    cpu->samples ? count *
					    cpu->class[i] / cpu->samples : 0);
		output_table_end(out);
	}
	output_object_end(out);
}

static void print_symbol(struct output *out,
			 const struct profile_report *report,
			 const struct breakdown_symbol *symbol)
{
	uint64_t all = report->breakdown->total.samples;
	char text[SYMBOL_WIDTH + 1];

	snprintf(text, sizeof(text), *symbol->module ? "%s [%s]" : "%s",
		 *symbol->name ? symbol->name : "unknown", symbol->module);
	output_row_begin(out);
	output_string(out, "class", class_name(report, symbol->class), "%s",
		      class_name(report, symbol->class));
	output_double(out, "share", (double)symbol->samples / all, "%.2f%%",
		      symbol->samples * PERCENT / all);
	output_u64(out, "samples", symbol->samples, "%" PRIu64,
		   symbol->samples);
	output_string(out, "symbol", *symbol->name ? symbol->name : "unknown",
		      "%s", text);
	output_data_string(out, "module", symbol->module);
	output_row_end(out);
}

/* Print the functions of a class, or of all classes, with most samples. */
static void print_symbols(struct output *out,
			  const struct profile_report *report, const char *key,
			  size_t first, size_t last, size_t most)
{
	static const struct output_column columns[] = {
		{ .title = "class", .left = true },
		{ .title = "share", .width = 7 },
		{ .title = "samples" },
		{ .title = "function", .left = true },
	};
	const struct breakdown *breakdown = report->breakdown;
	size_t class = CLASSES_NONE, printed = 0;

	output_table_begin(out, key, columns, COUNT(columns), false);
	for (size_t i = 0; i < breakdown->symbols; i++) {
		const struct breakdown_symbol *symbol = &breakdown->symbol[i];

		if (symbol->class < first || symbol->class > last)
			continue;
		if (symbol->class != class)
			printed = 0;
		class = symbol->class;
		if (printed++ < most)
			print_symbol(out, report, symbol);
	}
	output_table_end(out);
}

static void print_command(struct output *out,
			  const struct profile_report *report)
{
	if (!report->command)
		return;
	output_text(out, "Command        ");
	output_array_begin(out, "command");
	for (char *const *word = report->command; *word; word++)
		output_string(out, NULL, *word, " %s", *word);
	output_array_end(out);
	output_u64(out, "command_status", report->status,
		   report->status ? ", which ended with %d\n" : "\n",
		   report->status);
}

static void print_clock(struct output *out, const struct profile_report *report)
{
	const struct profiler *profiler = report->profiler;

	output_string(out, "clock", profiler->timer ? PROFILER_TIMER :
		      PROFILER_CYCLES, "Sampled by      %s",
		      profiler->timer ? "cpu-clock, a timer of the kernel" :
		      "cycles of the PMU");
	output_u64(out, "frequency_hz", report->frequency_hz,
		   ", %" PRIu64 " times per second\n", report->frequency_hz);
	output_u64(out, "elapsed_ns", profiler->elapsed_ns,
		   "Time            %s\n",
		   units_show_time(profiler->elapsed_ns).text);
	if (!profiler->timer)
		output_string(out, "cycles_of", "core",
			      "Cycles          of the cores, while not idle\n");
	else if (report->clock_hz)
		output_string(out, "cycles_of", report->clock,
			      "Cycles          of %s, while idle too\n",
			      report->clock);
}

static void print_counts(struct output *out,
			 const struct profile_report *report)
{
	const struct breakdown *breakdown = report->breakdown;
	const uint64_t lost = lost_samples(report->profiler);
	struct breakdown_interval share =
		breakdown_share(&breakdown->total, report->classes->count);
	const double count = all_cycles(report);

	output_u64(out, "samples", breakdown->total.samples,
		   "Samples         %" PRIu64, breakdown->total.samples);
	output_double(out, "effective_samples", breakdown->total.effective,
		      " (effective sample size %.0f)",
		      breakdown->total.effective);
	output_u64(out, "lost_samples", lost, lost ? ", %" PRIu64 " lost\n" :
		   "\n", lost);
	output_double(out, "unclassified_share", share.share,
		      "Unclassified    %.2f%%\n", share.share * PERCENT);
	output_data_double(out, "confidence", BREAKDOWN_CONFIDENCE);
	if (count > 0)
		output_data_u64(out, "cycles", count);
	output_data_bool(out, "interrupted", report->interrupted);
}

static void print_profile(struct output *out, const struct profile_report *report)
{
	const size_t none = report->classes->count;

	output_object_begin(out, "profile");
	print_command(out, report);
	print_clock(out, report);
	print_counts(out, report);
	output_array_begin(out, "cpus");
	for (size_t i = 0; i < report->breakdown->cpus; i++)
		print_cpu(out, report, i);
	output_array_end(out);
	print_total(out, report);
	if (report->symbols && report->breakdown->total.samples) {
		output_text(out, "\nFunctions\n");
		print_symbols(out, report, "functions", 0, none,
			      output_is_json(out) ? RECORD_SYMBOLS :
						    TABLE_SYMBOLS);
	}
	if (report->breakdown->total.class[none])
		output_text(out, "\nUnclassified functions\n");
	if (report->breakdown->total.class[none] || output_is_json(out))
		print_symbols(out, report, "unclassified", none, none,
			      RECORD_SYMBOLS);
	output_object_end(out);
}

static int choose_cpus(const struct units_cpus *wanted,
		       struct units_cpus *cpus, struct units_error *err)
{
	struct units_cpus absent = *wanted;
	char list[64];

	if (cpus_online(cpus, err))
		return -1;
	if (wanted->all)
		return 0;
	if (cpus_without(&absent, cpus)) {
		if (cpus_show(&absent, list, sizeof(list)))
			snprintf(list, sizeof(list), "some");
		return units_refuse(err, "refused: cpus: %s: not online", list);
	}
	*cpus = *wanted;
	return 0;
}

/**
 * profiling_open() - prepare for profiler_begin()
 * @profiling: zeroed except for its frequency; profiling_close() releases it, also
 *	after an error
 * @cpus: CPUs to sample
 * @classes: file of the table of classes, or NULL for the installed one
 * @detail: print libbpf's messages to stderr
 * @err: reason for the refusal
 */
int profiling_open(struct profiling *profiling, const struct units_cpus *cpus,
		   const char *classes, bool detail, struct units_error *err)
{
	struct units_cpus sampled;

	if (classes_open(&profiling->classes, classes, err) ||
	    choose_cpus(cpus, &sampled, err) || symbols_check(err))
		return -1;
	return profiler_open(&profiling->profiler, &sampled,
			     profiling->frequency_hz, detail, err);
}

/* Ask the module for its cycle counter; a missing module is not an error. */
static void ask_module(struct profiling *profiling)
{
	struct client_module *module = &profiling->module;
	struct units_error ignored;
	struct client client;

	if (client_open(&client, NULL, &ignored))
		return;
	if (client_module_get(&client, module, &ignored))
		memset(module, 0, sizeof(*module));
	client_close(&client);
}

/**
 * profiling_compute() - classify the samples
 * @profiling: its profiler has stopped
 * @err: why the classification fails
 */
int profiling_compute(struct profiling *profiling, struct units_error *err)
{
	/* Read symbols now to include modules loaded during the profile. */
	if (symbols_open(&profiling->symbols, err) ||
	    profiler_stacks(&profiling->profiler, &profiling->stacks,
			    &profiling->stack_count, err))
		return -1;
	ask_module(profiling);
	return breakdown_compute(profiling->stacks, profiling->stack_count,
				 &profiling->profiler, &profiling->symbols,
				 &profiling->classes, &profiling->breakdown,
				 err);
}

/**
 * profiling_print() - print a profile
 * @profiling: computed profile
 * @out: the output
 * @report: its command is set; the rest is filled in
 */
void profiling_print(const struct profiling *profiling, struct output *out,
		     struct profile_report *report)
{
	report->profiler = &profiling->profiler;
	report->classes = &profiling->classes;
	report->breakdown = &profiling->breakdown;
	report->frequency_hz = profiling->frequency_hz;
	report->clock = profiling->module.clock;
	report->clock_hz = profiling->module.clock_hz;
	print_profile(out, report);
}

/**
 * profiling_warn() - warn of the gaps of a profile
 * @profiling: its profiler has stopped
 * @out: the output
 */
void profiling_warn(const struct profiling *profiling, struct output *out)
{
	const uint64_t lost = lost_samples(&profiling->profiler);

	if (profiling->profiler.timer)
		output_warning(out, "no hardware event for cycles here "
			       "(%s): the timer cpu-clock samples instead, "
			       "and sees nothing while interrupts are off",
			       strerror(profiling->profiler.pmu_error));
	if (lost)
		output_warning(out, "%" PRIu64 " samples are lost: "
			       "there were more different stacks than there is room for",
			       lost);
}

/**
 * profiling_close() - release a profile
 * @profiling: profile from profiling_open(), or zeroes
 */
void profiling_close(struct profiling *profiling)
{
	profiler_close(&profiling->profiler);
	breakdown_free(&profiling->breakdown);
	free(profiling->stacks);
	symbols_free(&profiling->symbols);
	classes_free(&profiling->classes);
}
