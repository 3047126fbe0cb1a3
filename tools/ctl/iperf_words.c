// SPDX-License-Identifier: GPL-2.0
/* iperf_words: the command line of iperf3 for a configuration. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "iperf_words.h"

static void add(struct iperf_words *words, const char *word)
{
	if (words->count < IPERF_WORDS_MAX)
		words->word[words->count++] = (char *)word;
	words->word[words->count] = NULL;
}

static void __attribute__((format(printf, 3, 4)))
add_value(struct iperf_words *words, const char *option, const char *format,
	  ...)
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
	add(words, option);
	add(words, text);
}

/* A number, where it is given. */
static void pass(struct iperf_words *words, const struct config *config,
		 int type, const char *option)
{
	if (config_has(config, type))
		add_value(words, option, "%" PRIu64, config->number[type]);
}

/* What each stream may send, which iperf3 would limit to 1 Mbit/s with UDP. */
static void add_rate(struct iperf_words *words, const struct config *config,
		     bool udp)
{
	const uint64_t *number = config->number;
	uint64_t bits = 0;

	if (config_has(config, KTPUT_A_CONFIG_PACKET_RATE))
		bits = number[KTPUT_A_CONFIG_PACKET_RATE] *
		       number[KTPUT_A_CONFIG_MESSAGE_SIZE] * 8;
	else if (config_has(config, KTPUT_A_CONFIG_PACING_RATE))
		bits = number[KTPUT_A_CONFIG_PACING_RATE] * 8;
	if (udp || bits)
		add_value(words, udp ? "-b" : "--fq-rate", "%" PRIu64, bits);
}

static int add_end(struct iperf_words *words, const struct config *config,
		   struct units_error *err)
{
	const uint64_t time_ns = config->number[KTPUT_A_CONFIG_END_TIME];
	const uint64_t bytes = config->number[KTPUT_A_CONFIG_END_BYTES];

	if (bytes && time_ns) {
		units_refuse(err, "iperf3 ends by time or by bytes, not by what comes first");
		return -1;
	}
	if (bytes) {
		add_value(words, "-n", "%" PRIu64, bytes);
		return 0;
	}
	if (!time_ns || time_ns % UNITS_NSEC_PER_SEC) {
		units_refuse(err, "time: iperf3 takes whole seconds, 1 or more");
		return -1;
	}
	add_value(words, "-t", "%llu", time_ns / UNITS_NSEC_PER_SEC);
	return 0;
}

static int add_client(struct iperf_words *words, const struct config *config,
		      struct units_error *err)
{
	const bool udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	add_value(words, "-c", "%s", address_show(&config->remote).text);
	add_value(words, "-p", "%" PRIu64,
		  config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		add_value(words, "-B", "%s",
			  address_show(&config->local).text);
	if (udp)
		add(words, "-u");
	if (config->number[KTPUT_A_CONFIG_METHOD] == CONFIG_METHOD_SENDFILE)
		add(words, "-Z");
	if (config_has(config, KTPUT_A_CONFIG_NO_DELAY))
		add(words, "-N");
	if (config->congestion[0])
		add_value(words, "-C", "%s", config->congestion);
	pass(words, config, KTPUT_A_CONFIG_MESSAGE_SIZE, "-l");
	pass(words, config, KTPUT_A_CONFIG_STREAMS, "-P");
	pass(words, config, KTPUT_A_CONFIG_MSS, "-M");
	pass(words, config, KTPUT_A_CONFIG_TOS, "-S");
	add_value(words, "--connect-timeout", "%" PRIu64,
		  config_has(config, KTPUT_A_CONFIG_CONNECT_TIME) ?
		  config->number[KTPUT_A_CONFIG_CONNECT_TIME] / 1000000 : 5000);
	add_rate(words, config, udp);
	return add_end(words, config, err);
}

/**
 * iperf_words_make() - a command line of iperf3
 * @words: filled in
 * @config: configuration of a source, which is a client, or of a sink
 * @err: what iperf3 cannot do of it
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int iperf_words_make(struct iperf_words *words, const struct config *config,
		     struct units_error *err)
{
	*words = (struct iperf_words){ 0 };
	add(words, "iperf3");
	add(words, "-J");
	if (config->number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SOURCE)
		return add_client(words, config, err);
	add(words, "-s");
	add(words, "-1");
	add_value(words, "-p", "%" PRIu64,
		  config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		add_value(words, "-B", "%s",
			  address_show(&config->local).text);
	return 0;
}
