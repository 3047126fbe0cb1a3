// SPDX-License-Identifier: GPL-2.0
/* ktput-report show, which ktput-report of tools/lab hands over to. */
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct command *const commands[] = {
	&command_show,
};

int main(int argc, char **argv)
{
	static const struct command_program program = {
		.name = "ktput-report",
		.statistics = "more detail, and the environment",
		.command = commands, .count = COUNT(commands),
		.name_width = 10,
	};

	return command_main(&program, argc, argv);
}
