/* SPDX-License-Identifier: GPL-2.0 */
/*
 * laboratory: run commands that are separate Python programs.
 */
#ifndef KTPUT_CTL_LABORATORY_H
#define KTPUT_CTL_LABORATORY_H

#include "../base/command.h"

extern const struct command_other laboratory_commands[];

void laboratory_complete(int count, char *const *words);
bool laboratory_explain(const char *keyword);
int laboratory_run(const struct command_context *context, char *const *words);

#endif
