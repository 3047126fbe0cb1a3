// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl stop: end runs in order. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../module/client.h"
#include "commands.h"

struct stop_options {
	uint64_t id;
	unsigned int all;
	unsigned int forget;
	const char *netns;
};

static const struct options_entry entries[] = {
	{
		.keyword = "run", .argument = "N", .parse = options_count,
		.max = UINT32_MAX, .target = offsetof(struct stop_options, id),
		.help = "number of the run",
	}, {
		.keyword = "all", .parse = options_set, .value = 1,
		.target = offsetof(struct stop_options, all),
		.help = "all runs of the network namespace",
	}, {
		.keyword = "forget", .parse = options_set, .value = 1,
		.target = offsetof(struct stop_options, forget),
		.help = "end at once, and delete the run with its counters",
	}, {
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		.target = offsetof(struct stop_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	},
};

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct stop_options *options = data;
	bool id = options_given(context->options, context->given,
				offsetof(struct stop_options, id));

	if (id == !!options->all)
		return units_refuse(err, id ? "'run' contradicts 'all'" :
				    "either 'run' or 'all' is needed");
	return 0;
}

static int stop_one(const struct command_context *context,
		    struct client *client, const struct stop_options *options,
		    uint32_t id, struct units_error *err)
{
	int ret = options->forget ? client_run_delete(client, id, err) :
				    client_run_stop(client, id, err);

	if (ret)
		return ret;
	output_object_begin(context->out, NULL);
	output_u64(context->out, "id", id,
		   options->forget ? "deleted run %" PRIu32 "\n" :
				     "stopping run %" PRIu32 "\n", id);
	output_object_end(context->out);
	return 0;
}

static int stop_all(const struct command_context *context,
		    struct client *client, const struct stop_options *options,
		    struct units_error *err)
{
	struct client_listing *list = NULL;
	size_t count = 0;
	int ret = client_runs(client, &list, &count, err);

	for (size_t i = 0; !ret && i < count; i++) {
		ret = stop_one(context, client, options, list[i].run.id, err);
		/* The run was deleted in the meantime. */
		if (ret == -ENOENT)
			ret = 0;
	}
	if (!ret && !count)
		output_text(context->out, "no run in this network namespace\n");
	free(list);
	return ret;
}

static int run(const struct command_context *context, const void *data)
{
	const struct stop_options *options = data;
	struct units_error err;
	struct client client;
	int ret;

	if (client_open(&client, options->netns, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	output_array_begin(context->out, "runs");
	if (options->all)
		ret = stop_all(context, &client, options, &err);
	else
		ret = stop_one(context, &client, options, options->id, &err);
	output_array_end(context->out);
	client_close(&client);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

const struct command command_stop = {
	.name = "stop",
	.summary = "end runs in order",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct stop_options),
	.check = check,
	.run = run,
};
