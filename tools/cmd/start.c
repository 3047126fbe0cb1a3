// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl start: run a measurement, or only a source. */
#include "../remote/far.h"
#include "../result/attribute.h"
#include "../result/profile_report.h"
#include "../result/report.h"
#include "../run/recording.h"
#include "../run/run_options.h"
#include "../run/start_plan.h"
#include "bidir.h"
#include "commands.h"
#include "repeat.h"

/* Follow the runs to their end, with a profile if requested. */
static int follow(struct start_plan *plan, struct profiling *profiling,
		  struct units_error *err)
{
	const bool profile = plan->options->profile;

	if (profile && profiler_begin(&profiling->profiler, err))
		return -1;
	report_begin(&plan->session, &plan->route);
	if (session_watch(&plan->session, &interval_view, err))
		return -1;
	return profile ? profiler_stop(&profiling->profiler, err) : 0;
}

static int report(struct start_plan *plan, struct profiling *profiling,
		  struct bidir *bidir, struct units_error *err)
{
	struct output *out = plan->context->out;
	struct units_error ignored;
	struct profile_report profile = {
		.interrupted = plan->session.interrupted,
		.symbols = plan->context->statistics,
	};
	int ret;

	output_text(out, "\n");
	ret = report_end(&plan->session, &plan->route, err);
	ret |= bidir_end(bidir, &plan->session, ret ? &ignored : err);
	if (!plan->options->profile)
		return ret;
	if (profiling_compute(profiling, ret ? &ignored : err))
		return -1;
	output_text(out, "\n");
	profiling_print(profiling, out, &profile);
	return ret;
}

static int open_profiling(const struct start_plan *plan,
			  struct profiling *profiling, struct units_error *err)
{
	if (!plan->options->profile)
		return 0;
	return profiling_open(profiling, &(struct units_cpus){ .all = true },
			      NULL, false, err);
}

/* Begin the session, with the next address of a name if one cannot be reached. */
static int begin(struct start_plan *plan, struct units_error *err)
{
	do {
		if (!plan->options->detach)
			recording_prepare(&plan->session);
		if (!session_begin(&plan->session, err))
			return 0;
		output_document_drop(plan->context->out);
		if (plan->options->bidir || !start_plan_again(plan, err))
			return -1;
	} while (!start_plan_make(plan, err));
	return -1;
}

static int run_once(const struct command_context *context, const void *data,
		    struct repeat_outcome *outcome)
{
	struct run_options options = *(const struct run_options *)data;
	struct start_plan plan = { .context = context, .options = &options };
	struct far far = { 0 };
	struct bidir bidir = { 0 };
	struct profiling profiling = { .frequency_hz = PROFILING_HZ };
	struct session *session = &plan.session;
	struct units_error err;
	bool keep = false;
	int ret;

	ret = bidir_begin(&bidir, context, &options, run_once, &err) ||
	      far_plan(&far, &plan, &options, &err) ||
	      start_plan_make(&plan, &err) ||
	      open_profiling(&plan, &profiling, &err) ? -1 : 0;
	session->meeting = bidir.fd;
	if (!ret)
		ret = begin(&plan, &err);
	if (ret)
		bidir_explain(&bidir, &err);
	if (!ret && plan.options->detach)
		ret = session_await_receiver(session, &err);
	if (!ret && plan.options->detach) {
		keep = true;
		report_detached(session);
	} else if (!ret) {
		ret = follow(&plan, &profiling, &err);
		outcome->ran = !ret;
		outcome->interrupted = session->interrupted;
		if (!ret)
			ret = report(&plan, &profiling, &bidir, &err);
		outcome->valid = !ret;
		outcome->value = session->goodput_bps;
		outcome->disturbed = attribute_disturbed(session);
	}
	session_close(session, !keep);
	far_close(&far);
	bidir_close(&bidir);
	if (ret && bidir_is_other(&options))
		output_data_string(context->out, "error", err.text);
	else if (ret)
		output_error(context->out, "%s", err.text);
	else if (plan.options->profile)
		profiling_warn(&profiling, context->out);
	profiling_close(&profiling);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

static int measure(const struct command_context *context, const void *data)
{
	const struct run_options *options = data;
	struct repeat_outcome outcome = { 0 };

	if (repeat_wanted(&options->repeat))
		return repeat_runs(context, data, &options->repeat, run_once);
	return run_once(context, data, &outcome);
}

static int run(const struct command_context *context, const void *data)
{
	const struct run_options *options = data;

	doctor_hint(context);
	output_stream(context->out, options->json_stream);
	return recording_run(context, data, options->record,
			     options->replace, measure);
}

const struct command command_start = {
	.name = "start",
	.summary = "send, and receive if the sink is on this host; print the result",
	.notes = "Ctrl-C ends the run in order and prints what there is; a second one gives up.",
	.options = &run_options_start,
	.defaults = &run_options_defaults,
	.config_size = sizeof(run_options_defaults),
	.check = run_options_check,
	.run = run,
};
