// SPDX-License-Identifier: GPL-2.0
/* engine: other programs that generate traffic, at both ends. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "child.h"
#include "end.h"
#include "engine.h"

static int read_iperf(int fd, bool sender, bool stopped,
		      struct engine_result *result, struct units_error *err)
{
	struct json_object *document = child_output_json(fd);
	const char *complaint = iperf_error(document);
	int ret = -1;

	/*
	 * A stopped client reports that as an error, and its server that the
	 * client has gone. Both print a result besides.
	 */
	if (!complaint || !sender || stopped)
		ret = iperf_read(document, sender, result, err);
	if (ret && complaint)
		units_refuse(err, "iperf3: %s", complaint);
	json_object_put(document);
	return ret;
}

static int read_nuttcp(int fd, bool sender, bool stopped,
		       struct engine_result *result, struct units_error *err)
{
	char *text = child_output_text(fd);
	int ret;

	(void)stopped;
	ret = nuttcp_read(text ? text : "", sender, result, err);
	free(text);
	return ret;
}

static const struct engine engines[] = {
	{
		.name = "iperf3",
		.number = CONFIG_ENGINE_IPERF3,
		.port = 5201,
		.tells_tcp = true,
		.make = iperf_argv_make,
		.read = read_iperf,
	}, {
		.name = "nuttcp",
		.number = CONFIG_ENGINE_NUTTCP,
		.port = 5000,
		.ports = true,
		.told_by_client = true,
		.serves_on = true,
		.make = nuttcp_argv_make,
		.read = read_nuttcp,
	},
};

/**
 * engine_of() - find the program that makes the traffic
 * @number: its number
 *
 * Return: the program, or NULL if it is ktput.
 */
const struct engine *engine_of(enum config_engine number)
{
	for (size_t i = 0; i < COUNT(engines); i++)
		if (engines[i].number == number)
			return &engines[i];
	return NULL;
}

/**
 * engine_argv_add() - add a word
 * @words: command line; excess words are dropped
 * @word: word; must stay valid
 */
void engine_argv_add(struct engine_argv *words, const char *word)
{
	if (words->count < ENGINE_ARGV_MAX)
		words->word[words->count++] = (char *)word;
	words->word[words->count] = NULL;
}

/**
 * engine_argv_option() - add an option and its value
 * @words: command line; excess words are dropped
 * @option: option; must stay valid
 * @format: the value, as for printf()
 */
void engine_argv_option(struct engine_argv *words, const char *option,
			const char *format, ...)
{
	char *text = words->text + words->used;
	const size_t room = sizeof(words->text) - words->used;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= room)
		return;
	words->used += length + 1;
	engine_argv_add(words, option);
	engine_argv_add(words, text);
}

/**
 * engine_argv_pass() - pass a number on if it is set
 * @words: command line
 * @config: configuration
 * @type: of enum ktput_a_config
 * @option: the option for it
 */
void engine_argv_pass(struct engine_argv *words, const struct config *config,
		      int type, const char *option)
{
	if (config_has(config, type))
		engine_argv_option(words, option, "%" PRIu64,
				   config->number[type]);
}

/**
 * engine_argv_one_end() - refuse two limits if the program supports only one
 * @engine: name of the program
 * @config: configuration of a source
 * @err: why it is refused
 */
int engine_argv_one_end(const char *engine, const struct config *config,
			struct units_error *err)
{
	if (!config->number[KTPUT_A_CONFIG_BYTES] ||
	    !config->number[KTPUT_A_CONFIG_TIME])
		return 0;
	return units_refuse(err,
			    "%s ends by time or by bytes, not by what comes first",
			    engine);
}

/**
 * backend_of() - select the backend for a configuration
 * @config: configuration of an end
 *
 * Return: the backend.
 */
const struct backend *backend_of(const struct config *config)
{
	if (config_user(config))
		return &backend_user;
	if (engine_of(config->engine))
		return &backend_engine;
	return xdp_run_wanted(config) ? &backend_xdp : &backend_module;
}

/**
 * backend_is_due() - take the events of an end whose descriptor is readable
 * @end: the end
 *
 * Return: true if a refresh is due.
 */
bool backend_is_due(struct session_end *end)
{
	return !end->backend->take_events || end->backend->take_events(end);
}
