// SPDX-License-Identifier: GPL-2.0
/* settings_range: bounds of numbers, in the words of the command line. */
#include <inttypes.h>
#include <stdio.h>

#include "settings.h"

/* Keyword of a number, how its bounds are told, and what they are of. */
struct words {
	const char *keyword;
	struct units_text (*show)(uint64_t number);
	const char *of;
};

/* What a rate asks for is shared by the streams. */
#define OF_STREAM	" for each stream"

static struct units_text show_count(uint64_t count)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64, count);
	return out;
}

static struct units_text show_bytes(uint64_t bytes)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%" PRIu64 " bytes", bytes);
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

static struct words words_of(const struct config *config, int type)
{
	static const struct words words[KTPUT_A_CONFIG_MAX + 1] = {
		[KTPUT_A_CONFIG_STREAMS] = { "streams", show_count },
		[KTPUT_A_CONFIG_MESSAGE_SIZE] = { "size", units_show_size },
		[KTPUT_A_CONFIG_REQUEST_SIZE] = {
			"size of requests", units_show_size
		},
		[KTPUT_A_CONFIG_RESPONSE_SIZE] = {
			"size of responses", units_show_size
		},
		[KTPUT_A_CONFIG_SEND_BUFFER] = { "sndbuf", units_show_size },
		[KTPUT_A_CONFIG_RECEIVE_BUFFER] = { "rcvbuf", units_show_size },
		[KTPUT_A_CONFIG_MSS] = { "mss", show_bytes },
		[KTPUT_A_CONFIG_PRIORITY] = { "priority", show_count },
		[KTPUT_A_CONFIG_SEGMENTS] = { "segments", show_count },
		[KTPUT_A_CONFIG_PACING_RATE] = {
			"pace", show_bits, OF_STREAM
		},
		[KTPUT_A_CONFIG_PACKET_RATE] = {
			"rate", show_packets, OF_STREAM
		},
		[KTPUT_A_CONFIG_END_TIME] = { "time", units_show_time },
		[KTPUT_A_CONFIG_DRAIN_TIME] = {
			"drain-timeout", units_show_time
		},
		[KTPUT_A_CONFIG_CONNECT_TIME] = {
			"connect-timeout", units_show_time
		},
		[KTPUT_A_CONFIG_OUTSTANDING] = { "outstanding", show_count },
		[KTPUT_A_CONFIG_THINK_TIME] = { "think", units_show_time },
		[KTPUT_A_CONFIG_TIMEOUT] = { "timeout", units_show_time },
	};
	struct words found = words[type];

	if (type == KTPUT_A_CONFIG_PACING_RATE &&
	    config->number[KTPUT_A_CONFIG_TRANSPORT] == KTPUT_TRANSPORT_UDP)
		found.keyword = "rate";
	return found;
}

/**
 * user_settings_range() - check a number of the configuration
 * @config: configuration
 * @type: attribute, KTPUT_A_CONFIG_...
 * @min: least value
 * @max: greatest value
 * @err: why it is refused
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int user_settings_range(const struct config *config, int type, uint64_t min,
			uint64_t max, struct units_error *err)
{
	const struct words words = words_of(config, type);
	uint64_t number = config->number[type];

	if (!config_has(config, type) || (number >= min && number <= max))
		return 0;
	if (max == UINT64_MAX)
		units_refuse(err, "refused: %s: must be at least %s%s",
			     words.keyword, words.show(min).text,
			     words.of ? words.of : "");
	else
		units_refuse(err, "refused: %s: must be %s to %s%s",
			     words.keyword, words.show(min).text,
			     words.show(max).text, words.of ? words.of : "");
	return -1;
}
