// SPDX-License-Identifier: GPL-2.0
/* settings_range: bounds of numbers, and the attribute that is out of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"

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
 *
 * Return: 0, or -1 with a sentence in @err.
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
