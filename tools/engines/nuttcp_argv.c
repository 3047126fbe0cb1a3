// SPDX-License-Identifier: GPL-2.0
/* nuttcp_argv: the command line of nuttcp for a configuration. */
#include <inttypes.h>

#include "engine_argv.h"

/* Rate of all streams together. nuttcp would limit UDP to 1 Mbit/s by default. */
static void add_rate(struct engine_argv *words, const struct config *config)
{
	const uint64_t *number = config->number;
	const uint64_t streams = config_has(config, KTPUT_A_CONFIG_STREAMS) ?
				 number[KTPUT_A_CONFIG_STREAMS] : 1;

	engine_argv_add(words, "-u");
	if (config_has(config, KTPUT_A_CONFIG_PACKET_RATE))
		engine_argv_option(words, "-R", "%" PRIu64 "p",
				   number[KTPUT_A_CONFIG_PACKET_RATE] *
				    streams);
	else
		engine_argv_option(words, "-R", "%" PRIu64,
				   number[KTPUT_A_CONFIG_PACE] *
				    streams * 8 / 1000);
}

static int add_end(struct engine_argv *words, const struct config *config,
		   struct units_error *err)
{
	const uint64_t size = config->number[KTPUT_A_CONFIG_SIZE];
	const uint64_t bytes = config->number[KTPUT_A_CONFIG_BYTES];

	if (engine_argv_one_end("nuttcp", config, err))
		return -1;
	if (bytes && size)
		engine_argv_option(words, "-n", "%" PRIu64,
				   (bytes + size - 1) / size);
	else
		engine_argv_option(words, "-T", "%.3f",
				   config->number[KTPUT_A_CONFIG_TIME] /
				    (double)UNITS_NSEC_PER_SEC);
	return 0;
}

static int add_client(struct engine_argv *words, const struct config *config,
		      struct units_error *err)
{
	const uint64_t port = config->number[KTPUT_A_CONFIG_REMOTE_PORT];

	engine_argv_add(words, "-t");
	engine_argv_add(words, "-fparse");
	engine_argv_add(words, "-v");
	engine_argv_option(words, "-P", "%" PRIu64, port);
	/* The server listens there after it was told so. */
	engine_argv_option(words, "-p", "%" PRIu64, port + 1);
	if (config->number[KTPUT_A_CONFIG_TRANSPORT] == KTPUT_TRANSPORT_UDP)
		add_rate(words, config);
	if (config_has(config, KTPUT_A_CONFIG_NODELAY))
		engine_argv_add(words, "-D");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_SIZE, "-l");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_STREAMS, "-N");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_MSS, "-M");
	if (config_has(config, KTPUT_A_CONFIG_TOS))
		engine_argv_option(words, "-c", "%" PRIu64 "T",
				   config->number[KTPUT_A_CONFIG_TOS]);
	if (add_end(words, config, err))
		return -1;
	engine_argv_option(words, address_family(&config->remote) == AF_INET6 ?
			    "-6" : "-4", "%s",
			    address_show(&config->remote).text);
	return 0;
}

/**
 * nuttcp_argv_make() - a command line of nuttcp
 * @words: filled in
 * @config: configuration of a source, which is a client, or of a sink
 * @err: option that nuttcp does not support
 *
 * Return: 0, or -1 with a message in @err.
 */
int nuttcp_argv_make(struct engine_argv *words, const struct config *config,
		     struct units_error *err)
{
	*words = (struct engine_argv){ 0 };
	engine_argv_add(words, "nuttcp");
	if (config->number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SOURCE)
		return add_client(words, config, err);
	engine_argv_add(words, "-1");
	/* Otherwise it would not be a child process of this program. */
	engine_argv_add(words, "--nofork");
	if (address_family(&config->local) == AF_INET6)
		engine_argv_add(words, "-6");
	engine_argv_option(words, "-P", "%" PRIu64,
			   config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	return 0;
}
