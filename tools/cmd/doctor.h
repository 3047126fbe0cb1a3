/* SPDX-License-Identifier: GPL-2.0 */
/*
 * doctor: print the problems for a run in one line.
 */
#ifndef KTPUT_CTL_DOCTOR_H
#define KTPUT_CTL_DOCTOR_H

#include "../base/command.h"

void doctor_hint(const struct command_context *context);

#endif
