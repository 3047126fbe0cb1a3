// SPDX-License-Identifier: GPL-2.0
/* recording: documents that go to a file beside what is printed. */
#include <json-c/json.h>

#include "../host/environment.h"
#include "../base/record_file.h"
#include "recording.h"

/* A document of neither is of a run that did not come to a result. */
static void keep(struct json_object *document, void *data)
{
	if (!json_object_object_get_ex(document, "result", NULL) &&
	    !json_object_object_get_ex(document, "sweep", NULL))
		return;
	record_file_add_json(data, document);
}

/**
 * recording_run() - do something, and keep its documents in a file
 * @context: what the command is called with
 * @data: its configuration
 * @path: the file, or NULL to keep nothing
 * @replace: the documents take the place of what is in the file
 * @run: what is done; there may be several documents
 *
 * Return: what @run returned, COMMAND_FAILED where the file cannot be written.
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
	output_keep(context->out, keep, &file);
	ret = run(context, data);
	/* What cannot be printed is noticed when the program ends. */
	(void)output_document_end(context->out);
	output_keep(context->out, NULL, NULL);
	if (!record_file_close(&file, &err))
		return ret;
	output_error(context->out, "%s", err.text);
	return COMMAND_FAILED;
}

static void record_end(struct output *out, const char *key,
		       const struct session_end *end)
{
	if (!end->present)
		return;
	output_object_begin(out, key);
	environment_record_end(out, end->netns, end->device);
	output_object_end(out);
}

/**
 * recording_prepare() - record what a document begins with
 * @session: session that is about to be started
 *
 * It takes time, which a run that has begun would be short of.
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
