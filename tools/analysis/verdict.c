// SPDX-License-Identifier: GPL-2.0
/* verdict: which limit binds a run. */
#include <stdbool.h>
#include <string.h>

#include "loss.h"
#include "verdict.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const char *const links[] = { "bus", "ethernet", "atm", "link" };
static const char *const windows[] = { "window", "send_buffer" };

/* The index of a limit of that name, CEILING_NONE where there is no such one. */
static size_t named(const struct ceiling *ceilings, size_t count,
		    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(ceilings[i].name, name))
			return i;
	return CEILING_NONE;
}

static bool reached(const struct ceiling *ceilings, size_t index,
		    double goodput_bps, double share)
{
	return index != CEILING_NONE && ceilings[index].bps > 0 &&
	       goodput_bps >= share * ceilings[index].bps;
}

/* The least of those that are reached, the first of them where they are equal. */
static size_t least(const struct ceiling *ceilings, size_t count,
		    double goodput_bps, const char *const *names,
		    size_t name_count)
{
	size_t found = CEILING_NONE;

	for (size_t i = 0; i < name_count; i++) {
		size_t index = named(ceilings, count, names[i]);

		if (reached(ceilings, index, goodput_bps, VERDICT_REACHED) &&
		    (found == CEILING_NONE ||
		     ceilings[index].bps < ceilings[found].bps))
			found = index;
	}
	return found;
}

/**
 * verdict_link() - the limit of bus, framing or link that is reached
 * @ceilings: limits
 * @count: how many
 * @goodput_bps: what was measured
 *
 * Return: index of the least of them, or CEILING_NONE.
 */
size_t verdict_link(const struct ceiling *ceilings, size_t count,
		    double goodput_bps)
{
	return least(ceilings, count, goodput_bps, links, COUNT(links));
}

/**
 * verdict_find() - which limit binds
 * @ceilings: limits
 * @count: how many
 * @facts: what there is beside them
 *
 * Return: the verdict.
 */
struct verdict verdict_find(const struct ceiling *ceilings, size_t count,
			    const struct verdict_facts *facts)
{
	const double goodput_bps = facts->goodput_bps;
	size_t index = named(ceilings, count, "rate");

	if (reached(ceilings, index, goodput_bps, VERDICT_FULL))
		return (struct verdict) { VERDICT_SHARE, index };
	index = verdict_link(ceilings, count, goodput_bps);
	if (index != CEILING_NONE)
		return (struct verdict) { VERDICT_SHARE, index };
	if (facts->waited_for)
		return (struct verdict) {
			VERDICT_WAITED,
			named(ceilings, count, facts->waited_for),
		};
	index = least(ceilings, count, goodput_bps, windows, COUNT(windows));
	if (index != CEILING_NONE)
		return (struct verdict) { VERDICT_SHARE, index };
	if (facts->loss_share >= LOSS_MATTERS)
		return (struct verdict) { VERDICT_LOSS, CEILING_NONE };
	index = named(ceilings, count, "cpu");
	if (reached(ceilings, index, goodput_bps, VERDICT_FULL))
		return (struct verdict) { VERDICT_SHARE, index };
	return (struct verdict) { VERDICT_NONE, CEILING_NONE };
}
