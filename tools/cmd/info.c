// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl info: what the module on this kernel supports. */
#include <inttypes.h>

#include "../module/client.h"
#include "../module/names.h"
#include "commands.h"

struct info_options {
	const char *netns;
};

static const struct options_entry entries[] = {
	{
		.keyword = "netns", .argument = "NAME",
		.values = OPTIONS_NAMESPACES, .parse = options_word,
		.target = offsetof(struct info_options, netns),
		.help = "network namespace: a name of ip-netns(8), a path, or "
			"a process number",
		.otherwise = "this one",
	},
};

/* Print the words for the bits in @set, on one line and as an array. */
static void print_set(struct output *out, const char *key, const char *title,
		      uint32_t set, const char *(*name)(unsigned int))
{
	output_array_begin(out, key);
	output_text(out, "%-17s", title);
	for (unsigned int bit = 0; bit < 32; bit++)
		if (set >> bit & 1)
			output_string(out, NULL, name(bit), " %s", name(bit));
	output_text(out, "\n");
	output_array_end(out);
}

static void print_module(struct output *out,
			 const struct client_module *module)
{
	output_string(out, "version", module->version,
		      "version           %s\n", module->version);
	output_string(out, "clock", module->clock, "clock             %s",
		      module->clock);
	output_u64(out, "clock_hz", module->clock_hz, ", %" PRIu64 " Hz\n",
		   module->clock_hz);
	print_set(out, "transports", "transports", module->transports,
		  names_transport);
	print_set(out, "transmit_layers", "transmit layers",
		  module->transmit_layers, names_layer);
	print_set(out, "receive_layers", "receive layers",
		  module->receive_layers, names_layer);
	print_set(out, "transmit_methods", "transmit methods",
		  module->transmit_methods, names_method);
	print_set(out, "receive_methods", "receive methods",
		  module->receive_methods, names_method);
	output_u64(out, "max_streams", module->max_streams,
		   "max streams       %" PRIu32 " a run\n",
		   module->max_streams);
	output_u64(out, "max_runs", module->max_runs,
		   "max runs          %" PRIu32 " a network namespace\n",
		   module->max_runs);
	output_u64(out, "max_message_bytes", module->max_message_bytes,
		   "max message       %" PRIu32 " bytes\n",
		   module->max_message_bytes);
	output_u64(out, "max_buffer_bytes", module->max_buffer_bytes,
		   "max buffer        %" PRIu32 " bytes\n",
		   module->max_buffer_bytes);
}

static int run(const struct command_context *context, const void *data)
{
	const struct info_options *options = data;
	struct client_module module;
	struct units_error err;
	struct client client;
	int ret;

	ret = client_open(&client, options->netns, &err);
	if (!ret) {
		ret = client_module_get(&client, &module, &err);
		client_close(&client);
	}
	if (ret) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	print_module(context->out, &module);
	return COMMAND_DONE;
}

const struct command command_info = {
	.name = "info",
	.summary = "what the module on this kernel supports",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.config_size = sizeof(struct info_options),
	.run = run,
};
