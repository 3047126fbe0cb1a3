// SPDX-License-Identifier: GPL-2.0
/*
 * touch: have cache.c count what can be counted by hand
 *
 * usage: touch read LINES STRIDE
 *        touch write LINES STRIDE
 *        touch copy BYTES
 *        touch pread FILE BYTES
 *        touch sleep MICROSECONDS
 *
 * Reads or writes a byte of each of so many places that are STRIDE bytes apart, copies
 * so many bytes, or has the kernel copy those of a file; time and again, after a call of
 * getppid() each time. That has to begin an epoch. Or it sleeps, as often as that at one
 * time. There are three marks: behind a time of its own, which has all memory mapped,
 * behind SHORT times, and behind LONG times. Then nothing is counted any more. With
 * TOUCH_WAITS in its environment it prints a line there, and waits for one that begins
 * with "ok".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mark.h"

#define SHORT	10
#define LONG	30

static char *memory;
static size_t count, stride;
static int file;

static void read_lines(void)
{
	size_t i;

	/* So that the compiler does not leave the read out. */
	for (i = 0; i < count; i++)
		asm volatile("" : : "r" (memory[i * stride]));
}

static void write_lines(void)
{
	size_t i;

	for (i = 0; i < count; i++) {
		memory[i * stride] = 1;
		asm volatile("" : : : "memory");
	}
}

static void copy(void)
{
	memcpy(memory + count, memory, count);
}

static void pread_file(void)
{
	if (pread(file, memory, count, 0) != (ssize_t)count)
		exit(1);
}

static void times(void (*touch)(void), unsigned int repeat)
{
	unsigned int i;

	if (!touch)
		usleep(count * repeat);
	for (i = 0; touch && i < repeat; i++) {
		syscall(SYS_getppid);
		touch();
		asm volatile("" : : : "memory");
	}
	mark();
}

int main(int argc, char **argv)
{
	void (*touch)(void) = NULL;

	if (argc < 3 || marks_map())
		return 1;
	count = strtoul(argv[argc - 1], NULL, 10);
	if (!strcmp(argv[1], "copy")) {
		touch = copy;
	} else if (argc == 4 && !strcmp(argv[1], "pread")) {
		touch = pread_file;
		file = open(argv[2], O_RDONLY);
	} else if (argc == 4) {
		touch = strcmp(argv[1], "read") ? write_lines : read_lines;
		stride = count;
		count = strtoul(argv[2], NULL, 10);
	}
	if (file < 0 || (!touch && strcmp(argv[1], "sleep")))
		return 1;
	memory = mmap(NULL, count * (stride ? stride : 2) + 1,
		      PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	times(touch, 1);
	times(touch, SHORT);
	times(touch, LONG);
	mark_address(0, MARK_EPOCHS);
	if (!getenv("TOUCH_WAITS"))
		return 0;
	puts("marked");
	fflush(stdout);
	return getchar() != 'o';
}
