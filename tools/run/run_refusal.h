/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run_refusal: translate a refusal to the keywords of the command line.
 *
 * The module and the engines name the attribute that they refuse. The user typed
 * a keyword. The rows map one to the other.
 */
#ifndef KTPUT_CTL_RUN_REFUSAL_H
#define KTPUT_CTL_RUN_REFUSAL_H

#include "../base/command.h"

void run_refusal_address(const struct address *local, const char *netns,
			 struct units_error *err);
void run_refusal_translate(const struct command_context *context,
			   unsigned int end, struct units_error *err);

#endif
