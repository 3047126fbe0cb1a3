// SPDX-License-Identifier: GPL-2.0
/* ceiling: limits of a run that follow from its configuration, side by side. */
#include <stdarg.h>
#include <stdio.h>

#include "ceiling.h"

/**
 * ceiling_set() - fill in a limit
 * @ceiling: its name and layer are there
 * @bps: goodput in bit/s that is not exceeded
 * @format: how it comes about
 */
void ceiling_set(struct ceiling *ceiling, double bps, const char *format, ...)
{
	va_list ap;

	ceiling->bps = bps;
	va_start(ap, format);
	vsnprintf(ceiling->because, sizeof(ceiling->because), format, ap);
	va_end(ap);
}

/**
 * ceiling_unknown() - fill in that there is no limit, or none known
 * @ceiling: its name and layer are there
 * @format: why
 */
void ceiling_unknown(struct ceiling *ceiling, const char *format, ...)
{
	va_list ap;

	ceiling->bps = 0;
	va_start(ap, format);
	vsnprintf(ceiling->because, sizeof(ceiling->because), format, ap);
	va_end(ap);
}

/**
 * ceiling_binding() - the limit that is met first
 * @ceilings: limits
 * @count: how many
 *
 * Return: index of the least that is known, or CEILING_NONE.
 */
size_t ceiling_binding(const struct ceiling *ceilings, size_t count)
{
	size_t least = CEILING_NONE;

	for (size_t i = 0; i < count; i++)
		if (ceilings[i].bps > 0 &&
		    (least == CEILING_NONE ||
		     ceilings[i].bps < ceilings[least].bps))
			least = i;
	return least;
}
