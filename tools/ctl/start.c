// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl start: a measurement, or a source alone. */
#include "commands.h"
#include "recording.h"
#include "report.h"
#include "start_options.h"
#include "start_plan.h"

static int run_once(const struct command_context *context, const void *data,
		    struct repeat_outcome *outcome)
{
	struct start_plan plan = { .context = context, .options = data };
	struct session *session = &plan.session;
	struct units_error err;
	bool keep = false;
	int ret;

	ret = start_plan_make(&plan, &err);
	if (!ret && !plan.options->run.detach)
		recording_prepare(session);
	if (!ret)
		ret = session_begin(session, &err);
	if (ret)
		output_document_drop(context->out);
	if (!ret && plan.options->run.detach) {
		keep = true;
		report_detached(session);
	} else if (!ret) {
		report_begin(session, &plan.route);
		ret = session_watch(session, &err);
		outcome->ran = !ret;
		outcome->interrupted = session->interrupted;
		if (!ret)
			ret = report_end(session, &plan.route, &err);
		outcome->valid = !ret;
		outcome->goodput_bps = session->goodput_bps;
	}
	session_close(session, !keep);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static int measure(const struct command_context *context, const void *data)
{
	const struct start_options *options = data;
	struct repeat_outcome outcome = { 0 };

	if (repeat_wanted(&options->repeat))
		return repeat_runs(context, data, &options->repeat, run_once);
	return run_once(context, data, &outcome);
}

static int run(const struct command_context *context, const void *data)
{
	const struct start_options *options = data;

	return recording_run(context, data, options->run.record, measure);
}

const struct command command_start = {
	.name = "start",
	.summary = "send, and receive if the sink is on this host; print the result",
	.notes = "Ctrl-C ends the run in order and prints what there is; a second one gives up.",
	.options = &start_options_table,
	.defaults = &start_options_defaults,
	.config_size = sizeof(start_options_defaults),
	.check = start_options_check,
	.run = run,
};
