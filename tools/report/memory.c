// SPDX-License-Identifier: GPL-2.0
/* memory: what cannot be had ends the program, with a word. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void *memory_must(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

void *memory_grow(void *memory, size_t count, size_t size)
{
	return memory_must(reallocarray(memory, count, size));
}

char *memory_copy(const char *text)
{
	return memory_must(strdup(text));
}

char *memory_print(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		memory_must(NULL);
	va_end(ap);
	return text;
}
