// SPDX-License-Identifier: GPL-2.0
/* engine: other programs that generate traffic, at both ends. */
#include <stdlib.h>

#include "iperf.h"
#include "nuttcp.h"
#include "child_output.h"
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
