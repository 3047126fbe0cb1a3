// SPDX-License-Identifier: GPL-2.0
/* pingpong_settings: the part of a configuration that is about ping-pong. */
#include <inttypes.h>

#include "pingpong.h"

#define DEFAULT_REQUEST	64

static const char *contradiction(const struct user_settings *settings)
{
	const struct config *config = &settings->config;

	if (settings->method != KTPUT_METHOD_COPY)
		return "method: must be copy, in user space with pattern ping-pong";
	if (config_has(config, KTPUT_A_CONFIG_REPLY))
		return "reply: an application has no callback, only the module";
	if (settings->wait == CONFIG_WAIT_BLOCK &&
	    (settings->outstanding > 1 || config->number[KTPUT_A_CONFIG_STREAMS] > 1))
		return "wait: a call that blocks can wait for one response of one stream only";
	if (settings->reconnect && settings->outstanding > 1)
		return "outstanding: a connection for each request has one of them";
	if (settings->reconnect && !settings->source)
		return "connect-per-request: it is the source that connects";
	if (settings->reconnect && settings->udp)
		return "connect-per-request: UDP has no connections";
	return NULL;
}

static int take_size(struct user_settings *settings, int type, uint32_t *size,
		     uint32_t otherwise, struct units_error *err)
{
	const uint64_t min = settings->udp ? KTPUT_MIN_DATAGRAM : 1;
	const uint64_t max = settings->udp ? KTPUT_MAX_DATAGRAM :
					     KTPUT_MAX_MESSAGE;

	if (!config_has(&settings->config, type))
		config_set(&settings->config, type, otherwise);
	if (user_settings_range(&settings->config, type, min, max, err))
		return -1;
	*size = user_settings_number(settings, type);
	return 0;
}

static uint64_t take(struct user_settings *settings, int type,
		     uint64_t otherwise)
{
	if (!config_has(&settings->config, type))
		config_set(&settings->config, type, otherwise);
	return user_settings_number(settings, type);
}

/**
 * user_pingpong_settings() - check the part about ping-pong
 * @settings: all the rest; the part is filled in, and what follows from it
 * @err: why it is refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int user_pingpong_settings(struct user_settings *settings,
			   struct units_error *err)
{
	struct config *config = &settings->config;
	const char *refused;

	settings->wait = config->wait;
	settings->busy_poll_us = config->busy_poll_us;
	settings->reconnect =
		config_has(config, KTPUT_A_CONFIG_CONNECT_PER_REQUEST);
	settings->outstanding = 1;
	if (take_size(settings, KTPUT_A_CONFIG_REQUEST,
		      &settings->request_size, DEFAULT_REQUEST, err) ||
	    take_size(settings, KTPUT_A_CONFIG_RESPONSE,
		      &settings->response_size, settings->request_size, err))
		return -1;
	settings->message_size = settings->request_size;
	if (settings->response_size > settings->message_size)
		settings->message_size = settings->response_size;
	if (!settings->udp)
		config_set(config, KTPUT_A_CONFIG_NODELAY, 1);
	if (settings->source) {
		settings->outstanding =
			take(settings, KTPUT_A_CONFIG_OUTSTANDING, 1);
		settings->think_ns =
			take(settings, KTPUT_A_CONFIG_THINK, 0);
		settings->timeout_ns = settings->udp ?
			take(settings, KTPUT_A_CONFIG_TIMEOUT,
			     UNITS_NSEC_PER_SEC) : 0;
	}
	refused = contradiction(settings);
	if (!refused)
		return user_settings_range(config, KTPUT_A_CONFIG_OUTSTANDING,
					   1, KTPUT_MAX_OUTSTANDING, err) ||
		       user_settings_range(config, KTPUT_A_CONFIG_THINK,
					   0, KTPUT_MAX_TIME, err) ||
		       user_settings_range(config, KTPUT_A_CONFIG_TIMEOUT,
					   KTPUT_MIN_TIMEOUT, KTPUT_MAX_CONNECT_TIME,
					   err) ? -1 : 0;
	units_refuse(err, "refused: %s", refused);
	return -1;
}
