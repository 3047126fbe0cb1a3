// SPDX-License-Identifier: GPL-2.0
/* Output: the same calls as text and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "../../tools/base/output.h"
#include "test.h"

static const struct output_column columns[] = {
	{ .title = "device", .left = true },
	{ .title = "frames" },
	{ .title = "share", .width = 7 },
};

static void values(struct output *out)
{
	output_object_begin(out, "stream");
	output_u64(out, "bytes", UINT64_MAX, "bytes %" PRIu64, UINT64_MAX);
	output_double(out, "goodput_bps", 1.5e6, ", %.1f Mb/s", 1.5);
	output_string(out, "name", "a\"b", ", %s", "a\"b");
	output_bool(out, "valid", true, ", valid");
	output_null(out, "speed_bps", ", speed unknown");
	output_double(out, "ratio", NAN, ", -");
	output_text(out, "\n");
	output_data_u64(out, "id", 7);
	output_data_double(out, "mean", -INFINITY);
	output_data_string(out, "role", "sink");
	output_data_bool(out, "detached", false);
	output_object_end(out);
	output_array_begin(out, "cpus");
	output_u64(out, NULL, 0, "CPU %d", 0);
	output_u64(out, NULL, 3, " %d\n", 3);
	output_array_end(out);
}

static void row(struct output *out, const char *device, uint64_t frames)
{
	output_row_begin(out);
	output_string(out, "device", device, "%s", device);
	output_u64(out, "frames", frames, "%" PRIu64, frames);
	output_double(out, "share", 0.25, "%.0f%%", 25.0);
	output_row_end(out);
}

static void table(struct output *out)
{
	output_table_begin(out, "rows", columns, TEST_COUNT(columns), false);
	row(out, "lo", 123456789);
	row(out, "enp101s0f0", 5);
	output_table_end(out);
}

/* Cells that are empty, and nothing follows. */
static void empty_cells(struct output *out)
{
	static const struct output_column columns[] = {
		{ .title = "device", .left = true },
		{ .title = "frames" },
		{ .title = "", .left = true },
	};

	output_table_begin(out, "rows", columns, TEST_COUNT(columns), false);
	output_row_begin(out);
	output_string(out, "device", "lo", "lo");
	output_string(out, "frames", "", "%s", "");
	output_string(out, "note", "", "%s", "");
	output_row_end(out);
	output_row_begin(out);
	output_string(out, "device", "", "%s", "");
	output_u64(out, "frames", 3, "3");
	output_string(out, "note", "late", "late");
	output_row_end(out);
	output_table_end(out);
}

static void live_table(struct output *out)
{
	output_table_begin(out, "rows", columns, TEST_COUNT(columns), true);
	row(out, "lo", 5);
	row(out, "enp101s0f0", 6);
	output_table_end(out);
}

static void text_table(struct output *out)
{
	output_table_begin(out, NULL, columns, TEST_COUNT(columns), false);
	row(out, "lo", 7);
	output_table_end(out);
}

static void empty_table(struct output *out)
{
	output_table_begin(out, "rows", columns, TEST_COUNT(columns), false);
	output_table_end(out);
}

static void documents(struct output *out)
{
	for (int i = 0; i < 2; i++) {
		output_u64(out, "interval", i, "interval %d\n", i);
		TEST_U64("document", output_document_end(out), 0);
	}
}

static void diagnostics(struct output *out)
{
	output_error(out, "MTU %d is \"odd\"", 1501);
	output_warning(out, "run is invalid");
}

static void check(void (*print)(struct output *out), enum output_form form,
		  const char *results, const char *complaints)
{
	char *text[2];
	size_t size[2];
	FILE *to[2];
	struct output *out;

	for (int i = 0; i < 2; i++)
		to[i] = open_memstream(&text[i], &size[i]);
	out = output_new(to[0], to[1], form, "prog");
	TEST_TRUE("form", output_is_json(out) == (form != OUTPUT_TEXT));
	print(out);
	TEST_U64("end", output_free(out), 0);
	for (int i = 0; i < 2; i++)
		fclose(to[i]);
	TEST_STRING("results", text[0], results);
	TEST_STRING("diagnostics", text[1], complaints);
	for (int i = 0; i < 2; i++)
		free(text[i]);
}

static void test_values(void)
{
	check(values, OUTPUT_TEXT,
	      "bytes 18446744073709551615, 1.5 Mb/s, a\"b, valid, speed unknown, -\n"
	      "CPU 0 3\n", "");
	check(values, OUTPUT_JSON,
	      "{\"stream\":{\"bytes\":18446744073709551615,"
	      "\"goodput_bps\":1500000.0,\"name\":\"a\\\"b\",\"valid\":true,"
	      "\"speed_bps\":null,\"ratio\":null,\"id\":7,\"mean\":null,"
	      "\"role\":\"sink\",\"detached\":false},\"cpus\":[0,3]}\n", "");
}

static void command(struct output *out)
{
	paragraph_command(out, 22, "sysctl -w net.core.rmem_max=16777216 "
			  "net.core.wmem_max=16777216");
}

static void test_command(void)
{
	check(command, OUTPUT_TEXT,
	      "                      sysctl -w net.core.rmem_max=16777216 \\\n"
	      "                      net.core.wmem_max=16777216\n", "");
}

static void test_table(void)
{
	check(table, OUTPUT_TEXT,
	      "device         frames    share\n"
	      "lo          123456789      25%\n"
	      "enp101s0f0          5      25%\n", "");
	check(table, OUTPUT_JSON,
	      "{\"rows\":[{\"device\":\"lo\",\"frames\":123456789,"
	      "\"share\":0.25},{\"device\":\"enp101s0f0\",\"frames\":5,"
	      "\"share\":0.25}]}\n", "");
}

static void test_live_table(void)
{
	check(live_table, OUTPUT_TEXT,
	      "device  frames    share\n"
	      "lo           5      25%\n"
	      "enp101s0f0       6      25%\n", "");
}

static void test_empty_table(void)
{
	check(empty_cells, OUTPUT_TEXT,
	      "device  frames\n"
	      "lo\n"
	      "             3  late\n", "");
	check(empty_table, OUTPUT_TEXT, "device  frames    share\n", "");
	check(empty_table, OUTPUT_JSON, "{\"rows\":[]}\n", "");
}

static void test_pretty(void)
{
	check(documents, OUTPUT_JSON_PRETTY,
	      "{\n  \"interval\": 0\n}\n{\n  \"interval\": 1\n}\n", "");
}

static void test_documents(void)
{
	check(documents, OUTPUT_TEXT, "interval 0\ninterval 1\n", "");
	check(documents, OUTPUT_JSON, "{\"interval\":0}\n{\"interval\":1}\n",
	      "");
}

static void test_diagnostics(void)
{
	check(diagnostics, OUTPUT_TEXT, "",
	      "prog: MTU 1501 is \"odd\"\nprog: warning: run is invalid\n");
	check(diagnostics, OUTPUT_JSON, "",
	      "{\"error\":\"MTU 1501 is \\\"odd\\\"\"}\n"
	      "{\"warning\":\"run is invalid\"}\n");
}

static void keep(struct json_object *document, void *data)
{
	const int flags = JSON_C_TO_STRING_PLAIN;

	fprintf(data, "%s\n",
		json_object_to_json_string_ext(document, flags));
}

/* Text, and the same calls as a document beside it. */
static void test_keep(void)
{
	char *text[2];
	size_t size[2];
	FILE *to[2];
	struct output *out;

	for (int i = 0; i < 2; i++)
		to[i] = open_memstream(&text[i], &size[i]);
	out = output_new(to[0], stderr, OUTPUT_TEXT, "prog");
	TEST_TRUE("no document", !output_is_json(out) && output_is_text(out));
	output_keep(out, keep, to[1]);
	TEST_TRUE("a document", output_is_json(out) && output_is_text(out));
	table(out);
	text_table(out);
	output_mute(out, true);
	TEST_TRUE("muted", output_is_json(out) && !output_is_text(out));
	output_u64(out, "id", 3, "id %d\n", 3);
	live_table(out);
	text_table(out);
	output_mute(out, false);
	TEST_U64("end", output_document_end(out), 0);
	output_u64(out, "id", 4, "id %d\n", 4);
	output_document_drop(out);
	documents(out);
	output_u64(out, "id", 5, "id %d\n", 5);
	output_keep(out, NULL, NULL);
	TEST_TRUE("no document any more", !output_is_json(out));
	TEST_U64("free", output_free(out), 0);
	for (int i = 0; i < 2; i++)
		fclose(to[i]);
	TEST_STRING("text", text[0],
		    "device         frames    share\n"
		    "lo          123456789      25%\n"
		    "enp101s0f0          5      25%\n"
		    "device  frames    share\n"
		    "lo           7      25%\n"
		    "id 4\n"
		    "interval 0\ninterval 1\n"
		    "id 5\n");
	/* Of a key that comes twice the last one counts. */
	TEST_STRING("documents", text[1],
		    "{\"rows\":[{\"device\":\"lo\",\"frames\":5,"
		    "\"share\":0.25},{\"device\":\"enp101s0f0\","
		    "\"frames\":6,\"share\":0.25}],\"id\":3}\n"
		    "{\"interval\":0}\n{\"interval\":1}\n");
	for (int i = 0; i < 2; i++)
		free(text[i]);
}

/* The error is of the first write, whichever of them stdio hands on. */
static void test_full(void)
{
	static const enum output_form forms[] = { OUTPUT_TEXT, OUTPUT_JSON };
	static const int rows[] = { 1, BUFSIZ };
	struct output *out;
	FILE *full;
	int form, row, nr;

	for (form = 0; form < 2; form++) {
		for (row = 0; row < 2; row++) {
			full = fopen("/dev/full", "w");
			if (!full) {
				test_skip("there is no /dev/full");
				return;
			}
			out = output_new(full, stderr, forms[form], "prog");
			output_array_begin(out, "rows");
			for (nr = 0; nr < rows[row]; nr++)
				output_u64(out, NULL, nr, "%d\n", nr);
			output_array_end(out);
			TEST_U64("full", output_free(out), -1ULL);
			TEST_U64("no space", errno, ENOSPC);
			fclose(full);
		}
	}
}

/* Names of files and words of a command line are any bytes. */
static void any_bytes(struct output *out)
{
	output_string(out, "file", "d/\xe9", "%s\n", "d/\xe9");
	output_error(out, "no '%s'", "\xff");
}

static void test_any_bytes(void)
{
	check(any_bytes, OUTPUT_TEXT, "d/\xe9\n", "prog: no '\xff'\n");
	check(any_bytes, OUTPUT_JSON, "{\"file\":\"d/\xef\xbf\xbd\"}\n",
	      "{\"error\":\"no '\xef\xbf\xbd'\"}\n");
}

static const struct test_case cases[] = {
	{ "values", test_values },
	{ "a command is folded as a shell takes it", test_command },
	{ "table", test_table },
	{ "live table", test_live_table },
	{ "empty table", test_empty_table },
	{ "pretty JSON", test_pretty },
	{ "a document after the other", test_documents },
	{ "errors and warnings", test_diagnostics },
	{ "JSON is UTF-8, whatever the text is", test_any_bytes },
	{ "documents beside the text", test_keep },
	{ "a result that cannot be written", test_full },
};

TEST_MAIN(cases)
