// SPDX-License-Identifier: GPL-2.0
/* Rows of live tables: outside of memory, and the same document. */
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../tools/base/json.h"
#include "../../tools/base/output.h"
#include "../../tools/base/spool.h"
#include "test.h"

/* Each row has somewhat more than this. */
#define ROW_BYTES	1000
#define MANY		(3 * SPOOL_MEMORY / ROW_BYTES)

static const struct output_column columns[] = { { .title = "row" } };

/* A row with a value of each kind, and such as are easily changed. */
static void row(struct output *out, uint64_t nr)
{
	char text[ROW_BYTES + 1] = { 0 };

	memset(text, 'x', ROW_BYTES);
	output_row_begin(out);
	output_u64(out, "nr", nr, "%d", (int)nr);
	output_data_u64(out, "most", UINT64_MAX - nr);
	output_data_i64(out, "least", INT64_MIN);
	output_data_double(out, "tenth", 0.1 + nr);
	output_data_double(out, "whole", 3);
	output_data_double(out, "small", 1e-300);
	output_data_double(out, "none", 0 / 0.0);
	output_data_bool(out, "odd", nr % 2);
	output_data_string(out, "text", "a\"b\\c/d\n\t\x01 \xc3\xa4");
	output_data_string(out, "long", text);
	output_object_begin(out, "source");
	output_array_begin(out, "cpus");
	output_data_u64(out, NULL, nr);
	output_object_begin(out, NULL);
	output_object_end(out);
	output_array_end(out);
	output_array_begin(out, "streams");
	output_array_end(out);
	output_object_end(out);
	output_row_end(out);
}

static void document(struct output *out, uint64_t rows, bool live)
{
	output_data_u64(out, "before", 1);
	output_table_begin(out, "rows", columns, TEST_COUNT(columns), live);
	for (uint64_t nr = 0; nr < rows; nr++)
		row(out, nr);
	output_table_end(out);
	output_data_u64(out, "after", 2);
	TEST_U64("written", output_document_end(out), 0);
}

/* A document, for free(); what is said beside it goes to @said, if there is one. */
static char *text_of(uint64_t rows, bool live, enum output_form form, char **said)
{
	FILE *to[2];
	char *text[2];
	size_t size[2];
	struct output *out;

	for (int i = 0; i < 2; i++)
		to[i] = open_memstream(&text[i], &size[i]);
	out = output_new(to[0], to[1], form, "test");
	document(out, rows, live);
	TEST_U64("free", output_free(out), 0);
	for (int i = 0; i < 2; i++)
		fclose(to[i]);
	if (said)
		*said = text[1];
	else
		free(text[1]);
	return text[0];
}

/* As if all rows were kept as objects, to the byte. */
static void same(void)
{
	static const uint64_t rows[] = { 0, 1, 2, MANY };
	static const enum output_form forms[] = {
		OUTPUT_JSON, OUTPUT_JSON_PRETTY,
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		for (size_t form = 0; form < TEST_COUNT(forms); form++) {
			char *have = text_of(rows[i], true, forms[form], NULL);
			char *want = text_of(rows[i], false, forms[form], NULL);

			TEST_U64("bytes", strlen(have), strlen(want));
			TEST_TRUE("text", !strcmp(have, want));
			free(have);
			free(want);
		}
	}
}

static void keep(struct json_object *document, void *data)
{
	const int flags = JSON_C_TO_STRING_PLAIN |
			  JSON_C_TO_STRING_NOSLASHESCAPE;

	TEST_U64("kept", spool_print(document, flags, data), 0);
	fputc('\n', data);
}

/* One that is printed in one form is kept in another, and so is the next one. */
static void kept(void)
{
	char *want = text_of(MANY, false, OUTPUT_JSON, NULL);
	const size_t length = strlen(want);
	FILE *to = fopen("/dev/null", "w"), *kept;
	struct output *out;
	char *have;
	size_t size;

	kept = open_memstream(&have, &size);
	out = output_new(to, stderr, OUTPUT_JSON_PRETTY, "test");
	output_keep(out, keep, kept);
	document(out, MANY, true);
	document(out, MANY, true);
	TEST_U64("free", output_free(out), 0);
	fclose(kept);
	fclose(to);
	TEST_U64("bytes", size, 2 * length);
	TEST_TRUE("one", !strncmp(have, want, length));
	TEST_TRUE("the next", !strcmp(have + length, want));
	free(have);
	free(want);
}

static struct json_object *element(void)
{
	struct json_object *array = json_object_new_array();
	char *text = calloc(1, SPOOL_MEMORY + 1);

	memset(text, 'x', SPOOL_MEMORY);
	json_object_array_add(array, json_object_new_string(text));
	free(text);
	return array;
}

static void place(void)
{
	char directory[] = "/tmp/ktput.XXXXXX";
	struct json_object *one = element();
	struct json_object *spool = spool_new("/nonexistent");

	TEST_TRUE("directory", mkdtemp(directory));
	unsetenv("TMPDIR");
	TEST_U64("add", spool_add(spool, one), 0);
	TEST_STRING("where another may", spool_place(spool), "/var/tmp");
	json_object_put(spool);
	spool = spool_new(directory);
	TEST_U64("add", spool_add(spool, one), 0);
	TEST_STRING("beside the record", spool_place(spool), directory);
	/* It has no name there. */
	TEST_U64("empty", rmdir(directory), 0);
	json_object_put(spool);
	setenv("TMPDIR", "/dev/shm", 1);
	spool = spool_new("/tmp");
	TEST_U64("add", spool_add(spool, one), 0);
	TEST_STRING("TMPDIR", spool_place(spool), "/dev/shm");
	json_object_put(spool);
	unsetenv("TMPDIR");
	json_object_put(one);
}

static void count(struct json_object *row, void *data)
{
	uint64_t *next = data;

	TEST_U64("in order", json_u64(row, "nr"), *next);
	TEST_U64("whole", json_length(json_array(row, "source.cpus")), 2);
	++*next;
}

/* Rows before their document, and rows from wherever they are. */
static void before(void)
{
	char *text, *line, *end;
	struct json_object *spool = spool_new(NULL);
	struct json_object *array = json_object_new_array(), *object;
	struct output *out;
	uint64_t rows = 0;
	size_t size;
	FILE *to;

	to = open_memstream(&text, &size);
	out = output_new(to, stderr, OUTPUT_JSON, "test");
	output_apart(out);
	document(out, MANY, true);
	TEST_U64("free", output_free(out), 0);
	fclose(to);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		object = json_tokener_parse(line);
		count(json_at(object, "interval"), &rows);
		TEST_U64("add", spool_add(spool, json_at(object, "interval")), 0);
		json_object_put(object);
	}
	TEST_U64("rows", rows, MANY);
	TEST_STRING("rest", line, "{\"before\":1,\"rows\":[],\"after\":2}");
	TEST_U64("end", spool_end(spool), 0);
	json_object_array_add(array, spool);
	rows = 0;
	spool_each(array, count, &rows);
	TEST_U64("of a spool", rows, MANY);
	json_object_put(array);
	array = json_tokener_parse("[{\"nr\":0,\"source\":{\"cpus\":[3,4]}},"
				   "{\"nr\":1,\"source\":{\"cpus\":[3,4]}}]");
	rows = 0;
	spool_each(array, count, &rows);
	TEST_U64("of objects", rows, 2);
	spool_each(NULL, count, &rows);
	TEST_U64("of none", rows, 2);
	json_object_put(array);
	free(text);
}

/* No room for all rows: the document has none, and the rest. */
static void check_lost(const char *where, const char *why)
{
	char *said, *have = text_of(MANY, true, OUTPUT_JSON, &said), want[128];

	snprintf(want, sizeof(want),
		 "{\"before\":1,\"rows\":[],\"rows_missing\":%d,\"after\":2}\n",
		 MANY);
	TEST_STRING("document", have, want);
	snprintf(want, sizeof(want), "cannot keep the rows in %s: %s.", where, why);
	TEST_CONTAINS("said", said, want);
	TEST_TRUE("once", strchr(said, '\n') == said + strlen(said) - 1);
	free(have);
	free(said);
}

static void full(void)
{
	struct rlimit before, limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit) { 2 * SPOOL_MEMORY, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	check_lost("/var/tmp", "File too large");
	/* What is left at the end does not fit. */
	limit.rlim_cur = 5 * SPOOL_MEMORY / 2;
	setrlimit(RLIMIT_FSIZE, &limit);
	check_lost("/var/tmp", "File too large");
	setrlimit(RLIMIT_FSIZE, &before);
}

static void no_file(void)
{
	struct rlimit before, limit;

	getrlimit(RLIMIT_NOFILE, &before);
	limit = (struct rlimit) { 0, before.rlim_max };
	setrlimit(RLIMIT_NOFILE, &limit);
	check_lost("/tmp", "Too many open files");
	setrlimit(RLIMIT_NOFILE, &before);
}

static const struct test_case cases[] = {
	{ "the document is the same to the byte", same },
	{ "documents that are printed and kept", kept },
	{ "rows before their document", before },
	{ "where the file is", place },
	{ "without room the rest is there", full },
	{ "nor without a file", no_file },
};

TEST_MAIN(cases)
