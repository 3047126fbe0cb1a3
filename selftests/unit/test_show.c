// SPDX-License-Identifier: GPL-2.0
/* What ktput-ctl show makes of files: reading, refusals, values that are wrong. */
#include <stdlib.h>
#include <unistd.h>

#include "../../tools/result/report.h"
#include "../../tools/result/record_read.h"
#include "../../tools/result/record_text.h"
#include "../../tools/base/json.h"
#include "test.h"

#define RECORD								\
	"{\"source\":{\"config\":{\"transport\":\"udp\"}},"		\
	"\"intervals\":[{\"from_ns\":0}],\"result\":{\"valid\":true}}"

/* Parse a text; the number of runs, or -1. */
static int parse(const char *text, struct record_text *records,
		 struct units_error *err)
{
	*records = (struct record_text) { 0 };
	if (record_text_parse(records, "f", text, strlen(text), err))
		return -1;
	return records->count;
}

static void documents(void)
{
	struct units_error err = { "" };
	struct record_text records;

	TEST_U64("two lines", parse(RECORD "\n\n" RECORD "\n", &records,
				    &err), 2);
	TEST_U64("first", records.document[0].line, 1);
	TEST_U64("second", records.document[1].line, 3);
	record_text_free(&records);
	/* As printed with -p, and without a line's end. */
	TEST_U64("pretty", parse("\n{ \"sink\": {},\n \"result\": {}\n}",
				 &records, &err), 1);
	record_text_free(&records);
}

static void kinds(void)
{
	static const struct {
		const char *text;
		enum record_kind kind;
	} rows[] = {
		{ RECORD, RECORD_KIND_RUN },
		{ "{\"summary\":{}}", RECORD_KIND_SUMMARY },
		{ "{\"compare_setup\":{}}", RECORD_KIND_SUMMARY },
		{ "{\"ladder\":{}}", RECORD_KIND_LADDER },
		{ "{\"sweep\":{},\"sizes\":[]}", RECORD_KIND_SWEEP },
		{ "{\"profile\":{}}", RECORD_KIND_PROFILE },
		{ "{\"scenario\":{}}", RECORD_KIND_SCENARIO },
		{ "{\"sink\":{},\"profile\":{},\"result\":{}}",
		  RECORD_KIND_RUN },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct record_text records;

		TEST_U64(rows[i].text, parse(rows[i].text, &records, &err), 1);
		TEST_U64(rows[i].text, records.document[0].kind, rows[i].kind);
		record_text_free(&records);
	}
}

static void refusals(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "empty" }, { "\n \t\n\n", "empty" }, { "x", "no JSON" },
		{ "[]", "no object" }, { "null\n", "no object" },
		{ "{}", "is no record" },
		{ "{\"result\":{}}", "is no record" },
		{ "{\"sink\":{},\"result\":[]}", "is no record" },
		{ "{\"sink\":{},\"runs\":[]}", "detached" },
		{ "{\"sink\":{},\"result\":{},\"record_version\":2}",
		  "record_version is 2" },
		{ "{\"sink\":{},\"result\":{},\"record_version\":\"1\"}",
		  "record_version" },
		{ "{\"sink\":{},\"result\":{\"a\\u001b\":1}}", "control" },
		{ "{\"sink\":{},\"result\":{\"a\xc2\x9b\":1}}", "control" },
		{ "{\"sink\":{},\"result\":{},\"record_version\":\"\\u009bm\"}",
		  "record_version is \" m\"" },
		{ "{\"sink\":{},\"result\":{\"a\":\"\xff\"}}", "no JSON" },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "no JSON" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct record_text records;

		if (parse(rows[i].text, &records, &err) != -1)
			TEST_FAIL("taken: %s", rows[i].text);
		TEST_CONTAINS(rows[i].text, err.text, rows[i].says);
		record_text_free(&records);
	}
}

#define WHOLE "{\"sink\":{},\"result\":{}}"

/* What is no document is left out, and told; the rest is kept. */
static void broken(void)
{
	static const struct {
		const char *text;
		size_t count, line, broken;
		const char *says;
	} rows[] = {
		{ WHOLE " trailing", 1, 1, 1, "f:1: no JSON" },
		{ WHOLE "\n\n{\"sink\"", 1, 1, 1, "f:3: the JSON ends in the middle" },
		{ WHOLE "\n\n{\"sink\"}\n" WHOLE, 2, 4, 1, "f:3: no JSON" },
		{ "{\"sink\":{},\"re\n{\"sin\n" WHOLE, 1, 3, 2, "f:1: no JSON" },
		/* Printed with -p, and cut. */
		{ "{\n  \"sink\": {\n    \"a\": 1,\n{\n  \"sink\": {},\n"
		  "  \"result\": {}\n}\n", 1, 4, 1, "f:1: no JSON" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct record_text records;

		TEST_U64(rows[i].text, parse(rows[i].text, &records, &err),
			 rows[i].count);
		TEST_U64("line of the last", records.document[rows[i].count - 1].line,
			 rows[i].line);
		TEST_U64("left out", records.broken_count, rows[i].broken);
		TEST_CONTAINS("told", records.broken[0].text, rows[i].says);
		record_text_free(&records);
	}
}

/* A NUL ends no text, and is no blank. */
static void zeroes(void)
{
	static const char *const rows[] = { "", RECORD };

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const size_t length = strlen(rows[i]);
		char text[sizeof(RECORD) + 2] = { 0 };
		struct units_error err = { "" };
		struct record_text records = { 0 };
		int ret;

		memcpy(text, rows[i], length);
		ret = record_text_parse(&records, "f", text, length + 2, &err);
		TEST_U64("zeroes", ret, length ? 0 : -1ULL);
		TEST_U64("left out", records.broken_count, 1);
		TEST_CONTAINS("zeroes", records.broken[0].text, "f:1: no JSON");
		record_text_free(&records);
	}
}

static void truncated(void)
{
	char text[sizeof(RECORD)];

	for (size_t length = 1; length < sizeof(RECORD) - 1; length++) {
		struct units_error err = { "" };
		struct record_text records;

		snprintf(text, sizeof(text), "%.*s", (int)length, RECORD);
		if (parse(text, &records, &err) != -1)
			TEST_FAIL("taken: %zu bytes", length);
		TEST_CONTAINS("truncated", err.text, "truncated");
		record_text_free(&records);
	}
}

static void control_characters(void)
{
	static const char path[] = "result.invalid_because";
	struct units_error err = { "" };
	struct record_text records;

	TEST_U64("taken", parse("{\"sink\":{},\"result\":{\"valid\":false,"
				"\"invalid_because\":\"a\\u001b[1m\\nb\"}}",
				&records, &err), 1);
	TEST_STRING("cleaned", json_text(records.document[0].root, path), "a [1m b");
	record_text_free(&records);
	/* C1, raw and escaped, between what only looks alike. */
	TEST_U64("taken", parse("{\"sink\":{},\"result\":{\"valid\":false,"
				"\"invalid_because\":\"\xc2\x9bm\\u0080\xc2\xa0"
				"\xc3\x9b\xe2\x82\x9b\xc0\x9b\xc2\x9f\"}}",
				&records, &err), 1);
	TEST_STRING("cleaned", json_text(records.document[0].root, path),
		    " m \xc2\xa0\xc3\x9b\xe2\x82\x9b   ");
	record_text_free(&records);
}

static void escaped(void)
{
	static const char text[] =
		"{\"sink\":{},\"result\":{\"a\":\"b\\tc\\u007f\xc2\x9b\"}}";
	struct record_text records = { .escaped = true };
	struct units_error err = { "" };

	TEST_U64("taken", record_text_parse(&records, "f", text, strlen(text),
					    &err), 0);
	TEST_STRING("kept", json_text(records.document[0].root, "result.a"),
		    "b\tc  ");
	record_text_free(&records);
}

static void unreadable(void)
{
	static const char cpu[] = "{\"source\":{},\"route\":{},\"readings\":"
		"{\"source\":{\"begin\":{\"cpus\":[{\"cpu\":8192}]}}}}";
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ RECORD, "has no readings" },
		{ "{\"sink\":{},\"readings\":{}}", "has readings of no end" },
		{ "{\"readings\":{\"source\":{}}}", "has no route" },
		{ cpu, "has no CPU 8192" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct json_object *root = json_tokener_parse(rows[i].text);
		struct units_error err = { "" };
		struct record_read read;

		TEST_U64(rows[i].text, record_read(root, &read, &err), -1ULL);
		TEST_CONTAINS(rows[i].text, err.text, rows[i].says);
		record_read_free(&read);
		json_object_put(root);
	}
}

/* What is printed of it, for free(); whether it can be read is no matter. */
static char *show_form(struct json_object *root, bool statistics)
{
	struct command_context context = { .statistics = statistics };
	struct units_error ignored;
	struct record_read read;
	size_t size = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	if (!record_read(root, &read, &ignored)) {
		context.out = output_new(file, file, OUTPUT_TEXT, "test");
		read.session.out = context.out;
		read.session.context = &context;
		if (read.session.pingpong)
			pingpong_report_end(&read.session, &ignored);
		else
			report_end(&read.session,
				   read.routed ? &read.route : NULL, &ignored);
		TEST_U64("written", output_free(context.out), 0);
	}
	record_read_free(&read);
	fclose(file);
	return text;
}

static char *show(struct json_object *root)
{
	free(show_form(root, false));
	return show_form(root, true);
}

/* Values that a member may be exchanged for: none of them must do harm. */
static struct json_object *other_value(size_t i)
{
	switch (i) {
	case 0:
		return NULL;
	case 1:
		return json_object_new_string("\xc2\xb5");
	case 2:
		return json_object_new_array();
	case 3:
		return json_object_new_object();
	case 4:
		return json_object_new_uint64(0);
	case 5:
		return json_object_new_int64(-1);
	default:
		return json_object_new_uint64(UINT64_MAX);
	}
}

#define OTHER_VALUES	7

/* Shows the record once for each member of @part and each other value. */
static void exchange_members(struct json_object *root,
			     struct json_object *part)
{
	json_object_object_foreach(part, key, value) {
		json_object_get(value);
		for (size_t i = 0; i < OTHER_VALUES; i++) {
			/* In the place of the one that is there. */
			json_object_object_add(part, key, other_value(i));
			free(show(root));
		}
		json_object_object_add(part, key, value);
	}
}

/* Likewise of all below it. */
static void exchange(struct json_object *root, struct json_object *part)
{
	const bool array = json_object_is_type(part, json_type_array);
	const size_t count = array ? json_object_array_length(part) : 0;

	for (size_t i = 0; i < count; i++)
		exchange(root, json_object_array_get_idx(part, i));
	if (!json_object_is_type(part, json_type_object))
		return;
	json_object_object_foreach(part, key, value) {
		(void)key;
		exchange(root, value);
	}
	exchange_members(root, part);
}

/* Commands whose records are shown. */
static const char *const commands[] = {
	"start layer user sink-layer user bytes 64K cpus 0 sink-cpus 0",
	"start layer user sink-layer user udp messages 5 rate 1kpps cpus 0 sink-cpus 0",
	"pingpong layer user messages 3 cpus 0 sink-cpus 0",
};

/* The record of a command, and what is shown of it as JSON if @shown is given. */
static struct json_object *recorded(const char *words,
				    struct json_object **shown)
{
	char file[] = "/tmp/ktput-show-XXXXXX", command[256];
	const int fd = mkstemp(file);
	struct json_object *root;
	FILE *from;

	snprintf(command, sizeof(command), "%s %s record %s >/dev/null",
		 getenv("KTPUT_CTL"), words, file);
	TEST_U64(command, system(command), 0);
	root = json_object_from_file(file);
	if (shown) {
		snprintf(command, sizeof(command), "%s -j show %s",
			 getenv("KTPUT_CTL"), file);
		from = popen(command, "r");
		*shown = json_object_from_fd(fileno(from));
		pclose(from);
	}
	unlink(file);
	close(fd);
	return root;
}

/* Everything that is read back is written again. */
static void same_document(void)
{
	for (size_t i = 0; i < TEST_COUNT(commands); i++) {
		struct json_object *shown;
		struct json_object *root = recorded(commands[i], &shown);

		TEST_TRUE(commands[i], root && json_object_equal(root, shown));
		json_object_put(root);
		json_object_put(shown);
	}
}

/* The record of a command, without what no result is computed from. */
static struct json_object *sample(const char *words)
{
	struct json_object *root = recorded(words, NULL);
	struct json_object *intervals = json_array(root, "intervals");

	for (size_t i = 0; i < json_length(intervals); i++) {
		json_object_object_del(json_element(intervals, i), "source");
		json_object_object_del(json_element(intervals, i), "sink");
		json_object_object_del(json_element(intervals, i), "tcp");
	}
	return root;
}

static void wrong_values(void)
{
	static const char *const parts[] = {
		"readings", "route", "source.config", "sink.config",
		"intervals", "result.latency_ns", "result.histogram",
	};

	for (size_t i = 0; i < TEST_COUNT(commands); i++) {
		struct json_object *root = sample(commands[i]);
		char *before = show(root), *after;

		TEST_CONTAINS("shown", before, "Ended");
		for (size_t j = 0; j < TEST_COUNT(parts); j++)
			exchange(root, json_at(root, parts[j]));
		exchange_members(root, root);
		after = show(root);
		TEST_STRING("as before", after, before);
		free(before);
		free(after);
		json_object_put(root);
	}
}

static const struct test_case cases[] = {
	{ "documents of a file, with their lines", documents },
	{ "what a document is", kinds },
	{ "what is no record is refused", refusals },
	{ "zero bytes are no blanks", zeroes },
	{ "a truncated record is refused", truncated },
	{ "what is broken is left out", broken },
	{ "strings lose control characters", control_characters },
	{ "JSON keeps those that it escapes", escaped },
	{ "what cannot be read back is refused", unreadable },
	{ "values that are wrong do no harm", wrong_values },
	{ "a document that is shown is the one that was recorded", same_document },
};

TEST_MAIN(cases)
