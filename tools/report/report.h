/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report: what the commands of ktput-report share.
 */
#ifndef KTPUT_REPORT_REPORT_H
#define KTPUT_REPORT_REPORT_H

#include "../base/command.h"
#include "record.h"

extern const struct command command_show;

#define REPORT_FILES_HELP						\
	"files of records: what ktput-ctl -j start prints, one run a "	\
	"line; - is the standard input"

/* The files of a command, where @type has a struct options_words "files". */
#define REPORT_OPTION_FILES(type) {					\
	.argument = "FILE...", .parse = options_words, .many = true,	\
	.required = true, .target = offsetof(type, files),		\
	.help = REPORT_FILES_HELP,					\
}

int report_each(const struct command_context *context,
		const struct options_words *files,
		void (*print)(const struct command_context *context,
			      const struct record *record));

/* Where the text after a title begins, as in ktput-ctl. */
#define REPORT_COLUMN	17

/**
 * struct report_name - a run as its file and number, returned by value
 * @text: "FILE" or "FILE run 3"
 */
struct report_name {
	char text[120];
};

struct report_name report_name(const struct record *record);
void report_head(struct output *out, const struct record *record);
void report_paragraph(struct output *out, int column, const char *title,
		      const char *text);

#endif
