// SPDX-License-Identifier: GPL-2.0
/* framesize: one size, a range of sizes, or a mix of sizes with weights. */
#include <stdio.h>
#include <string.h>

#include "framesize.h"

/* Parse one SIZE:WEIGHT of a mix. */
static int parse_item(const char *item, size_t length, uint64_t *size,
		      uint64_t *weight, struct units_error *err)
{
	const char *colon = memchr(item, ':', length);
	char part[32];

	if (!colon || length >= sizeof(part))
		return units_refuse(err,
				    "'%.*s' in the mix is not of the form SIZE:WEIGHT",
				    length < 40 ? (int)length : 40, item);
	memcpy(part, item, length);
	part[length] = '\0';
	part[colon - item] = '\0';
	return units_parse_count(part, 1, KTPUT_MAX_FRAME, size, err) ||
	       units_parse_count(part + (colon - item) + 1, 1, KTPUT_MAX_MIX,
				 weight, err) ? -1 : 0;
}

static int parse_mix(const char *word, struct framesize *size,
		     struct units_error *err)
{
	uint64_t bytes, weight, weights = 0;
	const char *item = word, *end;
	size_t count = 0;

	if (strlen(word) > CONFIG_MIX_MAX)
		return units_refuse(err,
				    "a mix longer than %d characters does not fit",
				    CONFIG_MIX_MAX);
	size->first = UINT64_MAX;
	size->last = 0;
	for (;; item = end + 1) {
		end = strchrnul(item, ',');
		if (parse_item(item, end - item, &bytes, &weight, err))
			return -1;
		if (++count > FRAMESIZE_MIX_SIZES)
			return units_refuse(err,
					    "the mix has more than %d sizes",
					    FRAMESIZE_MIX_SIZES);
		weights += weight;
		if (weights > KTPUT_MAX_MIX)
			return units_refuse(err,
					    "the weights of the mix add up to more than %d",
					    KTPUT_MAX_MIX);
		size->first = bytes < size->first ? bytes : size->first;
		size->last = bytes > size->last ? bytes : size->last;
		if (!*end)
			break;
	}
	snprintf(size->mix, sizeof(size->mix), "%s", word);
	return 0;
}

/**
 * framesize_parse() - parse sizes
 * @word: SIZE, FIRST-LAST, SIZE:WEIGHT,SIZE:WEIGHT... or imix
 * @size: the sizes
 * @err: why they are refused
 */
int framesize_parse(const char *word, struct framesize *size,
		    struct units_error *err)
{
	struct framesize parsed = { 0 };
	struct units_span span;

	if (!strcmp(word, "imix"))
		word = FRAMESIZE_IMIX;
	if (strchr(word, ':')) {
		if (parse_mix(word, &parsed, err))
			return -1;
	} else if (*word != '-' && strchr(word, '-')) {
		if (units_parse_span(word, 1, KTPUT_MAX_FRAME, &span, err))
			return -1;
		parsed.first = span.first;
		parsed.last = span.last;
	} else {
		if (units_parse_size(word, 1, KTPUT_MAX_MESSAGE,
				     &parsed.first, err))
			return -1;
		parsed.last = parsed.first;
	}
	*size = parsed;
	return 0;
}
