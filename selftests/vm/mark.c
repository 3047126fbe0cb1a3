// SPDX-License-Identifier: GPL-2.0
/*
 * mark: have functions.c or cache.c write what the guest has done since the last mark
 *
 * usage: mark [EPOCHS [BEGIN END]...]
 *
 * With hexadecimal addresses cache.c counts from here on: each call of the function at
 * EPOCHS begins an epoch, and what copies is from BEGIN to before END. If EPOCHS is 0 it
 * counts no more.
 */
#include <stdlib.h>

#include "mark.h"

int main(int argc, char **argv)
{
	int i;

	if (marks_map())
		return 1;
	for (i = 2; i < argc; i++)
		mark_address(strtoull(argv[i], NULL, 16),
			     i % 2 ? MARK_COPY_END : MARK_COPY);
	if (argc > 1)
		mark_address(strtoull(argv[1], NULL, 16), MARK_EPOCHS);
	else
		mark();
	return 0;
}
