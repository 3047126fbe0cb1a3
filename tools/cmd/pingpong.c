// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl pingpong: measure the time of requests and responses. */
#include "commands.h"
#include "../result/pingpong_report.h"
#include "../result/interval.h"
#include "../run/pingpong_run.h"
#include "../remote/far.h"
#include "pingpong_sweep.h"
#include "../run/recording.h"
#include "../result/report.h"

static int measure(const struct command_context *context,
		   const struct run_options *options,
		   struct units_error *err)
{
	struct run_options own = *options;
	struct start_plan plan = { 0 };
	struct session *session = &plan.session;
	struct far far = { 0 };
	int ret;

	ret = far_plan(&far, &plan, &own, err) ||
	      pingpong_run_plan(&plan, context, &own, 0, err) ? -1 : 0;
	if (!ret)
		recording_prepare(session);
	if (!ret)
		ret = session_begin(session, err);
	if (ret)
		output_document_drop(context->out);
	if (!ret) {
		report_begin(session, &plan.route);
		ret = session_watch(session, &interval_view, err);
	}
	if (!ret) {
		output_text(context->out, "\n");
		ret = pingpong_report_end(session, err);
	}
	session_close(session, true);
	far_close(&far);
	return ret;
}

/* The sink answers at the layer that requests arrive at. */
static void place_sink(struct run_options *options)
{
	/* The ingress hook answers frames. */
	options->sink_layer = run_options_frames(options) ?
			      KTPUT_LAYER_INGRESS : options->layer;
}

static int make(const struct command_context *context, const void *data)
{
	struct run_options options =
		*(const struct run_options *)data;
	struct units_error err;
	int ret;

	place_sink(&options);
	ret = RUN_GIVEN(context, sizes) ?
	      pingpong_sweep(context, &options, &err) :
	      measure(context, &options, &err);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
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
