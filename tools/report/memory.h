/* SPDX-License-Identifier: GPL-2.0 */
/* memory: what cannot be had ends the program, with a word. */
#ifndef KTPUT_REPORT_MEMORY_H
#define KTPUT_REPORT_MEMORY_H

#include <stddef.h>

void *memory_must(void *memory);
void *memory_grow(void *memory, size_t count, size_t size);
char *memory_copy(const char *text);
char *memory_print(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
