// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl: control the ktput module; some commands work without it. */
#include "../run/run_options.h"
#include "commands.h"

static const struct command *const commands[] = {
	&command_start,
	&command_pingpong,
	&command_reply,
	&command_sink,
	&command_far_end,
	&command_stop,
	&command_show,
	&command_monitor,
	&command_profile,
	&command_info,
	&command_doctor,
	&command_wire,
	&command_wire_atm,
	&command_wire_pci,
	&command_wire_pcie,
	&command_wire_window,
};

int main(int argc, char **argv)
{
	static const struct command_program program = {
		.name = "ktput-ctl", .statistics = "more detail",
		.command = commands, .count = COUNT(commands),
		.name_width = 12, .habits = run_options_habits,
		.complete = complete,
		.others = "Commands of the laboratory",
		.other = laboratory_commands, .run_other = laboratory_run,
		.explain_other = laboratory_explain,
	};

	return command_main(&program, argc, argv);
}
