/* SPDX-License-Identifier: GPL-2.0 */
/* How a process of the guest tells functions.c and cache.c something: it calls. */
#ifndef MARK_H
#define MARK_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "places.h"

#define RETURN		0xc3

/* Map what is called; -1 after an error. */
static inline int marks_map(void)
{
	void *pages = mmap((void *)MARK, MARK_SIZE,
			   PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (pages == MAP_FAILED)
		return -1;
	memset(pages, RETURN, MARK_SIZE);
	return 0;
}

static inline void marks_call(uint64_t place)
{
	((void (*)(void))(uintptr_t)place)();
}

/* Have a report of what was since the last mark. */
static inline void mark(void)
{
	marks_call(MARK);
}

/* Say that an address is MARK_EPOCHS, MARK_COPY, or MARK_COPY_END. */
static inline void mark_address(uint64_t address, uint64_t what)
{
	int byte;

	for (byte = 7; byte >= 0; byte--)
		marks_call(MARK_DIGIT(address >> (8 * byte) & 0xff));
	marks_call(what);
}

#endif /* MARK_H */
