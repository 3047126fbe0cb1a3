/* SPDX-License-Identifier: GPL-2.0 */
/* read_back: a record is read back, and its result computed again, alike. */
#ifndef KTPUT_SELFTESTS_READ_BACK_H
#define KTPUT_SELFTESTS_READ_BACK_H

#include "../../tools/result/report.h"
#include "../../tools/result/record.h"
#include "../../tools/result/record_read.h"
#include "../../tools/base/json.h"
#include "test.h"

static void read_back_same(struct json_object *one, struct json_object *other,
			   const char *key)
{
	struct json_object *first = json_at(one, key);
	struct json_object *second = json_at(other, key);

	TEST_TRUE(key, first);
	TEST_STRING(key, json_object_to_json_string(second),
		    json_object_to_json_string(first));
}

/* The configurations, as report_begin() records them. */
static inline void read_back_record(const struct session *session)
{
	const struct session_end *ends[] = { &session->source, &session->sink };

	for (int i = 0; i < 2; i++) {
		if (!ends[i]->present)
			continue;
		output_object_begin(session->out, i ? "sink" : "source");
		if (ends[i]->host)
			output_data_string(session->out, "host", ends[i]->host);
		record_config(session->out, "config", &ends[i]->config);
		record_snapshot(session->out, "begin", &ends[i]->begin,
				session->detail);
		output_object_end(session->out);
	}
	/* The one that read_back() is given. */
	output_object_begin(session->out, "route");
	output_object_end(session->out);
}

/* The readings and the result of a record are those of the session read back. */
static inline void read_back(struct json_object *record,
			     const struct route *route,
			     const struct command_context *context)
{
	struct units_error err = { "" };
	struct json_object *again;
	struct record_read read;
	struct output *out;
	size_t size = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	TEST_U64("read", record_read(record, &read, &err), 0);
	TEST_STRING("read", err.text, "");
	out = output_new(file, stderr, OUTPUT_JSON, "test");
	read.session.out = out;
	read.session.context = context;
	if (read.session.pingpong)
		pingpong_report_end(&read.session, &err);
	else
		report_end(&read.session, route, &err);
	TEST_U64("written", output_free(out), 0);
	fclose(file);
	again = json_tokener_parse(text);
	read_back_same(record, again, "readings");
	read_back_same(record, again, "result");
	json_object_put(again);
	record_read_free(&read);
	free(text);
}

#endif
