// SPDX-License-Identifier: GPL-2.0
/* recording: write the documents of a command to a file as well as stdout. */
#include <json-c/json.h>

#include "../base/record_file.h"
#include "../host/environment.h"
#include "recording.h"

/* A document without one of these is from a run that failed. */
static void keep(struct json_object *document, void *data)
{
	static const char *const results[] = { "result", "sweep", "peer" };

	for (size_t i = 0; i < COUNT(results); i++) {
		if (!json_object_object_get_ex(document, results[i], NULL))
			continue;
		record_file_add(data, document);
		return;
	}
}

/**
 * recording_run() - run a command and write its documents to a file
 * @context: the command's context
 * @data: the command's configuration
 * @path: the file, or NULL to keep nothing
 * @replace: replace the file's content instead of appending
 * @run: the command; it may print several documents
 *
 * Return: the return value of @run, or COMMAND_FAILED if the write fails.
 */
int recording_run(const struct command_context *context, const void *data,
		  const char *path, bool replace,
		  int (*run)(const struct command_context *context,
			     const void *data))
{
	struct record_file file;
	struct units_error err;
	int ret;

	if (!path)
		return run(context, data);
	if (record_file_open(&file, path, replace, &err)) {
		output_error(context->out, "%s", err.text);
		return COMMAND_FAILED;
	}
	if (file.cut)
		output_warning(context->out, "%s ends in the middle of a record: "
			       "what reads it leaves that one out", path);
	output_spool(context->out, file.directory);
	output_keep(context->out, keep, &file);
	ret = run(context, data);
	/* The program reports a failed write to stdout when it exits. */
	(void)output_document_end(context->out);
	output_keep(context->out, NULL, NULL);
	output_spool(context->out, NULL);
	if (!record_file_close(&file, &err))
		return ret;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static void record_end(struct output *out, const char *key,
		       const struct session_end *end)
{
	/* Another host describes itself. */
	if (!end->present || end->host)
		return;
	output_object_begin(out, key);
	environment_record_end(out, end->netns, end->device);
	output_object_end(out);
}

/**
 * recording_prepare() - record the head of a document
 * @session: session that is about to start
 *
 * Call it before the run starts: it takes time.
 */
void recording_prepare(const struct session *session)
{
	const struct command_context *context = session->context;
	struct output *out = session->out;

	if (!output_is_json(out))
		return;
	output_data_u64(out, "record_version", RECORD_VERSION);
	output_array_begin(out, "command");
	for (int i = 0; i < context->word_count; i++)
		output_data_string(out, NULL, context->words[i]);
	output_array_end(out);
	output_object_begin(out, "environment");
	environment_record(out);
	record_end(out, "source", &session->source);
	record_end(out, "sink", &session->sink);
	output_object_end(out);
}
