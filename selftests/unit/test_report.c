// SPDX-License-Identifier: GPL-2.0
/* What ktput-report makes of records: reading, figures, differences, quoting. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/report/csv_field.h"
#include "../../tools/report/cycles.h"
#include "../../tools/report/difference.h"
#include "../../tools/report/estimate.h"
#include "../../tools/report/gnuplot.h"
#include "../../tools/report/html_page.h"
#include "../../tools/report/limit.h"
#include "../../tools/report/record.h"
#include "../../tools/report/rungs.h"
#include "../../tools/report/settings.h"
#include "test.h"

#define CONFIG(size)							\
	"{\"transport\":\"udp\",\"message_bytes\":" #size ",\"cookie\":" #size "}"

/* Two intervals of a second; the first has a third of its time idle. */
#define RECORD								\
	"{\"source\":{\"config\":" CONFIG(100) "},"			\
	"\"sink\":{\"config\":" CONFIG(100) ",\"begin\":{\"cpus\":["	\
	"{\"cpu\":0,\"time_ns\":1000,\"idle_ns\":0,\"cycles\":10},"	\
	"{\"cpu\":1,\"time_ns\":1000,\"idle_ns\":500,\"cycles\":0}]}},"	\
	"\"route\":{\"mtu_bytes\":1500},"				\
	"\"intervals\":["						\
	"{\"from_ns\":0,\"to_ns\":1000000000,\"bytes\":1000,"		\
	"\"packets_per_s\":10,\"sink\":{\"cpus\":["			\
	"{\"cpu\":1,\"time_ns\":4000,\"idle_ns\":1500,\"cycles\":300},"	\
	"{\"cpu\":0,\"time_ns\":4000,\"idle_ns\":3000,\"cycles\":310}]}},"	\
	"{\"from_ns\":1000000000,\"to_ns\":2000000000,\"bytes\":3000,"	\
	"\"packets_per_s\":30,\"sink\":{\"cpus\":["			\
	"{\"cpu\":0,\"time_ns\":5000,\"idle_ns\":3000,\"cycles\":410},"	\
	"{\"cpu\":1,\"time_ns\":5000,\"idle_ns\":2500,\"cycles\":400}]}}],"	\
	"\"result\":{\"valid\":true,\"interrupted\":false,"		\
	"\"goodput_bps\":16000,\"wire\":{\"ceiling_bps\":20000,"	\
	"\"share\":0.8}}}"

/* Parse a text; the number of runs, or -1. */
static int parse(const char *text, struct records *records,
		 struct units_error *err)
{
	*records = (struct records) { 0 };
	if (record_parse(records, "f", text, strlen(text), err))
		return -1;
	return records->count;
}

static void read_back(void)
{
	struct units_error err = { "" };
	struct records records;

	TEST_U64("two lines", parse(RECORD "\n" RECORD "\n", &records, &err),
		 2);
	TEST_U64("number", records.record[1].number, 2);
	TEST_U64("of", records.record[0].of, 2);
	TEST_TRUE("counts", !records.record[0].why_not);
	record_free(&records);
	/* As printed with -p, and without a line's end. */
	TEST_U64("pretty", parse("\n{ \"sink\": {},\n \"result\": {}\n}",
				 &records, &err), 1);
	TEST_TRUE("no verdict", records.record[0].why_not);
	record_leave_out(&records);
	TEST_U64("left out", records.count, 0);
	record_free(&records);
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
		{ "{\"sink\":{},\"result\":{}} trailing", "no JSON" },
		{ "{\"sink\":{},\"result\":{}}\n\n{\"sink\"", "f:3: " },
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
		struct records records;

		if (parse(rows[i].text, &records, &err) != -1)
			TEST_FAIL("taken: %s", rows[i].text);
		TEST_CONTAINS(rows[i].text, err.text, rows[i].says);
		record_free(&records);
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
		struct records records = { 0 };

		memcpy(text, rows[i], length);
		TEST_U64("zeroes", record_parse(&records, "f", text, length + 2,
						&err), -1ULL);
		TEST_CONTAINS("zeroes", err.text, "f:1: no JSON");
		record_free(&records);
	}
}

static void truncated(void)
{
	char text[sizeof(RECORD)];

	for (size_t length = 1; length < sizeof(RECORD) - 1; length++) {
		struct units_error err = { "" };
		struct records records;

		snprintf(text, sizeof(text), "%.*s", (int)length, RECORD);
		if (parse(text, &records, &err) != -1)
			TEST_FAIL("taken: %zu bytes", length);
		TEST_CONTAINS("truncated", err.text, "truncated");
		record_free(&records);
	}
}

static void control_characters(void)
{
	struct units_error err = { "" };
	struct records records;

	TEST_U64("taken", parse("{\"sink\":{},\"result\":{\"valid\":false,"
				"\"invalid_because\":\"a\\u001b[1m\\nb\"}}",
				&records, &err), 1);
	TEST_STRING("cleaned", records.record[0].why_not, "a [1m b");
	record_free(&records);
	/* C1, raw and escaped, between what only looks alike. */
	TEST_U64("taken", parse("{\"sink\":{},\"result\":{\"valid\":false,"
				"\"invalid_because\":\"\xc2\x9bm\\u0080\xc2\xa0"
				"\xc3\x9b\xe2\x82\x9b\xc0\x9b\xc2\x9f\"}}",
				&records, &err), 1);
	TEST_STRING("cleaned", records.record[0].why_not,
		    " m \xc2\xa0\xc3\x9b\xe2\x82\x9b   ");
	record_free(&records);
}

static void near(const char *what, double have, double want)
{
	if (!(fabs(have - want) <= fabs(want) * 1e-6))
		TEST_FAIL("%s: have %.9g, want %.9g", what, have, want);
}

static void figures(void)
{
	struct figures_intervals intervals;
	struct units_error err = { "" };
	struct records records;

	TEST_U64("taken", parse(RECORD, &records, &err), 1);
	figures_intervals_get(&records.record[0], &intervals);
	TEST_U64("intervals", intervals.count, 2);
	/* CPU 0: 300 cycles, none busy; CPU 1: 300, two thirds busy. */
	near("busy", intervals.interval[0].busy_cycles, 200);
	near("busy, later", intervals.interval[1].busy_cycles, 100);
	near("packets", intervals.interval[1].packets, 30);
	near("goodput", figures_of_span(intervals.interval, 2, FIGURE_GOODPUT),
	     16000);
	near("packets/s", figures_of_span(intervals.interval, 2,
					  FIGURE_PACKETS), 20);
	near("per byte", figures_of_span(intervals.interval, 2,
					 FIGURE_PER_BYTE), 300.0 / 4000);
	near("per packet", figures_of_span(intervals.interval, 2,
					   FIGURE_PER_PACKET), 300.0 / 40);
	figures_intervals_free(&intervals);
	record_free(&records);
}

/* One CPU that is never idle: 100 cycles in each second. */
#define CPU(s)								\
	"\"cpus\":[{\"cpu\":0,\"time_ns\":" #s "000,\"idle_ns\":0,"	\
	"\"cycles\":" #s "00}]"
#define INTERVAL(from, to, bytes)					\
	"{\"from_ns\":" #from "000000000,\"to_ns\":" #to "000000000,"	\
	"\"bytes\":" #bytes ",\"sink\":{" CPU(to) "}}"

/* That without payload has cycles, and no cycles a byte. */
static void idle_interval(void)
{
	static const char text[] =
		"{\"sink\":{\"begin\":{" CPU(0) "}},\"intervals\":["
		INTERVAL(0, 1, 1000) "," INTERVAL(1, 2, 0) ","
		INTERVAL(2, 3, 4000) "],\"result\":{}}";
	struct units_error err = { "" };
	struct statistics estimate;
	struct records records;

	TEST_U64("taken", parse(text, &records, &err), 1);
	estimate_run(&records.record[0], FIGURE_PER_BYTE, &estimate);
	TEST_U64("intervals", estimate.count, 2);
	near("mean", estimate.mean, (0.1 + 0.025) / 2);
	TEST_TRUE("interval", estimate.ci_low < estimate.ci_high);
	estimate_run(&records.record[0], FIGURE_GOODPUT, &estimate);
	TEST_U64("goodput", estimate.count, 3);
	estimate_run(&records.record[0], FIGURE_LATENCY, &estimate);
	TEST_U64("latency", estimate.count, 0);
	TEST_TRUE("latency", isnan(estimate.mean));
	record_free(&records);
}

/* Whatever a member is, it is not taken for what it should be. */
static void wrong_types(void)
{
	static const char *const texts[] = {
		"{\"sink\":1,\"result\":{},\"intervals\":{}}",
		"{\"sink\":{\"config\":[1]},\"result\":{\"cpus\":[1,{},null]},"
		"\"intervals\":[1,null,{},{\"from_ns\":\"0\",\"to_ns\":[]}]}",
		"{\"sink\":{},\"result\":{\"ceilings\":[1,{\"name\":2},{}],"
		"\"wire\":[],\"cpus\":[{\"contexts\":1,\"cpu\":-1}]},"
		"\"intervals\":[{\"to_ns\":1,\"from_ns\":0,\"bytes\":1,"
		"\"sink\":{\"cpus\":[{},1]}}]}",
	};

	for (size_t i = 0; i < TEST_COUNT(texts); i++) {
		struct figures_intervals intervals;
		struct units_error err = { "" };
		struct settings settings;
		struct records records;
		struct cycles cycles;
		struct limits limits;

		TEST_U64(texts[i], parse(texts[i], &records, &err), 1);
		figures_intervals_get(&records.record[0], &intervals);
		figures_intervals_free(&intervals);
		settings_get(&records.record[0], &settings);
		settings_free(&settings);
		cycles_get(&records.record[0], &cycles);
		TEST_U64("CPUs", cycles.count, 0);
		cycles_free(&cycles);
		limit_get(&records.record[0], &limits);
		TEST_U64("ceilings", limits.count, 0);
		limit_free(&limits);
		record_free(&records);
	}
}

static void limits_of_runs(void)
{
	static const char listed[] =
		"{\"sink\":{},\"result\":{\"goodput_bps\":50,"
		"\"wire\":{\"ceiling_bps\":1},\"ceilings\":["
		"{\"name\":\"link\",\"ceiling_bps\":100},"
		"{\"name\":\"bus\",\"ceiling_bps\":50,\"share\":1,\"binds\":true}]}}";
	struct units_error err = { "" };
	struct records records;
	struct limits limits;

	TEST_U64("taken", parse(listed, &records, &err), 1);
	limit_get(&records.record[0], &limits);
	TEST_U64("listed", limits.count, 2);
	near("share", limits.limit[0].share, 0.5);
	TEST_TRUE("binds", limits.limit[1].binds && !limits.limit[0].binds);
	limit_free(&limits);
	record_free(&records);
	TEST_U64("taken", parse(RECORD, &records, &err), 1);
	limit_get(&records.record[0], &limits);
	TEST_U64("of the wire", limits.count, 1);
	TEST_TRUE("not full", !limits.limit[0].binds);
	limit_free(&limits);
	record_free(&records);
}

static void settings_told_apart(void)
{
	static const char text[] =
		"{\"source\":{\"config\":" CONFIG(100) "},\"sink\":{\"config\":"
		CONFIG(100) "},\"environment\":{\"kernel\":\"a\"},\"result\":{}}\n"
		"{\"source\":{\"config\":" CONFIG(200) "},\"sink\":{\"config\":"
		CONFIG(300) "},\"environment\":{\"kernel\":\"b\"},\"result\":{}}";
	struct units_error err = { "" };
	struct settings *settings;
	struct records records;
	char label[64];

	TEST_U64("taken", parse(text, &records, &err), 2);
	settings = settings_get_all(&records);
	settings_label(&settings[0], NULL, label, sizeof(label));
	TEST_STRING("both ends alike", label, "message_bytes 100");
	settings_label(&settings[1], NULL, label, sizeof(label));
	TEST_STRING("ends differ", label,
		    "source message_bytes 200, sink message_bytes 300");
	settings_label(&settings[1], "message_bytes", label, sizeof(label));
	TEST_STRING("excepted", label, "");
	settings_label(&settings[1], NULL, label, 12);
	TEST_STRING("cut", label, "source m...");
	near("number", settings_number(&settings[1], "message_bytes"), 200);
	near("path", settings_number(&settings[1],
				     "sink.config.message_bytes"), 300);
	TEST_TRUE("no number", isnan(settings_number(&settings[1], "kernel")));
	TEST_TRUE("drawn anew", !settings_find(&settings[0],
					       "source.config.cookie"));
	TEST_TRUE("environment", !settings_same(&settings[0], &settings[1],
						"environment.kernel"));
	settings_free_all(settings, records.count);
	record_free(&records);
}

#define MADE_WITH(settings)						\
	"{\"source\":{\"config\":{" settings "}},\"result\":{}}\n"

/* In whatever order they stand, and whoever lacks one. */
static void settings_in_any_order(void)
{
	static const char text[] =
		MADE_WITH("\"a\":1,\"b\":2,\"c\":3")
		MADE_WITH("\"c\":3,\"a\":1,\"b\":2")
		MADE_WITH("\"new\":0,\"a\":1,\"b\":2,\"c\":3")
		MADE_WITH("\"b\":2,\"a\":1");
	static const char *const labels[] = { "c 3", "c 3", "new 0, c 3", "" };
	struct units_error err = { "" };
	struct settings *settings;
	struct records records;
	char label[64];

	TEST_U64("taken", parse(text, &records, &err), 4);
	settings = settings_get_all(&records);
	for (size_t i = 0; i < TEST_COUNT(labels); i++) {
		settings_label(&settings[i], NULL, label, sizeof(label));
		TEST_STRING("label", label, labels[i]);
	}
	settings_free_all(settings, records.count);
	record_free(&records);
}

/* Computed independently, from the formulas, with t(0.95, 24) = 2.0638986. */
static void welch(void)
{
	static const double a[] = {
		27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6,
		23.1, 19.6, 19.0, 21.7, 21.4,
	};
	static const double b[] = {
		27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2,
		21.9, 22.1, 22.9, 20.5, 24.4,
	};
	struct statistics of_a, of_b;
	struct difference by;

	statistics_runs(a, TEST_COUNT(a), &of_a);
	statistics_runs(b, TEST_COUNT(b), &of_b);
	difference_compute(&of_a, &of_b, &by);
	near("difference", by.value, 2.16666667);
	near("low", by.low, 0.34543199);
	near("high", by.high, 3.98790134);
	near("relative", by.relative, 0.104066603);
	TEST_TRUE("differs", by.distinguishable);
	difference_compute(&of_b, &of_a, &by);
	TEST_TRUE("less", by.high < 0 && by.distinguishable);
	difference_compute(&of_a, &of_a, &by);
	TEST_TRUE("same", by.value == 0 && !by.distinguishable);
	near("symmetric", -by.low, by.high);
}

static void welch_at_the_edges(void)
{
	static const double same[] = { 2, 2, 2 }, other[] = { 3, 3, 3 };
	struct statistics a, b;
	struct difference by;

	statistics_runs(same, 3, &a);
	statistics_runs(other, 3, &b);
	difference_compute(&a, &b, &by);
	TEST_TRUE("no spread", by.low == 1 && by.high == 1);
	TEST_TRUE("no spread", by.distinguishable);
	statistics_runs(same, 1, &a);
	difference_compute(&a, &b, &by);
	TEST_TRUE("one run", by.value == 1 && isnan(by.low));
	TEST_TRUE("one run", !by.distinguishable);
	statistics_runs(NULL, 0, &a);
	difference_compute(&a, &b, &by);
	TEST_TRUE("none", isnan(by.value) && !by.distinguishable);
}

#define COST(mean, low, high)						\
	"{\"mean\":" #mean ",\"ci_low\":" #low ",\"ci_high\":" #high "}"

static void rungs_of_ladders(void)
{
	static const char text[] =
		"{\"ladder\":{\"tcp\":["
		"{\"name\":\"a\",\"busy_cycles_per_byte\":" COST(2, 1, 3) "},"
		"{\"name\":\"b\",\"busy_cycles_per_byte\":" COST(5, 6, 7) "},"
		"{\"name\":\"c\",\"busy_cycles_per_packet\":" COST(9, 9, 9) "},"
		"{\"name\":\"d\",\"busy_cycles_per_byte\":"
		COST(null, null, null) "},"
		"{\"name\":\"e\",\"busy_cycles_per_byte\":{\"mean\":4,"
		"\"ci_low\":-50,\"ci_high\":58,\"too_short\":true}},"
		"{\"name\":7},1,null],"
		"\"transmit\":{},"
		"\"receive\":[{\"name\":\"f\",\"busy_cycles_per_packet\":"
		COST(8, -1, 17) "}]}}";
	struct units_error err = { "" };
	struct records records;
	struct rungs rungs;

	TEST_U64("taken", parse(text, &records, &err), 0);
	TEST_U64("ladders", records.ladders, 1);
	rungs_get(records.ladder[0], 0, &rungs);
	TEST_U64("rungs", rungs.count, 5);
	TEST_U64("results", rungs.results, 3);
	TEST_STRING("unit", rungs.unit, "busy cycles per byte");
	TEST_STRING("name", rungs.rung[3].name, "d");
	near("mean", rungs.rung[0].mean, 2);
	near("low", rungs.rung[0].ci_low, 1);
	near("high", rungs.rung[0].ci_high, 3);
	near("mean", rungs.rung[1].mean, 5);
	TEST_TRUE("not around the mean", isnan(rungs.rung[1].ci_high));
	TEST_TRUE("of another unit", isnan(rungs.rung[2].mean));
	TEST_TRUE("none", isnan(rungs.rung[3].mean));
	TEST_TRUE("too short", isnan(rungs.rung[4].ci_low));
	near("largest", rungs_largest(&rungs), 5);
	rungs_get(records.ladder[0], 1, &rungs);
	TEST_U64("no array", rungs.count, 0);
	near("largest of none", rungs_largest(&rungs), 0);
	rungs_get(records.ladder[0], 2, &rungs);
	TEST_U64("per packet", rungs.results, 1);
	near("reach", rungs_largest(&rungs), 17);
	record_free(&records);
}

/* More than there is room for. */
static void steps_of_ladders(void)
{
	static const char text[] =
		"{\"ladder\":{\"agreement\":{\"transmit\":["
		"{\"cost\":\"a\",\"busy_cycles_per_packet\":" COST(-2, -3, -1)
		",\"sampled\":{\"mean\":4,\"half_width\":0.5}},"
		"{\"cost\":\"b\",\"busy_cycles_per_packet\":" COST(5, 4, 6) "},"
		"{\"cost\":7}]}}}";
	struct units_error err = { "" };
	struct records records;
	struct rungs rungs;

	TEST_U64("taken", parse(text, &records, &err), 0);
	rungs_get(records.ladder[0], 4, &rungs);
	TEST_U64("two rows each", rungs.count, 4);
	TEST_U64("results", rungs.results, 3);
	TEST_STRING("name", rungs.rung[1].name, "a");
	TEST_STRING("method", rungs.rung[0].method, "ladder");
	TEST_STRING("method", rungs.rung[1].method, "samples");
	near("below zero", rungs.rung[0].mean, -2);
	near("low", rungs.rung[0].ci_low, -3);
	near("samples", rungs.rung[1].ci_high, 4.5);
	TEST_TRUE("no samples", isnan(rungs.rung[3].mean));
	near("least", rungs_least(&rungs), -3);
	near("largest", rungs_largest(&rungs), 6);
	record_free(&records);
}

static void many_rungs(void)
{
	char text[RUNGS_MAX * 32 + 256] = "{\"ladder\":{\"tcp\":[";
	struct units_error err = { "" };
	struct records records;
	struct rungs rungs;

	for (size_t i = 0; i < RUNGS_MAX + 2; i++)
		strcat(text, "{\"name\":\"a\"},");
	strcat(text, "{}]}}");
	TEST_U64("taken", parse(text, &records, &err), 0);
	rungs_get(records.ladder[0], 0, &rungs);
	TEST_U64("rungs", rungs.count, RUNGS_MAX);
	TEST_U64("results", rungs.results, 0);
	record_free(&records);
}

static void csv_quoting(void)
{
	struct csv_field csv = { 0 };
	char *text;
	size_t size;

	csv.to = open_memstream(&text, &size);
	csv_field_text(&csv, "plain");
	csv_field_text(&csv, NULL);
	csv_field_text(&csv, "a,b");
	csv_field_text(&csv, "say \"so\"");
	csv_field_text(&csv, "two\nlines");
	csv_field_end(&csv);
	csv_field_number(&csv, 9007199254740.0);
	csv_field_number(&csv, 0.25);
	csv_field_number(&csv, NAN);
	csv_field_number(&csv, INFINITY);
	csv_field_end(&csv);
	fclose(csv.to);
	TEST_STRING("csv", text,
		    "plain,,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\"\n"
		    "9007199254740,0.25,,\n");
	free(text);
}

static void gnuplot_quoting(void)
{
	struct gnuplot plot = { 0 };

	plot.script = open_memstream(&plot.text, &plot.size);
	gnuplot_quote(&plot, "''s `date` \"$x\" \\\nsystem('x')");
	gnuplot_number(&plot, NAN);
	gnuplot_number(&plot, -1.5);
	fflush(plot.script);
	TEST_STRING("quoted", plot.text,
		    "'\u2019\u2019s `date` \"$x\" \\ system(\u2019x\u2019)'NaN -1.5 ");
	gnuplot_free(&plot);
}

static void html_escaping(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	html_escape(to, "<a href=\"x\">'&'</a>");
	fclose(to);
	TEST_STRING("escaped", text,
		    "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
	free(text);
}

static const struct test_case cases[] = {
	{ "records are read back", read_back },
	{ "what is no record is refused", refusals },
	{ "zero bytes are no blanks", zeroes },
	{ "a truncated record is refused", truncated },
	{ "strings lose control characters", control_characters },
	{ "figures of intervals", figures },
	{ "an interval without payload", idle_interval },
	{ "members of a wrong type are absent", wrong_types },
	{ "ceilings", limits_of_runs },
	{ "settings tell runs apart", settings_told_apart },
	{ "settings in any order", settings_in_any_order },
	{ "Welch's interval", welch },
	{ "Welch's interval of what has no spread", welch_at_the_edges },
	{ "rungs of a ladder", rungs_of_ladders },
	{ "differences by both methods", steps_of_ladders },
	{ "rungs beyond those that are drawn", many_rungs },
	{ "CSV quoting", csv_quoting },
	{ "gnuplot quoting", gnuplot_quoting },
	{ "HTML escaping", html_escaping },
};

TEST_MAIN(cases)
