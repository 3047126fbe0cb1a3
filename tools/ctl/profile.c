// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl profile: where the cycles of a run, or of any command, go. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/client.h"
#include "../lib/cpus.h"
#include "child.h"
#include "commands.h"
#include "interrupt.h"
#include "profile_report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_HZ		100000

/* One that ignores SIGINT so often is not asked any more. */
#define PATIENCE	2

struct profile_options {
	uint64_t frequency_hz;
	struct units_cpus cpus;
	const char *classes;
	uint64_t time_ns;
	char *const *command;
};

/* Not a divisor of the tick's frequency, lest it always meets the same work. */
static const struct profile_options defaults = {
	.frequency_hz = 999,
	.cpus.all = true,
};

#define FIELD(name)	.target = offsetof(struct profile_options, name)

static const struct options_entry entries[] = {
	{
		.keyword = "freq", .argument = "N", .parse = options_count,
		FIELD(frequency_hz), .min = 1, .max = MAX_HZ,
		.help = "samples of each CPU in a second (default 999)",
	}, {
		.keyword = "cpus", .argument = "LIST", .parse = options_cpus,
		FIELD(cpus), .help = "CPUs to sample (default all)",
	}, {
		.keyword = "classes", .argument = "FILE", .parse = options_word,
		FIELD(classes),
		.help = "table of classes (default share/ktput/classes.txt)",
	}, {
		.keyword = "time", .argument = "TIME", .parse = options_time,
		FIELD(time_ns), .min = 1, .max = UINT64_MAX,
		.help = "how long (default: as long as the command)",
	}, {
		.keyword = "--", .argument = "COMMAND...", .rest = true,
		FIELD(command),
		.help = "program to run meanwhile, and its arguments",
	},
};

/* What one profile has, and what is to be let go in the end. */
struct profile_run {
	const struct profile_options *options;
	struct units_cpus cpus;
	struct classes classes;
	struct symbols symbols;
	struct profiler profiler;
	struct profiler_stack *stacks;
	size_t stack_count;
	struct breakdown breakdown;
	struct client_module module;
	struct child child;
	int status;
	bool interrupted;
};

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct profile_options *options = data;

	(void)context;
	if (options->time_ns || options->command)
		return 0;
	units_refuse(err, "'time' is missing, or '--' and a command");
	return -1;
}

static int choose_cpus(struct profile_run *run, struct units_error *err)
{
	const struct units_cpus *wanted = &run->options->cpus;
	struct units_cpus absent = *wanted;
	char list[64];

	if (cpus_online(&run->cpus, err))
		return -1;
	if (wanted->all)
		return 0;
	if (cpus_without(&absent, &run->cpus)) {
		if (cpus_show(&absent, list, sizeof(list)))
			snprintf(list, sizeof(list), "some");
		units_refuse(err, "refused: cpus: %s: not online", list);
		return -1;
	}
	run->cpus = *wanted;
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UNITS_NSEC_PER_SEC + now.tv_nsec;
}

/* Hands an interrupt on; the profile ends with the command, or with this. */
static bool interrupted(struct profile_run *run)
{
	interrupt_drain();
	run->interrupted = true;
	if (!run->child.pid)
		return true;
	child_signal(&run->child, interrupt_count() > PATIENCE ? SIGKILL :
								SIGINT);
	return false;
}

/* Until @until, or the end of the command; true for the latter. */
static bool wait_for(struct profile_run *run, uint64_t until)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = interrupt_catch(), .events = POLLIN },
			{ .fd = run->child.pid ? run->child.fd : -1,
			  .events = POLLIN },
		};
		uint64_t now = now_ns();
		struct timespec left = { 0 };

		if (now >= until)
			return false;
		left.tv_sec = (until - now) / UNITS_NSEC_PER_SEC;
		left.tv_nsec = (until - now) % UNITS_NSEC_PER_SEC;
		if (ppoll(fds, COUNT(fds), &left, NULL) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents) {
			run->status = child_wait(&run->child);
			return true;
		}
		if (fds[0].revents && interrupted(run))
			return true;
	}
}

static uint64_t end_of(const struct profile_options *options)
{
	uint64_t now = now_ns();

	return !options->time_ns || options->time_ns > UINT64_MAX - now ?
	       UINT64_MAX : now + options->time_ns;
}

static int sample(struct profile_run *run, bool detail, struct units_error *err)
{
	const struct profile_options *options = run->options;
	bool ended;

	interrupt_catch();
	if (profiler_start(&run->profiler, &run->cpus, options->frequency_hz,
			   detail, err))
		return -1;
	if (options->command &&
	    child_start(&run->child, options->command, NULL, err))
		return -1;
	ended = wait_for(run, end_of(options));
	if (profiler_stop(&run->profiler, err))
		return -1;
	/* It may take longer than what is sampled of it. */
	if (!ended && run->child.pid)
		wait_for(run, UINT64_MAX);
	return 0;
}

/* What cycles are counted in; no matter if there is no module. */
static void ask_module(struct profile_run *run)
{
	struct units_error ignored;
	struct client client;

	if (client_open(&client, NULL, &ignored))
		return;
	if (client_module_get(&client, &run->module, &ignored))
		memset(&run->module, 0, sizeof(run->module));
	client_close(&client);
}

static int profile(struct profile_run *run, bool detail,
		   struct units_error *err)
{
	if (classes_open(&run->classes, run->options->classes, err) ||
	    choose_cpus(run, err) || symbols_check(err) ||
	    sample(run, detail, err))
		return -1;
	/* Now, so that modules that came meanwhile are there. */
	if (symbols_open(&run->symbols, err) ||
	    profiler_stacks(&run->profiler, &run->stacks, &run->stack_count,
			    err))
		return -1;
	ask_module(run);
	return breakdown_compute(run->stacks, run->stack_count, &run->profiler,
				 &run->symbols, &run->classes, &run->breakdown,
				 err);
}

static void release(struct profile_run *run)
{
	child_close(&run->child);
	profiler_close(&run->profiler);
	breakdown_free(&run->breakdown);
	free(run->stacks);
	symbols_free(&run->symbols);
	classes_free(&run->classes);
}

static int print(const struct command_context *context, struct profile_run *run)
{
	const struct profile_report report = {
		.profiler = &run->profiler,
		.classes = &run->classes,
		.breakdown = &run->breakdown,
		.frequency_hz = run->options->frequency_hz,
		.clock = run->module.clock,
		.clock_hz = run->module.clock_hz,
		.command = run->options->command,
		.status = run->status,
		.interrupted = run->interrupted,
		.symbols = context->statistics,
	};

	if (run->profiler.timer)
		output_warning(context->out, "no hardware event for cycles here "
			       "(%s): the timer cpu-clock samples instead, "
			       "and sees nothing while interrupts are off",
			       strerror(run->profiler.pmu_error));
	if (profile_report_lost(&report))
		output_warning(context->out, "%" PRIu64 " samples are lost: "
			       "there were more different stacks than there is room for",
			       profile_report_lost(&report));
	profile_report_print(context->out, &report);
	return run->status ? COMMAND_FAILED : COMMAND_DONE;
}

static int run(const struct command_context *context, const void *data)
{
	struct profile_run *run = calloc(1, sizeof(*run));
	struct units_error err;
	int ret;

	if (!run) {
		output_error(context->out, "out of memory");
		return COMMAND_FAILED;
	}
	run->options = data;
	ret = profile(run, context->statistics, &err);
	if (ret)
		output_error(context->out, "%s", err.text);
	ret = ret ? COMMAND_FAILED : print(context, run);
	release(run);
	free(run);
	return ret;
}

const struct command command_profile = {
	.name = "profile",
	.summary = "where the cycles of a run, or of any command, go",
	.notes = "Kernel stacks are sampled on each CPU, whatever runs there, and classed by a\n"
		 "table: see Documentation/profile.rst.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
