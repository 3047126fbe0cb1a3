// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl profile: break down the cycles of a run, or of any command. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../analysis/breakdown.h"
#include "../base/clocks.h"
#include "../base/interrupt.h"
#include "../engines/child.h"
#include "../result/profile_report.h"
#include "commands.h"

#define MAX_HZ		100000

/* A child that ignores this many SIGINTs gets SIGKILL. */
#define PATIENCE	2

struct profile_options {
	uint64_t frequency_hz;
	struct units_cpus cpus;
	const char *classes;
	const char *folded;
	uint64_t time_ns;
	char *const *command;
};

static const struct profile_options defaults = {
	.frequency_hz = PROFILING_HZ,
	.cpus.all = true,
};

#define FIELD(name)	.target = offsetof(struct profile_options, name)

static const struct options_entry entries[] = {
	{
		.keyword = "freq", .argument = "N", .parse = options_count,
		FIELD(frequency_hz), .min = 1, .max = MAX_HZ,
		.help = "samples of each CPU in a second",
		.otherwise = "999",
	}, {
		.keyword = "cpus", .argument = "LIST",
		.values = OPTIONS_CPUS, .parse = options_cpus,
		FIELD(cpus),
		.help = "CPUs to sample",
		.otherwise = "all",
	}, {
		.keyword = "classes", .argument = "FILE",
		.values = OPTIONS_FILES, .parse = options_word,
		FIELD(classes),
		.help = "table of classes",
		.otherwise = "share/ktput/classes.txt",
	}, {
		.keyword = "folded", .argument = "FILE",
		.values = OPTIONS_FILES, .parse = options_word,
		FIELD(folded),
		.help = "write the stacks to FILE, folded, as flamegraph.pl and "
			"speedscope read them",
	}, {
		.keyword = "time", .argument = "TIME", .parse = options_time,
		FIELD(time_ns), .min = 1, .max = UINT64_MAX,
		.help = "how long",
		.otherwise = "as long as the command",
	}, {
		.keyword = "--", .argument = "COMMAND...", .rest = true,
		FIELD(command),
		.help = "program to run meanwhile, and its arguments",
	},
};

/* State of a profile, released at its end. */
struct profile_run {
	const struct profile_options *options;
	struct profiling profiling;
	struct child child;
	FILE *folded;
	int status;
	bool interrupted;
	bool json;
};

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct profile_options *options = data;

	(void)context;
	if (options->time_ns || options->command)
		return 0;
	return units_refuse(err, "'time' is missing, or '--' and a command");
}

/* Forward an interrupt to the command. Without a command it ends the profile. */
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

/* Wait until @until or the end of the command; true for the latter. */
static bool wait_for(struct profile_run *run, uint64_t until)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = interrupt_catch(), .events = POLLIN },
			{ .fd = run->child.pid ? run->child.fd : -1,
			  .events = POLLIN },
		};
		uint64_t now = monotonic_ns();
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
	uint64_t now = monotonic_ns();

	return !options->time_ns || options->time_ns > UINT64_MAX - now ?
	       UINT64_MAX : now + options->time_ns;
}

static int sample(struct profile_run *run, struct units_error *err)
{
	const struct profile_options *options = run->options;
	struct profiler *profiler = &run->profiling.profiler;
	/* Keep the command's output out of the JSON. */
	static const int apart[] = { STDERR_FILENO, STDERR_FILENO };
	bool ended;

	interrupt_catch();
	if (profiler_begin(profiler, err))
		return -1;
	if (options->command &&
	    child_start(&run->child, options->command,
			run->json ? apart : NULL, err))
		return -1;
	ended = wait_for(run, end_of(options));
	if (profiler_stop(profiler, err))
		return -1;
	/* The command may outlast the sampled time. */
	if (!ended && run->child.pid)
		wait_for(run, UINT64_MAX);
	return 0;
}

/* Before anything is sampled, so that it is not sampled in vain. */
static int open_folded(struct profile_run *run, struct units_error *err)
{
	const char *path = run->options->folded;

	if (!path)
		return 0;
	run->folded = fopen(path, "we");
	if (run->folded)
		return 0;
	return units_refuse(err, "cannot write '%s': %s", path,
			    strerror(errno));
}

static int close_folded(struct profile_run *run, struct units_error *err)
{
	const struct profiling *profiling = &run->profiling;
	FILE *to = run->folded;
	int ret;

	if (!to)
		return 0;
	run->folded = NULL;
	folded_write(profiling->stacks, profiling->stack_count,
		     &profiling->symbols, to);
	ret = ferror(to);
	if (!fclose(to) && !ret)
		return 0;
	return units_refuse(err, "cannot write '%s': %s", run->options->folded,
			    strerror(errno));
}

static int profile(struct profile_run *run, bool detail,
		   struct units_error *err)
{
	const struct profile_options *options = run->options;

	run->profiling.frequency_hz = options->frequency_hz;
	if (open_folded(run, err) ||
	    profiling_open(&run->profiling, &options->cpus, options->classes,
			   detail, err) ||
	    sample(run, err))
		return -1;
	return profiling_compute(&run->profiling, err);
}

static void release(struct profile_run *run)
{
	if (run->folded)
		fclose(run->folded);
	child_close(&run->child);
	profiling_close(&run->profiling);
}

static int print(const struct command_context *context, struct profile_run *run)
{
	struct profile_report report = {
		.command = run->options->command,
		.status = run->status,
		.interrupted = run->interrupted,
		.symbols = context->statistics,
	};

	profiling_warn(&run->profiling, context->out);
	profiling_print(&run->profiling, context->out, &report);
	return run->status ? COMMAND_FAILED : COMMAND_DONE;
}

static int run(const struct command_context *context, const void *data)
{
	struct profile_run *run = calloc(1, sizeof(*run));
	int ret, status = COMMAND_FAILED;
	struct units_error err;

	if (!run) {
		output_error(context->out, "out of memory");
		return COMMAND_FAILED;
	}
	run->options = data;
	run->json = output_is_json(context->out);
	/* libbpf prints its details as text. */
	ret = profile(run, context->statistics && output_is_text(context->out),
		      &err);
	if (!ret) {
		status = print(context, run);
		ret = close_folded(run, &err);
	}
	if (ret)
		output_error(context->out, "%s", err.text);
	release(run);
	free(run);
	return ret ? COMMAND_FAILED : status;
}

const struct command command_profile = {
	.name = "profile",
	.summary = "where the cycles of a run, or of any command, go",
	.notes = "Kernel stacks are sampled on each CPU, whatever runs there, and classed by a\n"
		 "table: see Documentation/measure/profile.rst.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
