// SPDX-License-Identifier: GPL-2.0
/* report: what the commands of ktput-report share. */
#include <stdio.h>
#include <string.h>

#include "../base/json.h"
#include "report.h"

#define LINE_WIDTH	79
/* With dots before it no longer than a line of a paragraph. */
#define NAME_WIDTH	(LINE_WIDTH - REPORT_COLUMN - 3)

static int read_runs(const struct command_context *context,
		     const struct options_words *files,
		     struct records *records)
{
	if (record_read_all(records, files, context->out))
		return -1;
	if (records->count)
		return 0;
	output_error(context->out,
		     "there is no run in it, but a %s: 'plot %s' draws that",
		     records->other,
		     strcmp(records->other, "sweep") ? records->other :
						       "pingpong");
	return -1;
}

/**
 * report_each() - print each run of the files of a command
 * @context: of the command
 * @files: names
 * @print: prints one, inside an array
 *
 * Those that do not count, too.
 *
 * Return: the command's exit status.
 */
int report_each(const struct command_context *context,
		const struct options_words *files,
		void (*print)(const struct command_context *context,
			      const struct record *record))
{
	struct output *out = context->out;
	int ret = COMMAND_FAILED;
	struct records records;

	if (!read_runs(context, files, &records)) {
		output_array_begin(out, "runs");
		for (size_t i = 0; i < records.count; i++) {
			output_text(out, i ? "\n" : "");
			print(context, &records.record[i]);
		}
		output_array_end(out);
		ret = COMMAND_DONE;
	}
	record_free(&records);
	return ret;
}

/**
 * report_name() - what a run is called
 * @record: the run
 *
 * Return: the end of its file's name, and its number where there are several.
 */
struct report_name report_name(const struct record *record)
{
	size_t length = strlen(record->file);
	struct report_name name;
	int used;

	used = snprintf(name.text, sizeof(name.text), "%s%s",
			length > NAME_WIDTH ? "..." : "",
			length > NAME_WIDTH ?
			record->file + length - NAME_WIDTH : record->file);
	if (record->of > 1)
		snprintf(name.text + used, sizeof(name.text) - used,
			 " run %u", record->number);
	return name;
}

/* "socket (copy)": where an end is, and by which method. */
static void print_end(struct output *out, const struct record *record,
		      const char *end)
{
	char layer[32], method[32];

	snprintf(layer, sizeof(layer), "%s.config.layer", end);
	snprintf(method, sizeof(method), "%s.config.method", end);
	if (!json_text(record->root, layer))
		return;
	output_text(out, ", %s %s", end, json_text(record->root, layer));
	if (json_text(record->root, method))
		output_text(out, " (%s)", json_text(record->root, method));
}

/**
 * report_head() - print which run follows, and what counts of it
 * @out: the output, inside an object
 * @record: the run
 */
void report_head(struct output *out, const struct record *record)
{
	const char *transport = json_text(record->root,
					  "source.config.transport");
	double size = json_number(record->root, "source.config.message_bytes");
	double streams = json_number(record->root, "source.config.streams");

	if (!transport)
		transport = json_text(record->root, "sink.config.transport");
	output_data_string(out, "file", record->file);
	output_data_u64(out, "run", record->number);
	output_text(out, "# %s\n", report_name(record).text);
	output_text(out, "%s", transport ? transport : "run");
	print_end(out, record, "source");
	print_end(out, record, "sink");
	if (size >= 0)
		output_text(out, ", %.0f bytes", size);
	if (streams > 1)
		output_text(out, ", %.0f streams", streams);
	output_text(out, "\n");
	output_data_bool(out, "valid", record->valid);
	output_data_bool(out, "interrupted", record->interrupted);
	if (record->interrupted)
		output_text(out, "INTERRUPTED\n");
	if (record->valid)
		return;
	output_data_string(out, "invalid_because", record->why_not);
	report_paragraph(out, REPORT_COLUMN, "INVALID", record->why_not);
}

/**
 * report_paragraph() - print a title and its text, folded
 * @out: the output; without effect in JSON
 * @column: where the text begins, after the title if that is not too long
 * @title: the title
 * @text: the text
 */
void report_paragraph(struct output *out, int column, const char *title,
		      const char *text)
{
	size_t width = LINE_WIDTH - column;

	if (output_is_json(out))
		return;
	if ((int)strlen(title) < column)
		output_text(out, "%-*s", column, title);
	else
		output_text(out, "%s\n%*s", title, column, "");
	while (strlen(text) > width) {
		size_t length = width;

		while (length && text[length] != ' ')
			length--;
		/* A word that is longer than a line: between characters. */
		if (!length)
			for (length = width; (text[length] & 0xc0) == 0x80;)
				length--;
		output_text(out, "%.*s\n%*s", (int)length, text, column, "");
		text += length + (text[length] == ' ');
	}
	output_text(out, "%s\n", text);
}
