// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl show: print the results in a file, or the current runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../host/address.h"
#include "../module/client.h"
#include "../module/names.h"
#include "../result/record.h"
#include "../result/record_fields.h"
#include "../result/report.h"
#include "commands.h"

struct show_options {
	const char *file;
	uint64_t id;
	const char *netns;
};

static const struct options_entry entries[] = {
	{
		.argument = "FILE", .parse = options_word,
		.values = OPTIONS_FILES,
		.target = offsetof(struct show_options, file),
		.help = "file that record FILE made, or what -j prints, whose "
			"results are shown; - is the standard input; one "
			"that is called like a keyword has a path, ./run",
		.otherwise = "the runs of the module",
	}, {
		.keyword = "run", .argument = "N", .parse = options_count,
		.max = UINT32_MAX, .target = offsetof(struct show_options, id),
		.help = "number of the run in the module, or, from 1, in FILE",
		.otherwise = "all: a list of those of the module",
	}, {
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		.target = offsetof(struct show_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	},
};

static const struct output_column list_columns[] = {
	{ .title = "run" }, { .title = "role", .left = true },
	{ .title = "state", .left = true },
	{ .title = "reason", .left = true }, { .title = "streams" },
	{ .title = "address", .left = true },
	{ .title = "CPUs", .left = true },
};

#define DATA(member)	RECORD_FIELD(client_cpu, NUMBER, member, #member)
#define COLUMN(title, member)						\
	RECORD_COLUMN(title, client_cpu, NUMBER, counters.member, #member)

static const struct record_field cpu_rows[] = {
	{ DATA(time_ns) },
	{ DATA(cycles) },
	{ DATA(idle_ns), .optional = true,
	  .when = offsetof(struct client_cpu, idle_known),
	  .when_size = sizeof(bool) },
	RECORD_COLUMN("CPU", client_cpu, NUMBER, id, "cpu"),
	COLUMN("bytes", bytes),
	COLUMN("messages", messages),
	COLUMN("calls", calls),
	COLUMN("blocked", would_blocks),
	COLUMN("wake-ups", wake_ups),
	COLUMN("call cycles", call_cycles),
	{ 0 }
};

static const struct address *address_of(const struct client_listing *listing)
{
	return listing->run.role == KTPUT_ROLE_SOURCE ?
	       &listing->config.remote : &listing->config.local;
}

static void print_list(struct output *out, const struct client_listing *list,
		       size_t count)
{
	output_table_begin(out, "runs", list_columns, COUNT(list_columns),
			   false);
	for (size_t i = 0; i < count; i++) {
		const struct client_run *run = &list[i].run;

		output_row_begin(out);
		output_u64(out, "id", run->id, "%" PRIu32, run->id);
		output_string(out, "role", names_role(run->role), "%s",
			      names_role(run->role));
		output_string(out, "state", names_state(run->state), "%s",
			      names_state(run->state));
		output_string(out, "reason", names_reason(run->reason), "%s",
			      names_reason(run->reason));
		output_u64(out, "streams", run->streams, "%" PRIu32,
			   run->streams);
		output_string(out, "address",
			      address_show_port(address_of(&list[i])).text,
			      "%s",
			      address_show_port(address_of(&list[i])).text);
		output_string(out, "cpus", list[i].config.cpus, "%s",
			      list[i].config.cpus);
		record_config(out, "config", &list[i].config);
		output_row_end(out);
	}
	output_table_end(out);
	if (!count)
		output_text(out, "no run in this network namespace\n");
}

static void print_config(struct output *out, const struct config *config)
{
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const struct config_attribute *attribute =
			&config_attributes[type];

		if (!config_has(config, type))
			continue;
		output_text(out, "  %-16s ", attribute->name);
		if (record_word(config, type))
			output_text(out, "%s\n", record_word(config, type));
		else if (attribute->kind == CONFIG_FLAG)
			output_text(out, "yes\n");
		else if (attribute->kind == CONFIG_MAC)
			output_text(out, "%s\n",
				    ethernet_show_mac(config_mac(config, type)).text);
		else
			output_text(out, "%" PRIu64 "\n",
				    config->number[type]);
	}
}

static void print_run(struct output *out, const struct client_listing *listing,
		      const struct client_snapshot *snapshot, bool streams)
{
	const struct client_run *run = &snapshot->run;

	output_text(out, "run %" PRIu32 ": %s at %s, %s, %s\n", run->id,
		    names_role(run->role),
		    address_show_port(address_of(listing)).text,
		    names_state(run->state), names_reason_text(run->reason));
	if (run->error)
		output_text(out, "  error            %s\n",
			    strerror(run->error));
	if (run->role == KTPUT_ROLE_SINK)
		output_text(out, "  accepted         %" PRIu64
			    ", refused %" PRIu64 "\n", run->accepted,
			    run->refused);
	print_config(out, &listing->config);
	record_run(out, "run", run);
	record_config(out, "config", &listing->config);

	output_text(out, "\n");
	record_fields_table(out, "cpus", cpu_rows);
	for (size_t i = 0; i < snapshot->cpu_count; i++)
		record_fields_row(out, cpu_rows, &snapshot->cpus[i], 1);
	output_table_end(out);
	if (streams) {
		output_text(out, "\n");
		stream_table_print_end(out, "streams", snapshot);
	}
}

static int show_one(const struct command_context *context,
		    struct client *client, uint32_t id,
		    const struct client_listing *list, size_t count,
		    struct units_error *err)
{
	struct client_snapshot snapshot;
	size_t i;

	if (client_snapshot(client, id,
			    context->statistics ? CLIENT_ALL : CLIENT_SUMS,
			    &snapshot, err))
		return -1;
	for (i = 0; i < count && list[i].run.id != id; i++)
		;
	if (i < count)
		print_run(context->out, &list[i], &snapshot,
			  context->statistics);
	else
		units_refuse(err, "run %" PRIu32 " began or ended while it was looked at",
			     id);
	client_snapshot_free(&snapshot);
	return i < count ? 0 : -1;
}

static bool given(const struct command_context *context, size_t target)
{
	return options_given(context->options, context->given, target);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct show_options *options = data;

	if (!options->file)
		return 0;
	if (options->netns)
		return units_refuse(err,
				    "'netns' is for the runs of the module, and FILE is given");
	if (options->id || !given(context, offsetof(struct show_options, id)))
		return 0;
	return units_refuse(err, "run 0: the first run of FILE is 1");
}

static int show_module(const struct command_context *context,
		       const struct show_options *options,
		       struct units_error *err)
{
	struct client_listing *list = NULL;
	struct client client;
	size_t count = 0;
	int ret;

	ret = client_open(&client, options->netns, err);
	if (!ret)
		ret = client_runs(&client, &list, &count, err);
	if (!ret && given(context, offsetof(struct show_options, id)))
		ret = show_one(context, &client, options->id, list, count,
			       err);
	else if (!ret)
		print_list(context->out, list, count);
	free(list);
	client_close(&client);
	return ret;
}

static int run(const struct command_context *context, const void *data)
{
	const struct show_options *options = data;
	struct units_error err;
	int ret;

	ret = options->file ?
	      show_file(context, options->file, options->id, &err) :
	      show_module(context, options, &err);
	if (!ret)
		return COMMAND_DONE;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

const struct command command_show = {
	.name = "show",
	.summary = "print the results in a file, or list the runs of the module",
	.notes = "Of FILE: what start, sink and pingpong printed at their end, with -s all of it.\n"
		 "Of a run of the module: configuration and counters, with -s each stream too.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct show_options),
	.check = check,
	.run = run,
};
