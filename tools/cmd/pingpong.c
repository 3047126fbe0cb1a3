// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl pingpong: measure the time of requests and responses. */
#include "../remote/far.h"
#include "../result/attribute.h"
#include "../result/report.h"
#include "../run/pingpong_run.h"
#include "../run/recording.h"
#include "commands.h"
#include "pingpong_sweep.h"
#include "repeat.h"

/* Begin the session, with the next address of a name if one cannot be reached. */
static int begin(struct start_plan *plan, const struct command_context *context,
		 const struct run_options *options, struct units_error *err)
{
	do {
		recording_prepare(&plan->session);
		if (!pingpong_run_begin(&plan->session, err))
			return 0;
		output_document_drop(context->out);
		if (!start_plan_again(plan, err))
			return -1;
	} while (!pingpong_run_plan(plan, context, options, 0, err));
	return -1;
}

static int run_once(const struct command_context *context, const void *data,
		    struct repeat_outcome *outcome)
{
	struct run_options own = *(const struct run_options *)data;
	struct start_plan plan = { 0 };
	struct session *session = &plan.session;
	struct far far = { 0 };
	struct units_error err;
	int ret;

	pingpong_run_place(&own);
	ret = far_plan(&far, &plan, &own, &err) ||
	      pingpong_run_plan(&plan, context, &own, 0, &err) ? -1 : 0;
	if (!ret)
		ret = begin(&plan, context, &own, &err);
	if (!ret) {
		report_begin(session, &plan.route);
		ret = session_watch(session, &interval_view, &err);
		outcome->ran = !ret;
		outcome->interrupted = session->interrupted;
		outcome->round_trips = true;
	}
	if (!ret) {
		output_text(context->out, "\n");
		ret = pingpong_report_end(session, &err);
		outcome->valid = !ret;
		outcome->value = pingpong_report_median(session);
		outcome->disturbed = attribute_disturbed(session);
	}
	session_close(session, true);
	far_close(&far);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static int sweep(const struct command_context *context,
		 const struct run_options *options)
{
	struct run_options own = *options;
	struct units_error err;

	pingpong_run_place(&own);
	if (!pingpong_sweep(context, &own, &err))
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static int make(const struct command_context *context, const void *data)
{
	const struct run_options *options = data;
	struct repeat_outcome outcome = { 0 };

	if (RUN_GIVEN(context, sizes))
		return sweep(context, options);
	if (repeat_wanted(&options->repeat))
		return repeat_runs(context, data, &options->repeat, run_once);
	return run_once(context, data, &outcome);
}

static int run(const struct command_context *context, const void *data)
{
	const struct run_options *options = data;

	return recording_run(context, data, options->record,
			     options->replace, make);
}

const struct command command_pingpong = {
	.name = "pingpong",
	.summary = "send requests, have them answered, print how long that takes",
	.notes = "Ctrl-C ends the run in order and prints what there is; a second one gives up.",
	.options = &run_options_pingpong,
	.defaults = &run_options_defaults,
	.config_size = sizeof(run_options_defaults),
	.check = run_options_check,
	.run = run,
};
