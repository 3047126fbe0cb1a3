// SPDX-License-Identifier: GPL-2.0
/* run_options: keywords of the commands that start runs. */
#include "run_options.h"

const char *const run_options_in[] = { "copy", "trunc", "zerocopy", NULL };

/**
 * run_options_method_in() - the module's name for a choice of "in"
 * @choice: index into run_options_in
 *
 * Return: method of enum ktput_method.
 */
int run_options_method_in(unsigned int choice)
{
	static const enum ktput_method methods[] = {
		KTPUT_METHOD_COPY, KTPUT_METHOD_TRUNC, KTPUT_METHOD_DIRECT,
	};

	return methods[choice];
}
