// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl monitor: print the end of each run. */
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "../module/client.h"
#include "../module/names.h"
#include "commands.h"
#include "../base/interrupt.h"
#include "../result/record.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

struct monitor_options {
	const char *netns;
};

static const struct options_entry entries[] = {
	{
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		.target = offsetof(struct monitor_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	},
};

static void print_event(struct output *out, const struct client_run *run)
{
	output_text(out, "run %" PRIu32 ", %s, has ended ", run->id,
		    names_role(run->role));
	if (run->begun_ns)
		output_text(out, "after %.6f s: ",
			    (run->ended_ns - run->begun_ns) / 1e9);
	else
		output_text(out, "before it began: ");
	output_text(out, "%s", names_reason_text(run->reason));
	if (run->error)
		output_text(out, " (%s)", strerror(run->error));
	output_text(out, "\n");
	record_run(out, "run", run);
}

static int watch(const struct command_context *context, struct client *client)
{
	struct pollfd fds[] = {
		{ .fd = interrupt_catch(), .events = POLLIN },
		{ .fd = client_event_fd(client), .events = POLLIN },
	};
	struct client_run run;
	int ret;

	while (!interrupt_count()) {
		if (poll(fds, COUNT(fds), -1) < 0)
			continue;
		while ((ret = client_event(client, &run))) {
			if (ret < 0)
				output_warning(context->out,
					       "some notifications were lost");
			else if (run.state == KTPUT_STATE_ENDED)
				print_event(context->out, &run);
			/* Stop when the reader of the output has gone. */
			if (output_document_end(context->out))
				return COMMAND_FAILED;
		}
	}
	return COMMAND_DONE;
}

static int run(const struct command_context *context, const void *data)
{
	const struct monitor_options *options = data;
	struct units_error err;
	struct client client;
	int ret;

	interrupt_catch();
	if (client_open(&client, options->netns, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	ret = client_subscribe(&client, options->netns, &err);
	if (ret)
		output_error(context->out, "%s", err.text);
	else
		ret = watch(context, &client);
	client_close(&client);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_monitor = {
	.name = "monitor",
	.summary = "print the end of each run as it comes",
	.notes = "Ctrl-C ends it. With -j one JSON object a line.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct monitor_options),
	.run = run,
};
