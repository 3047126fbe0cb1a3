// SPDX-License-Identifier: GPL-2.0
/* run_config: copy the options to the configurations of the ends. */
#include "run_options.h"

/**
 * run_options_check_sink() - refuse sink keywords if no sink is started
 * @context: the command's context
 * @to: address of the sink
 * @err: reason for the refusal: the keywords would have no effect
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int run_options_check_sink(const struct command_context *context,
			   const char *to, struct units_error *err)
{
	const struct options_table *table = context->options;

	for (size_t i = 0; i < table->count; i++) {
		if (!options_in(&context->given, i) ||
		    table->entry[i].ends != RUN_END_SINK)
			continue;
		units_refuse(err,
			     "'%s' is for a sink on this host, and none is started for %s: leave it out, or say sink-netns NAME or remote HOST",
			     table->entry[i].keyword, to);
		return -1;
	}
	return 0;
}

static int configure(const struct options_entry *entry,
		     const struct run_options *options, struct config *config,
		     struct units_error *err)
{
	const void *field = (const char *)options + entry->target;

	if (entry->parse == options_cpus)
		return config_set_list(config, entry->attribute, field, err);
	if (entry->parse == options_word)
		config_set_string(config, entry->attribute,
				  *(const char *const *)field);
	else
		config_set(config, entry->attribute,
			   options_number(entry, options) /
			   (entry->divisor ? entry->divisor : 1));
	return 0;
}

/**
 * run_options_configure() - copy the options to the configuration of an end
 * @context: the command's context
 * @options: parsed options
 * @end: RUN_END_SOURCE or RUN_END_SINK, or both if the command has one end
 * @config: configuration; attributes of rows of this end are set
 * @err: why a value does not fit
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int run_options_configure(const struct command_context *context,
			  const struct run_options *options, unsigned int end,
			  struct config *config, struct units_error *err)
{
	const struct options_table *table = context->options;

	for (size_t i = 0; i < table->count; i++)
		if (options_in(&context->given, i) && table->entry[i].attribute &&
		    table->entry[i].ends & end &&
		    configure(&table->entry[i], options, config, err))
			return -1;
	return 0;
}
