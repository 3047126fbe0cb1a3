/* SPDX-License-Identifier: GPL-2.0 */
/* remedy: what may help, as a sentence and as rows that a program applies. */
#ifndef KTPUT_TOOLS_REMEDY_H
#define KTPUT_TOOLS_REMEDY_H

#include <stddef.h>

/* Room for a sentence. */
#define REMEDY_TEXT	160

/**
 * enum remedy_end - who has to change something
 * @REMEDY_SOURCE: the source, or its host
 * @REMEDY_SINK: the sink, or its host
 * @REMEDY_BOTH: both of them
 * @REMEDY_PATH: nobody on these hosts: bus, link, or network between them
 * @REMEDY_DEMAND: who asked for a rate
 */
enum remedy_end {
	REMEDY_SOURCE,
	REMEDY_SINK,
	REMEDY_BOTH,
	REMEDY_PATH,
	REMEDY_DEMAND,
};

/**
 * struct remedy - one of several things that may help
 * @what: what it is, a part of the sentence; NULL ends an array
 * @end: who changes it
 * @apply: words: a keyword of the run, "sysctl" and its name, or a parameter of the
 *	device, and what it becomes: a value, "more", "less", "none", "other" (than it
 *	is) or "apart" (CPUs of its own); NULL if that is no setting
 */
struct remedy {
	const char *what;
	enum remedy_end end;
	const char *apply;
};

const char *remedy_text(const struct remedy *remedies, char *text, size_t size);
const char *remedy_end(enum remedy_end end);

/* Begins an array in a table at file scope: there it lives as long as the program. */
#define REMEDIES	(const struct remedy[])

#endif
