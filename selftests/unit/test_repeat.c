// SPDX-License-Identifier: GPL-2.0
/* repeat: when there are runs enough, and which of them count. */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "../../tools/cmd/repeat.h"
#include "../../tools/base/json.h"
#include "test.h"

/* Runs as they are to come out; one that has no rate is not valid. */
struct play {
	const double *goodput_bps;
	bool interrupted_last;
	size_t count;
	size_t made;
};

static int run(const struct command_context *context, const void *data,
	       struct repeat_outcome *outcome)
{
	struct play *play = (struct play *)data;

	(void)context;
	*outcome = (struct repeat_outcome) {
		.ran = play->made < play->count, .valid = true,
	};
	if (!outcome->ran)
		return COMMAND_FAILED;
	outcome->goodput_bps = play->goodput_bps[play->made++];
	if (outcome->goodput_bps < 0) {
		outcome->valid = false;
		outcome->goodput_bps = 1e12;
	}
	outcome->interrupted = play->interrupted_last &&
			       play->made == play->count;
	return COMMAND_DONE;
}

static void repeat(void)
{
	/* Half the interval is t s / sqrt(n) over the mean. */
	static const struct {
		const char *what;
		struct repeat_options options;
		double goodput_bps[8];
		size_t count;
		bool interrupted_last;
		/* What comes of it. */
		uint64_t runs, valid;
		double mean;
		bool met;
		int status;
	} rows[] = {
		/* 4.303 x 2 / sqrt(3) of 102 are 4.9%, then 2.5%. */
		{ "until the interval is narrow", { 0, 3 },
		  { 100, 102, 104, 102, 7 }, 5, false,
		  4, 4, 102, true, COMMAND_DONE },
		/* Above the mean by 2.58% then, below it by 2.51%. */
		{ "the wider side counts", { 0, 2.55 },
		  { 100, 102, 104, 102, 102, 7 }, 6, false,
		  5, 5, 102, true, COMMAND_DONE },
		{ "never with two", { 0, 3 }, { 100, 100, 100, 100 }, 4, false,
		  3, 3, 100, true, COMMAND_DONE },
		{ "as many as are asked for", { 4, 0 },
		  { 100, 200, 300, 400, 7 }, 5, false,
		  4, 4, 250, false, COMMAND_DONE },
		{ "at most as many", { 3, 1 }, { 100, 200, 300, 400 }, 4, false,
		  3, 3, 200, false, COMMAND_DONE },
		{ "one that is not valid", { 3, 0 }, { 100, -1, 300 }, 3, false,
		  3, 2, 200, false, COMMAND_FAILED },
		{ "one that was interrupted", { 5, 0 }, { 100, 200, 900 }, 3,
		  true, 3, 2, 150, false, COMMAND_DONE },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct play play = {
			.goodput_bps = rows[i].goodput_bps,
			.count = rows[i].count,
			.interrupted_last = rows[i].interrupted_last,
		};
		struct command_context context = { 0 };
		struct json_object *json;
		const char *last;
		char *text;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		FILE *ignored = fopen("/dev/null", "w");
		const char *what = rows[i].what;
		int status;

		context.out = output_new(file, ignored, OUTPUT_JSON, "test");
		status = repeat_runs(&context, &play, &rows[i].options, run);
		TEST_U64(what, status, rows[i].status);
		TEST_U64(what, output_document_end(context.out), 0);
		TEST_U64(what, output_free(context.out), 0);
		fclose(file);
		fclose(ignored);
		last = strstr(text, "{\"summary\"");
		json = last ? json_tokener_parse(last) : NULL;
		TEST_U64(what, json_number(json, "summary.runs"),
			 rows[i].runs);
		TEST_U64(what, json_number(json, "summary.valid_runs"),
			 rows[i].valid);
		TEST_U64(what, llround(json_number(json,
						   "summary.goodput_bps.mean")),
			 rows[i].mean);
		TEST_U64(what, json_is(json, "summary.met"), rows[i].met);
		json_object_put(json);
		free(text);
	}
}

static const struct test_case cases[] = {
	{ "runs in a row", repeat },
};

TEST_MAIN(cases)
