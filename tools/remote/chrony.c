// SPDX-License-Identifier: GPL-2.0
/* chrony: what chronyd tells of the clock of this host. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../engines/child.h"
#include "chrony.h"

/* Without chronyd, chronyc tries for a while. */
#define WAIT_MS		500
/* Fields of chronyc -c tracking: seconds, but for the first four and the last. */
#define TRACKING	"%*[^,],%*[^,],%*[^,],%*[^,],%lf,%*f,%*f,%*f,%*f,%*f,%lf,%lf,%*f,%15s"

/**
 * chrony_parse() - read what "chronyc -c tracking" prints
 * @text: its output
 * @to: filled in
 */
void chrony_parse(const char *text, struct chrony *to)
{
	double slow_s, delay_s, dispersion_s;
	char leap[16];

	*to = (struct chrony) { 0 };
	if (sscanf(text, TRACKING, &slow_s, &delay_s, &dispersion_s, leap) != 4 ||
	    !strncmp(leap, "Not", 3))
		return;
	to->known = true;
	to->ahead_ns = llround(-slow_s * 1e9);
	to->error_ns = llround((dispersion_s + delay_s / 2) * 1e9);
}

/**
 * chrony_read() - ask chronyd
 * @to: filled in; not known without chronyd
 */
void chrony_read(struct chrony *to)
{
	char *const words[] = { "chronyc", "-c", "tracking", NULL };
	const int said = memfd_create("tracking", MFD_CLOEXEC);
	const int outputs[] = { said, said };
	struct child child = { 0 };
	struct units_error ignored;
	struct pollfd fd;
	char *text;

	*to = (struct chrony) { 0 };
	if (said < 0)
		return;
	if (!child_start(&child, words, outputs, &ignored)) {
		fd = (struct pollfd) { .fd = child.fd, .events = POLLIN };
		text = poll(&fd, 1, WAIT_MS) > 0 && !child_wait(&child) ?
		       child_output_text(said) : NULL;
		if (text)
			chrony_parse(text, to);
		free(text);
	}
	child_close(&child);
	close(said);
}
