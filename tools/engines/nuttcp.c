// SPDX-License-Identifier: GPL-2.0
/* nuttcp: read the results of nuttcp. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define MEGABYTE	1048576

/* Half of the last digit of "megabytes". */
#define ROUNDED_BYTES	(0.00005 * MEGABYTE)

/* Find the line of one end with a word; returns the text after the word, or NULL. */
static const char *find(const char *text, bool sender, const char *word)
{
	const char *prefix = sender ? "nuttcp-t: " : "nuttcp-r: ";
	const char *line, *at;

	for (line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n");
		if (strncmp(line, prefix, strlen(prefix)))
			continue;
		at = strstr(line, word);
		if (at && at < line + strcspn(line, "\n") && at[-1] == ' ')
			return at + strlen(word);
	}
	return NULL;
}

static double number(const char *text, bool sender, const char *word)
{
	const char *at = find(text, sender, word);

	return at ? strtod(at, NULL) : NAN;
}

/* All buffers are complete, except one that was cut short. */
static uint64_t whole(double bytes, double buffer)
{
	const double near = round(bytes / buffer) * buffer;

	return llround(fabs(near - bytes) <= ROUNDED_BYTES ? near : bytes);
}

static int refuse(const char *text, struct units_error *err)
{
	const char *error = strstr(text, "Error: ");

	if (error)
		units_refuse(err, "nuttcp: %.*s", (int)strcspn(error + 7, "\n"),
			     error + 7);
	else
		units_refuse(err, "nuttcp has printed no result");
	return -1;
}

/**
 * nuttcp_read() - read the result of one end
 * @text: output of a client with -fparse -v, with the results of both ends
 * @sender: result of the client, which sends, else of its server
 * @result: filled in; nuttcp reports only the sum of all streams
 * @err: why it is not a result
 */
int nuttcp_read(const char *text, bool sender, struct engine_result *result,
		struct units_error *err)
{
	const double megabytes = number(text, sender, "megabytes=");
	const double bit_rate = number(text, sender, "rate_Mbps=") * 1e6;
	const double buffer = number(text, sender, "buflen=");
	const double sent = number(text, false, "pkt=");
	const double lost = sender ? 0 : number(text, false, "drop=");
	const char *version = find(text, sender, "v");
	struct engine_stream *stream;

	*result = (struct engine_result){ 0 };
	if (!(megabytes >= 0) || !(bit_rate > 0) || !(buffer > 0))
		return refuse(text, err);
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return units_refuse(err, "out of memory");
	snprintf(result->version, sizeof(result->version), "nuttcp %.*s",
		 version ? (int)strcspn(version, ":\n") : 0,
		 version ? version : "");
	stream->bytes = whole(megabytes * MEGABYTE, buffer);
	stream->seconds = megabytes * MEGABYTE * 8 / bit_rate;
	/* Only the receiver reports datagrams, for both ends. */
	if (sent > 0 && lost >= 0 && lost <= sent) {
		stream->lost = llround(lost);
		stream->datagrams = llround(sent - lost);
		stream->bytes = llround(stream->datagrams * buffer);
	}
	result->stream = stream;
	result->streams = 1;
	return 0;
}

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
