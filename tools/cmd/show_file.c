// SPDX-License-Identifier: GPL-2.0
/* show_file: print the results of a file of records again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json.h"
#include "../base/output.h"
#include "../result/attribute.h"
#include "../result/record_read.h"
#include "../result/record_text.h"
#include "../result/report.h"
#include "commands.h"
#include "repeat.h"

/* Maximum length of a command in a heading. */
#define HEADING_SIZE	256

/* The runs to show. */
struct showing {
	const struct command_context *context;
	const char *file;
	struct record_text text;
	/* The documents that are runs. */
	const struct record_document **run;
	size_t count;
	struct repeat_progress progress;
	struct repeat_options repeat;
	bool repeating;
};

/* Names of other documents, and the commands that show them. */
static const struct {
	const char *name, *command;
} others[] = {
	[RECORD_KIND_LADDER] = { "ladder", "ktput-report plot ladder" },
	[RECORD_KIND_SWEEP] = { "sweep of sizes",
				"ktput-report plot pingpong" },
	[RECORD_KIND_PROFILE] = { "profile", "ktput-report plot profile" },
	[RECORD_KIND_SCENARIO] = { "scenario",
				   "ktput-ctl scenario NAME record FILE" },
};

static bool other(const struct record_document *document)
{
	return document->kind != RECORD_KIND_RUN &&
	       document->kind != RECORD_KIND_SUMMARY;
}

static int refuse_empty(const struct showing *showing, struct units_error *err)
{
	const struct record_text *text = &showing->text;

	for (size_t i = 0; i < text->count; i++) {
		if (!other(&text->document[i]))
			continue;
		return units_refuse(err,
				    "%.90s has no run, but a %s: '%s' shows it",
				    showing->file,
				    others[text->document[i].kind].name,
				    others[text->document[i].kind].command);
	}
	return units_refuse(err, "%.90s has no run", showing->file);
}

static void warn_of_others(const struct showing *showing)
{
	const struct record_text *text = &showing->text;

	for (size_t i = 0; i < text->count; i++)
		if (other(&text->document[i]))
			output_warning(showing->context->out,
				       "%s:%zu is a %s: '%s' shows it",
				       showing->file, text->document[i].line,
				       others[text->document[i].kind].name,
				       others[text->document[i].kind].command);
}

static void warn_of_broken(const struct showing *showing)
{
	const struct record_text *text = &showing->text;

	for (size_t i = 0; i < text->broken_count; i++)
		output_warning(showing->context->out, "%s; left out",
			       text->broken[i].text);
}

/* Check every document first: show all of them or none. */
static int check(const struct showing *showing,
		 const struct record_document *document,
		 struct units_error *err)
{
	struct record_read read;
	struct units_error why;
	const int ret = record_read(document->root, &read, &why);

	record_read_free(&read);
	if (ret)
		units_refuse(err, "%.60s:%zu: %.120s", showing->file,
			     document->line, why.text);
	return ret;
}

static int choose(struct showing *showing, uint64_t number,
		  struct units_error *err)
{
	const struct record_text *text = &showing->text;
	uint64_t runs = 0;

	showing->run = calloc(text->count, sizeof(*showing->run));
	if (!showing->run)
		return units_refuse(err, "out of memory");
	for (size_t i = 0; i < text->count; i++) {
		const struct record_document *document = &text->document[i];

		if (document->kind != RECORD_KIND_RUN ||
		    (++runs != number && number))
			continue;
		if (check(showing, document, err))
			return -1;
		showing->run[showing->count++] = document;
	}
	if (showing->count)
		return 0;
	if (!runs)
		return refuse_empty(showing, err);
	return units_refuse(err, "%.90s has no run %" PRIu64 ", but %" PRIu64,
			    showing->file, number, runs);
}

/* Whether a run continues a repetition. */
static bool goes_on(const struct showing *showing, size_t index)
{
	struct json_object *repeat = json_at(showing->run[index]->root,
					     "repeat");
	struct json_object *before = index ?
		json_at(showing->run[index - 1]->root, "repeat") : NULL;
	const uint64_t number = json_u64(repeat, "run");

	return number > 1 && number == json_u64(before, "run") + 1 &&
	       json_u64(repeat, "most") == json_u64(before, "most");
}

/* Print the command of a run if there are several runs. */
static void print_heading(const struct showing *showing, size_t index)
{
	struct json_object *words = json_array(showing->run[index]->root,
					       "command");
	struct output *out = showing->context->out;
	char heading[32], command[HEADING_SIZE] = "";
	FILE *to;
	bool several = false;

	for (size_t i = 1; i < showing->count; i++)
		several |= !goes_on(showing, i);
	if (!several || goes_on(showing, index) || !output_is_text(out))
		return;
	to = fmemopen(command, sizeof(command), "w");
	if (!to)
		return;
	for (size_t i = 0; i < json_length(words); i++) {
		const char *word = json_text(json_element(words, i), "");

		fprintf(to, "%s%s", i ? " " : "", word ? word : "");
	}
	fclose(to);
	command[HEADING_SIZE - 1] = '\0';
	snprintf(heading, sizeof(heading), "# Run %zu", index + 1);
	output_text(out, index ? "\n" : "");
	paragraph_print(out, heading, command);
	output_text(out, "\n");
}

static void sum_up(struct showing *showing)
{
	if (!showing->repeating)
		return;
	repeat_summary(showing->context->out, &showing->progress,
		       &showing->repeat);
	(void)output_document_end(showing->context->out);
	repeat_end(&showing->progress);
	showing->repeating = false;
}

/* Begin with the first run of a repetition. */
static void begin_repeat(struct showing *showing, struct json_object *root)
{
	struct json_object *repeat = json_at(root, "repeat");
	const double percent = json_number(repeat, "until_ci_percent");

	showing->repeat = (struct repeat_options) {
		.count = json_u64(repeat, "most"),
		.ci_percent = percent > 0 ? percent : 0,
	};
	showing->repeating = json_u64(repeat, "run") == 1 &&
			     showing->repeat.count &&
			     showing->repeat.count <= REPEAT_MAX &&
			     repeat_begin(&showing->progress,
					  &showing->repeat);
}

static void show_run(struct showing *showing, size_t index, bool alone)
{
	struct json_object *root = showing->run[index]->root;
	struct output *out = showing->context->out;
	struct repeat_outcome outcome = { .ran = true };
	struct units_error ignored;
	struct record_read read;

	if (!goes_on(showing, index)) {
		sum_up(showing);
		if (!alone)
			begin_repeat(showing, root);
	}
	if (!record_read(root, &read, &ignored)) {
		read.session.out = out;
		read.session.context = showing->context;
		print_heading(showing, index);
		outcome.valid = !record_print(root, &read, &ignored);
		outcome.interrupted = read.session.interrupted;
		outcome.round_trips = read.session.pingpong;
		outcome.value = read.session.pingpong ?
				pingpong_report_median(&read.session) :
				read.session.goodput_bps;
		outcome.disturbed = attribute_disturbed(&read.session);
		(void)output_document_end(out);
	}
	record_read_free(&read);
	if (showing->repeating &&
	    showing->progress.runs < showing->progress.most)
		repeat_add(&showing->progress, &showing->repeat, out,
			   &outcome);
}

/**
 * show_file() - print the results of a file of records
 * @context: output and words of the command
 * @file: its name; - is the standard input
 * @number: of the run in the file, from 1; 0 for all
 * @err: why they cannot be shown
 */
int show_file(const struct command_context *context, const char *file,
	      uint64_t number, struct units_error *err)
{
	struct showing showing = {
		.context = context, .file = file,
		.text.escaped = !output_is_text(context->out),
	};
	int ret;

	ret = record_text_read(&showing.text, file, err);
	if (!ret)
		warn_of_broken(&showing);
	if (!ret)
		ret = choose(&showing, number, err);
	for (size_t i = 0; !ret && i < showing.count; i++)
		show_run(&showing, i, number);
	sum_up(&showing);
	if (!ret && !number)
		warn_of_others(&showing);
	free(showing.run);
	record_text_free(&showing.text);
	return ret;
}
