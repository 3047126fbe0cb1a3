/* SPDX-License-Identifier: GPL-2.0 */
/*
 * commands: the commands of ktput-ctl.
 */
#ifndef KTPUT_CTL_COMMANDS_H
#define KTPUT_CTL_COMMANDS_H

#include "../base/command.h"

extern const struct command command_doctor;
extern const struct command command_far_end;
extern const struct command command_info;
extern const struct command command_monitor;
extern const struct command command_profile;
extern const struct command command_pingpong;
extern const struct command command_reply;
extern const struct command command_show;
extern const struct command command_sink;
extern const struct command command_start;
extern const struct command command_stop;
extern const struct command command_wire;
extern const struct command command_wire_atm;
extern const struct command command_wire_pci;
extern const struct command command_wire_pcie;
extern const struct command command_wire_window;

#endif
