// SPDX-License-Identifier: GPL-2.0
/* What ktput-report show makes of records: reading, contexts, ceilings. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/report/cycles.h"
#include "../../tools/report/limit.h"
#include "../../tools/report/record.h"
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
		struct units_error err = { "" };
		struct settings settings;
		struct records records;
		struct cycles cycles;
		struct limits limits;

		TEST_U64(texts[i], parse(texts[i], &records, &err), 1);
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

/* Cycles of a CPU by context, and where the record has none, busy and idle. */
static void contexts_of_cpus(void)
{
	static const char told[] =
		"{\"sink\":{},\"result\":{\"cpus\":[{\"cpu\":3,\"cycles\":1000,"
		"\"busy_cycles\":700,\"contexts\":{\"source_cycles\":1,"
		"\"sink_cycles\":20,\"idle_cycles\":300}}]}}";
	static const char untold[] =
		"{\"sink\":{},\"result\":{\"cpus\":[{\"cpu\":0,\"cycles\":1000,"
		"\"busy_cycles\":700}]}}";
	struct units_error err = { "" };
	struct records records;
	struct cycles cycles;

	TEST_U64("taken", parse(told, &records, &err), 1);
	cycles_get(&records.record[0], &cycles);
	TEST_U64("CPUs", cycles.count, 1);
	TEST_U64("contexts", cycles.contexts, 9);
	TEST_U64("CPU", cycles.cpu[0].id, 3);
	TEST_STRING("first", cycles.name[0], "source");
	near("source", cycles.cpu[0].cycles[0], 1);
	near("sink", cycles.cpu[0].cycles[1], 20);
	near("all", cycles.cpu[0].total, 321);
	cycles_free(&cycles);
	record_free(&records);

	TEST_U64("taken", parse(untold, &records, &err), 1);
	cycles_get(&records.record[0], &cycles);
	TEST_U64("busy and idle", cycles.contexts, 2);
	near("busy", cycles.cpu[0].cycles[0], 700);
	near("idle", cycles.cpu[0].cycles[1], 300);
	near("total", cycles.cpu[0].total, 1000);
	cycles_free(&cycles);
	record_free(&records);
}

static const struct test_case cases[] = {
	{ "records are read back", read_back },
	{ "what is no record is refused", refusals },
	{ "zero bytes are no blanks", zeroes },
	{ "a truncated record is refused", truncated },
	{ "strings lose control characters", control_characters },
	{ "members of a wrong type are absent", wrong_types },
	{ "ceilings", limits_of_runs },
	{ "cycles of CPUs, by context", contexts_of_cpus },
};

TEST_MAIN(cases)
