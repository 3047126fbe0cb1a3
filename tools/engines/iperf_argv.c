// SPDX-License-Identifier: GPL-2.0
/* iperf_argv: the command line of iperf3 for a configuration. */
#include <inttypes.h>

#include "engine_argv.h"

/* Bounds of -i. */
#define INTERVAL_MIN_NS	(UNITS_NSEC_PER_SEC / 10)
#define INTERVAL_MAX_NS	(60 * UNITS_NSEC_PER_SEC)

/* Rate of each stream. iperf3 would limit UDP to 1 Mbit/s by default. */
static void add_rate(struct engine_argv *words, const struct config *config,
		     bool udp)
{
	const uint64_t *number = config->number;
	uint64_t bits = 0;

	if (config_has(config, KTPUT_A_CONFIG_PACKET_RATE))
		bits = number[KTPUT_A_CONFIG_PACKET_RATE] *
		       number[KTPUT_A_CONFIG_SIZE] * 8;
	else if (config_has(config, KTPUT_A_CONFIG_PACE))
		bits = number[KTPUT_A_CONFIG_PACE] * 8;
	if (udp || bits)
		engine_argv_option(words, udp ? "-b" : "--fq-rate",
				   "%" PRIu64, bits);
}

static int add_end(struct engine_argv *words, const struct config *config,
		   bool udp, struct units_error *err)
{
	const uint64_t warmup_ns = config->warmup_ns;
	const uint64_t time_ns = config->number[KTPUT_A_CONFIG_TIME] - warmup_ns;
	const uint64_t bytes = config->number[KTPUT_A_CONFIG_BYTES];

	if (engine_argv_one_end("iperf3", config, err))
		return -1;
	if (warmup_ns && (udp || bytes || warmup_ns % UNITS_NSEC_PER_SEC)) {
		units_refuse(err, "warmup: iperf3 takes whole seconds, of tcp before a time");
		return -1;
	}
	if (warmup_ns)
		engine_argv_option(words, "-O", "%llu",
				   warmup_ns / UNITS_NSEC_PER_SEC);
	if (bytes) {
		engine_argv_option(words, "-n", "%" PRIu64, bytes);
		return 0;
	}
	if (!time_ns || time_ns % UNITS_NSEC_PER_SEC) {
		units_refuse(err, "time: iperf3 takes whole seconds, 1 or more");
		return -1;
	}
	engine_argv_option(words, "-t", "%llu", time_ns / UNITS_NSEC_PER_SEC);
	return 0;
}

static int add_client(struct engine_argv *words, const struct config *config,
		      struct units_error *err)
{
	const bool udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	engine_argv_option(words, "-c", "%s",
			   address_show(&config->remote).text);
	engine_argv_option(words, "-p", "%" PRIu64,
			   config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		engine_argv_option(words, "-B", "%s",
				   address_show(&config->local).text);
	if (udp)
		engine_argv_add(words, "-u");
	if (config->number[KTPUT_A_CONFIG_METHOD] == KTPUT_METHOD_SENDFILE)
		engine_argv_add(words, "-Z");
	if (config_has(config, KTPUT_A_CONFIG_NODELAY))
		engine_argv_add(words, "-N");
	if (config->congestion[0])
		engine_argv_option(words, "-C", "%s", config->congestion);
	engine_argv_pass(words, config, KTPUT_A_CONFIG_SIZE, "-l");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_STREAMS, "-P");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_SNDBUF, "-w");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_MSS, "-M");
	engine_argv_pass(words, config, KTPUT_A_CONFIG_TOS, "-S");
	engine_argv_option(words, "--connect-timeout", "%" PRIu64,
			   config_has(config, KTPUT_A_CONFIG_CONNECT_TIMEOUT) ?
			    config->number[KTPUT_A_CONFIG_CONNECT_TIMEOUT] / 1000000 :
			    5000);
	add_rate(words, config, udp);
	return add_end(words, config, udp, err);
}

/**
 * iperf_argv_make() - a command line of iperf3
 * @words: filled in
 * @config: configuration of a source, which is a client, or of a sink
 * @err: option that iperf3 does not support
 *
 * Return: 0, or -1 with a message in @err.
 */
int iperf_argv_make(struct engine_argv *words, const struct config *config,
		    struct units_error *err)
{
	const bool udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
			 KTPUT_TRANSPORT_UDP;

	*words = (struct engine_argv){ 0 };
	engine_argv_add(words, "iperf3");
	engine_argv_add(words, "-J");
	if (config->interval_ns &&
	    (udp || config->interval_ns < INTERVAL_MIN_NS ||
	     config->interval_ns > INTERVAL_MAX_NS)) {
		units_refuse(err, "interval: iperf3 takes 100 ms to 60 s, with ktput of tcp alone");
		return -1;
	}
	if (config->interval_ns)
		engine_argv_option(words, "-i", "%g",
				   config->interval_ns / (double)UNITS_NSEC_PER_SEC);
	if (config->number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SOURCE)
		return add_client(words, config, err);
	engine_argv_add(words, "-s");
	engine_argv_add(words, "-1");
	engine_argv_option(words, "-p", "%" PRIu64,
			   config->number[KTPUT_A_CONFIG_LOCAL_PORT]);
	if (address_family(&config->local) != AF_UNSPEC)
		engine_argv_option(words, "-B", "%s",
				   address_show(&config->local).text);
	return 0;
}
