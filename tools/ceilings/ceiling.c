// SPDX-License-Identifier: GPL-2.0
/* ceiling: limits of a run that follow from its configuration. */
#include <stdarg.h>
#include <stdio.h>

#include "ceiling.h"

/**
 * ceiling_set() - fill in a limit
 * @ceiling: limit with name and layer
 * @bps: maximum goodput in bit/s
 * @format: how it is derived
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
 * ceiling_unknown() - mark a limit as absent or unknown
 * @ceiling: limit with name and layer
 * @format: the reason
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
 * ceiling_binding() - the lowest limit
 * @ceilings: limits
 * @count: number of limits
 *
 * Return: index of the lowest known limit, or CEILING_NONE.
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
