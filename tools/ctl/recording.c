// SPDX-License-Identifier: GPL-2.0
/* recording: documents that go to a file beside what is printed. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "../lib/environment.h"
#include "recording.h"

/* The version of Documentation/record.schema.json. */
#define RECORD_VERSION	1

/* A document that has no result is of a run that did not come to one. */
static void keep(struct json_object *document, void *data)
{
	const int flags = JSON_C_TO_STRING_PLAIN |
			  JSON_C_TO_STRING_NOSLASHESCAPE;
	struct recording *recording = data;

	if (!json_object_object_get_ex(document, "result", NULL))
		return;
	record_file_add(&recording->file,
			json_object_to_json_string_ext(document, flags));
}

/**
 * recording_begin() - begin to record
 * @recording: filled in
 * @out: where results go
 * @path: file, or NULL to record nothing
 * @err: why it cannot be written
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int recording_begin(struct recording *recording, struct output *out,
		    const char *path, struct units_error *err)
{
	recording->out = NULL;
	if (!path)
		return 0;
	if (record_file_open(&recording->file, path, err))
		return -1;
	recording->out = out;
	output_keep(out, keep, recording);
	return 0;
}

/**
 * recording_end() - finish the document, and the file
 * @recording: what recording_begin() began
 * @err: why the file could not be written
 *
 * Return: 0, or -1 with a sentence in @err.
 */
int recording_end(struct recording *recording, struct units_error *err)
{
	int ret;

	if (!recording->out)
		return 0;
	/* What cannot be printed is noticed when the program ends. */
	(void)output_document_end(recording->out);
	output_keep(recording->out, NULL, NULL);
	ret = record_file_close(&recording->file, err);
	recording->out = NULL;
	return ret;
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
