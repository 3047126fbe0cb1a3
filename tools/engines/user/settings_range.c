// SPDX-License-Identifier: GPL-2.0
/* settings_range: bounds of numbers, and the attribute that is out of them. */
#include <inttypes.h>
#include <stdio.h>

#include "settings.h"

/* How the bounds of a number are told, and what they are of. */
struct words {
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

static const struct words words[KTPUT_A_CONFIG_MAX + 1] = {
	[KTPUT_A_CONFIG_STREAMS] = { show_count },
	[KTPUT_A_CONFIG_SIZE] = { units_show_size },
	[KTPUT_A_CONFIG_REQUEST] = { units_show_size },
	[KTPUT_A_CONFIG_RESPONSE] = { units_show_size },
	[KTPUT_A_CONFIG_SNDBUF] = { units_show_size },
	[KTPUT_A_CONFIG_RCVBUF] = { units_show_size },
	[KTPUT_A_CONFIG_MSS] = { show_bytes },
	[KTPUT_A_CONFIG_PRIORITY] = { show_count },
	[KTPUT_A_CONFIG_SEGMENTS] = { show_count },
	[KTPUT_A_CONFIG_PACE] = { show_bits, OF_STREAM },
	[KTPUT_A_CONFIG_PACKET_RATE] = { show_packets, OF_STREAM },
	[KTPUT_A_CONFIG_TIME] = { units_show_time },
	[KTPUT_A_CONFIG_DRAIN_TIMEOUT] = { units_show_time },
	[KTPUT_A_CONFIG_CONNECT_TIMEOUT] = { units_show_time },
	[KTPUT_A_CONFIG_OUTSTANDING] = { show_count },
	[KTPUT_A_CONFIG_THINK] = { units_show_time },
	[KTPUT_A_CONFIG_TIMEOUT] = { units_show_time },
};

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
	const char *of = words[type].of ? words[type].of : "";
	const char *name = config_attributes[type].name;
	uint64_t number = config->number[type];

	if (!config_has(config, type) || (number >= min && number <= max))
		return 0;
	if (max == UINT64_MAX)
		units_refuse(err, "refused: %s: must be at least %s%s", name,
			     words[type].show(min).text, of);
	else
		units_refuse(err, "refused: %s: must be %s to %s%s", name,
			     words[type].show(min).text,
			     words[type].show(max).text, of);
	return -1;
}
