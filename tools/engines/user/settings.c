// SPDX-License-Identifier: GPL-2.0
/* settings: the configuration of a run in user space. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../host/cpus.h"
#include "pingpong.h"
#include "settings.h"

#define DEFAULT_MESSAGE		(128 * 1024)
#define DEFAULT_DATAGRAM	1448
#define DEFAULT_SINKS		1024
#define DEFAULT_DRAIN		(10 * UNITS_NSEC_PER_SEC)
#define DEFAULT_CONNECT		(5 * UNITS_NSEC_PER_SEC)
#define PORT_MAX		65535

/* Bounds that the specification does not state. */
static const struct {
	int type;
	uint64_t min;
	uint64_t max;
} ranges[] = {
	{ KTPUT_A_CONFIG_SEGMENTS, 1, KTPUT_MAX_SEGMENTS },
	{ KTPUT_A_CONFIG_PACE, 1, UINT64_MAX },
	{ KTPUT_A_CONFIG_PACKET_RATE, 1, KTPUT_MAX_RATE },
	{ KTPUT_A_CONFIG_TIME, 1, KTPUT_MAX_TIME },
	{ KTPUT_A_CONFIG_DRAIN_TIMEOUT, 0, KTPUT_MAX_TIME },
	{ KTPUT_A_CONFIG_CONNECT_TIMEOUT, 1, KTPUT_MAX_CONNECT_TIME },
	{ KTPUT_A_CONFIG_PEER_SILENCE, 1, KTPUT_MAX_TIME },
};

/**
 * user_settings_number() - a number of the configuration
 * @settings: settings
 * @type: attribute, KTPUT_A_CONFIG_...
 *
 * Return: the number, 0 where it is not set.
 */
uint64_t user_settings_number(const struct user_settings *settings, int type)
{
	return settings->config.number[type];
}

static int check_ranges(const struct user_settings *settings,
			struct units_error *err)
{
	const struct config *config = &settings->config;

	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++)
		if (config_attributes[type].max &&
		    user_settings_range(config, type,
					config_attributes[type].min,
					config_attributes[type].max, err))
			return -1;
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (user_settings_range(config, ranges[i].type, ranges[i].min,
					ranges[i].max, err))
			return -1;
	if (!settings->udp && config_has(config, KTPUT_A_CONFIG_PEER_SILENCE) &&
	    user_settings_range(config, KTPUT_A_CONFIG_PEER_SILENCE,
				KTPUT_MIN_TCP_SILENCE, KTPUT_MAX_TIME, err))
		return -1;
	if (settings->udp && config_has(config, KTPUT_A_CONFIG_PACE) &&
	    user_settings_range(config, KTPUT_A_CONFIG_PACE, 1,
				KTPUT_MAX_RATE, err))
		return -1;
	return user_settings_range(config, KTPUT_A_CONFIG_SIZE,
				   settings->udp ? KTPUT_MIN_DATAGRAM : 1,
				   settings->udp ? KTPUT_MAX_DATAGRAM :
						   KTPUT_MAX_MESSAGE, err);
}

/* What an application's socket has no call for. */
static const char *impossible(const struct user_settings *settings)
{
	if (settings->method == KTPUT_METHOD_DIRECT)
		return settings->source ?
		       "method: only the module hands datagrams to IP itself" :
		       "method: only the module takes payload where it lies";
	if (settings->udp && settings->method == KTPUT_METHOD_SENDFILE)
		return "method: sendfile works with tcp only, a file has no datagrams";
	if (settings->udp && settings->method == KTPUT_METHOD_IO_URING)
		return "method: io_uring works with tcp only";
	if (settings->udp && !settings->source && settings->segments > 1 &&
	    settings->method == KTPUT_METHOD_TRUNC)
		return "segments: method trunc sees only the first header; take method copy";
	if (settings->config.number[KTPUT_A_CONFIG_DETACH])
		return "detach: a run in user space ends with this process";
	return NULL;
}

static const char *contradiction(const struct user_settings *settings)
{
	const struct config *config = &settings->config;
	uint64_t last = user_settings_number(settings, settings->source ?
					     KTPUT_A_CONFIG_REMOTE_PORT :
					     KTPUT_A_CONFIG_LOCAL_PORT);

	last += settings->streams - 1;
	if (settings->source && !config->number[KTPUT_A_CONFIG_REMOTE_PORT])
		return "remote-port: a source needs one";
	if (settings->udp && !config_has(config, KTPUT_A_CONFIG_COOKIE))
		return "cookie: required with UDP, the same for source and sink";
	if (settings->udp && last > PORT_MAX)
		return "streams: their ports pass 65535";
	if (settings->source && config->number[KTPUT_A_CONFIG_LOCAL_PORT] +
	    settings->streams - 1 > PORT_MAX)
		return "local-port plus streams must not pass 65535";
	if (settings->udp && settings->source &&
	    settings->segments * settings->message_size > KTPUT_MAX_DATAGRAM)
		return "segments: must not pass 65507 bytes together";
	if (settings->packet_rate && settings->pacing_rate)
		return "packet-rate: contradicts pace";
	if (settings->source &&
	    address_family(&config->local) != AF_UNSPEC &&
	    address_family(&config->local) != address_family(&config->remote))
		return "local address: must be of the remote one's IP version";
	if (settings->end_bytes && settings->end_bytes < settings->streams)
		return "bytes must be at least one for each stream";
	if (settings->end_messages &&
	    settings->end_messages < settings->streams)
		return "messages must be at least one for each stream";
	return NULL;
}

static int check_cpus(struct user_settings *settings, struct units_error *err)
{
	struct config *config = &settings->config;
	struct units_cpus online, cpus;
	char list[CONFIG_LIST_MAX + 1];
	unsigned int left = settings->streams;

	if (cpus_online(&online, err) || cpus_default(&cpus, err))
		return -1;
	if (config_has(config, KTPUT_A_CONFIG_CPUS) &&
	    units_parse_cpus(config->cpus, &cpus, err))
		return -1;
	UNITS_EACH_CPU(cpu, &cpus) {
		if (!units_cpus_has(&online, cpu))
			return units_refuse(err,
					    "refused: cpus: CPU %u is not online",
					    cpu);
		/* More threads than streams would have nothing to do. */
		if ((settings->source || settings->udp) && !left)
			cpus.bits[cpu / 64] &= ~(1ULL << cpu % 64);
		else
			left--;
	}
	if (cpus_show(&cpus, list, sizeof(list)))
		return units_refuse(err, "refused: cpus: the list is too long");
	config_set_string(config, KTPUT_A_CONFIG_CPUS, list);
	return 0;
}

static uint64_t take(struct config *config, int type, uint64_t otherwise)
{
	if (!config_has(config, type))
		config_set(config, type, otherwise);
	return config->number[type];
}

static uint32_t default_size(const struct user_settings *settings)
{
	if (!settings->udp)
		return DEFAULT_MESSAGE;
	return settings->source ? DEFAULT_DATAGRAM : KTPUT_MAX_DATAGRAM;
}

/* Defaults are written down, so that a record has them. */
static void complete(struct user_settings *settings)
{
	struct config *config = &settings->config;

	take(config, KTPUT_A_CONFIG_DRAIN_TIMEOUT, DEFAULT_DRAIN);
	take(config, KTPUT_A_CONFIG_CONNECT_TIMEOUT, DEFAULT_CONNECT);
	settings->method = take(config, KTPUT_A_CONFIG_METHOD,
				KTPUT_METHOD_COPY);
	settings->streams = take(config, KTPUT_A_CONFIG_STREAMS,
				 settings->source || settings->udp ?
				 1 : DEFAULT_SINKS);
	/* Of ping-pong it follows from requests and responses. */
	if (!settings->pingpong)
		settings->message_size = take(config,
					      KTPUT_A_CONFIG_SIZE,
					      default_size(settings));
	settings->segments = settings->udp ?
			     take(config, KTPUT_A_CONFIG_SEGMENTS, 1) : 1;
	address_set_port(&config->remote,
			 config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	config->batch = config->batch ? config->batch : 1;
	settings->batch = config->batch;
	settings->cookie = config->number[KTPUT_A_CONFIG_COOKIE];
	settings->packet_rate = config->number[KTPUT_A_CONFIG_PACKET_RATE];
	settings->pacing_rate = config->number[KTPUT_A_CONFIG_PACE];
	settings->end_bytes = config->number[KTPUT_A_CONFIG_BYTES];
	settings->end_messages = config->number[KTPUT_A_CONFIG_MESSAGES];
}

/**
 * user_settings_make() - check a configuration, and fill in the defaults
 * @settings: filled in
 * @config: what is asked for
 * @err: why it is refused
 */
int user_settings_make(struct user_settings *settings,
		       const struct config *config, struct units_error *err)
{
	const char *refused;

	*settings = (struct user_settings) {
		.config = *config,
		.source = config->number[KTPUT_A_CONFIG_ROLE] ==
			  KTPUT_ROLE_SOURCE,
		.udp = config->number[KTPUT_A_CONFIG_TRANSPORT] ==
		       KTPUT_TRANSPORT_UDP,
		.pingpong = config->number[KTPUT_A_CONFIG_PATTERN] ==
			    KTPUT_PATTERN_PING_PONG,
		.any = address_family(&config->local) == AF_UNSPEC,
	};
	if (check_ranges(settings, err))
		return -1;
	complete(settings);
	if (settings->pingpong && user_pingpong_settings(settings, err))
		return -1;
	refused = impossible(settings);
	if (!refused)
		refused = contradiction(settings);
	if (!refused)
		return check_cpus(settings, err);
	return units_refuse(err, "refused: %s", refused);
}

/* What a rate asks for is shared by the streams. */
#define OF_STREAM	" for each stream"

static struct units_text show_count(uint64_t count)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64, count);
	return out;
}

static struct units_text show_bits(uint64_t bytes_per_s)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64 " bit/s",
		 bytes_per_s * 8);
	return out;
}

static struct units_text show_packets(uint64_t packets_per_s)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64 " pps", packets_per_s);
	return out;
}

/* How the bounds of a number are shown, by the unit at the end of its key. */
static const struct unit {
	const char *end;
	struct units_text (*show)(uint64_t number);
	const char *of;
} units[] = {
	{ "packet_rate_per_s", show_packets, OF_STREAM },
	{ "_bytes_per_s", show_bits, OF_STREAM },
	{ "_bytes", units_show_size, "" },
	{ "_ns", units_show_time, "" },
	{ "", show_count, "" },
};

static const struct unit *unit_of(const char *key)
{
	const size_t length = strlen(key);
	const struct unit *unit = units;

	while (strlen(unit->end) > length ||
	       strcmp(key + length - strlen(unit->end), unit->end))
		unit++;
	return unit;
}

/**
 * user_settings_range() - check a number of the configuration
 * @config: configuration
 * @type: attribute, KTPUT_A_CONFIG_...
 * @min: least value
 * @max: greatest value
 * @err: why it is refused
 */
int user_settings_range(const struct config *config, int type, uint64_t min,
			uint64_t max, struct units_error *err)
{
	const struct unit *unit = unit_of(config_attributes[type].key);
	const char *name = config_attributes[type].name;
	uint64_t number = config->number[type];

	if (!config_has(config, type) || (number >= min && number <= max))
		return 0;
	if (max == UINT64_MAX)
		units_refuse(err, "refused: %s: must be at least %s%s", name,
			     unit->show(min).text, unit->of);
	else
		units_refuse(err, "refused: %s: must be %s to %s%s", name,
			     unit->show(min).text, unit->show(max).text,
			     unit->of);
	return -1;
}
