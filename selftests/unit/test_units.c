// SPDX-License-Identifier: GPL-2.0
/* Units: what is read exactly, what is refused and why, what is printed. */
#include "../../tools/base/units.h"
#include "test.h"

#define SEC	UNITS_NSEC_PER_SEC
#define KEEP	0x5a5a5a5aULL

/* A word, and its value, or part of the sentence that refuses it. */
struct row {
	const char *word;
	uint64_t value;
	const char *refusal;
};

typedef int (*parser)(const char *word, uint64_t *value,
		      struct units_error *err);

static void check_rows(const struct row *row, size_t count, parser parse)
{
	for (; count--; row++) {
		struct units_error err = { "" };
		uint64_t value = KEEP;
		int ret = parse(row->word, &value, &err);

		TEST_U64(row->word, ret, row->refusal ? -1ULL : 0);
		TEST_U64(row->word, value, row->refusal ? KEEP : row->value);
		TEST_CONTAINS(row->word, err.text,
			      row->refusal ? row->refusal : "");
		if (row->refusal)
			TEST_CONTAINS("the word is named", err.text, row->word);
	}
}

static int size(const char *word, uint64_t *value, struct units_error *err)
{
	return units_parse_size(word, 1, UINT64_MAX, value, err);
}

static void sizes(void)
{
	static const struct row rows[] = {
		{ "1448", 1448, NULL }, { "128K", 131072, NULL },
		{ "128k", 131072, NULL }, { "16M", 16777216, NULL },
		{ "2GiB", 2147483648, NULL }, { "1.5K", 1536, NULL },
		{ "3KiB", 3072, NULL }, { "3MiB", 3145728, NULL },
		{ "3G", 3221225472, NULL },
		{ "0.5M", 524288, NULL }, { "007", 7, NULL },
		{ "18446744073709551615", UINT64_MAX, NULL },
		{ "17179869183G", 17179869183ULL << 30, NULL },
		{ "18446744073709551616", 0, "64 bits" },
		{ "17179869184G", 0, "64 bits" },
		{ "0", 0, "below the least, 1 B" },
		{ "-1", 0, "negative" }, { "+1", 0, "not a number" },
		{ "", 0, "not a number" }, { " 1", 0, "not a number" },
		{ "K", 0, "not a number" }, { ".5K", 0, "not a number" },
		{ "nan", 0, "not a number" }, { "inf", 0, "not a number" },
		{ "0x10", 0, "unknown unit 'x10'" }, { "1e3", 0, "unknown unit 'e3'" },
		{ "128Kx", 0, "unknown unit 'Kx'" }, { "128 K", 0, "unknown unit ' K'" },
		{ "1KB", 0, "unknown unit 'KB'" }, { "1.", 0, "after the point" },
		{ "1.5", 0, "not a whole number of bytes" },
		{ "0.3K", 0, "not a whole number of bytes" },
		{ "1.0000000001K", 0, "nine decimals" },
		{ "1.2.3", 0, "unknown unit '.3'" }, { "1,5K", 0, "unknown unit ',5K'" },
	};

	check_rows(rows, TEST_COUNT(rows), size);
}

static int bounded(const char *word, uint64_t *value, struct units_error *err)
{
	return units_parse_count(word, 3, 10, value, err);
}

static void counts(void)
{
	static const struct row rows[] = {
		{ "3", 3, NULL }, { "10", 10, NULL },
		{ "2", 0, "not in the range 3 to 10" },
		{ "11", 0, "not in the range 3 to 10" },
		{ "4K", 0, "unexpected 'K'" }, { "4.5", 0, "whole number" },
	};

	check_rows(rows, TEST_COUNT(rows), bounded);
}

static int bitrate(const char *word, uint64_t *value, struct units_error *err)
{
	return units_parse_bitrate(word, 1, 400000000000, value, err);
}

static void bitrates(void)
{
	static const struct row rows[] = {
		{ "10gbit", 10000000000, NULL }, { "10Gbit", 10000000000, NULL },
		{ "1.5mbit", 1500000, NULL }, { "64kbit", 64000, NULL },
		{ "1bit", 1, NULL }, { "0.4tbit", 400000000000, NULL },
		{ "400.000000001gbit", 0, "range 1 b/s to 400.00 Gb/s" },
		{ "0gbit", 0, "range 1 b/s to 400.00 Gb/s" },
		{ "10", 0, "lacks its unit" }, { "10gbps", 0, "'gbps'" },
		{ "1mpps", 0, "'mpps'" }, { "0.5bit", 0, "whole number" },
		{ "99999999999tbit", 0, "64 bits" },
	};

	check_rows(rows, TEST_COUNT(rows), bitrate);
}

static int bits(const char *word, uint64_t *value, struct units_error *err)
{
	struct units_rate rate = { .packets = true, .per_s = *value };
	int ret = units_parse_rate(word, &rate, err);

	TEST_TRUE(word, ret || !rate.packets);
	*value = rate.per_s;
	return ret;
}

static int packets(const char *word, uint64_t *value, struct units_error *err)
{
	struct units_rate rate = { .packets = false, .per_s = *value };
	int ret = units_parse_rate(word, &rate, err);

	TEST_TRUE(word, ret || rate.packets);
	*value = rate.per_s;
	return ret;
}

static void rates(void)
{
	static const struct row bit_rows[] = {
		{ "2.5gbit", 2500000000, NULL }, { "0bit", 0, "below" },
		{ "10", 0, "lacks its unit" }, { "5apples", 0, "'apples'" },
	};
	static const struct row packet_rows[] = {
		{ "1mpps", 1000000, NULL }, { "14.88mpps", 14880000, NULL },
		{ "5kpps", 5000, NULL }, { "7pps", 7, NULL },
		{ "0pps", 0, "below" }, { "0.5pps", 0, "whole number" },
		{ "-1mpps", 0, "negative" },
	};

	check_rows(bit_rows, TEST_COUNT(bit_rows), bits);
	check_rows(packet_rows, TEST_COUNT(packet_rows), packets);
}

static int duration(const char *word, uint64_t *value, struct units_error *err)
{
	return units_parse_time(word, 1, 24 * 3600 * SEC, value, err);
}

static void times(void)
{
	static const struct row rows[] = {
		{ "10s", 10 * SEC, NULL }, { "10", 10 * SEC, NULL },
		{ "500ms", SEC / 2, NULL }, { "2m", 120 * SEC, NULL },
		{ "1.5h", 5400 * SEC, NULL }, { "7us", 7000, NULL },
		{ "1ns", 1, NULL }, { "24h", 24 * 3600 * SEC, NULL },
		{ "0.000000001", 1, NULL },
		{ "0s", 0, "range 1 ns to 86400 s" },
		{ "25h", 0, "range 1 ns to 86400 s" },
		{ "0.5ns", 0, "whole number of ns" },
		{ "1d", 0, "unknown unit 'd'" }, { "10s ", 0, "unknown unit 's '" },
		{ "1m30s", 0, "unknown unit 'm30s'" },
		{ "9999999999999h", 0, "64 bits" },
	};

	check_rows(rows, TEST_COUNT(rows), duration);
}

static void ports(void)
{
	static const struct row rows[] = {
		{ "1", 1, NULL }, { "65535", 65535, NULL },
		{ "0", 0, "range 1 to 65535" },
		{ "65536", 0, "range 1 to 65535" },
		{ "http", 0, "not a number" }, { "80/tcp", 0, "'/tcp'" },
	};

	check_rows(rows, TEST_COUNT(rows), units_parse_port);
}

static void percents(void)
{
	static const struct {
		const char *word;
		double value;
		const char *refusal;
	} rows[] = {
		{ "0", 0, NULL }, { "2.5", 2.5, NULL }, { "100%", 100, NULL },
		{ "100.000000001", 0, "above 100" }, { "-1", 0, "negative" },
		{ "5%%", 0, "'%%'" }, { "nan", 0, "not a number" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		double value = -1;
		int ret = units_parse_percent(rows[i].word, &value, &err);

		TEST_U64(rows[i].word, ret, rows[i].refusal ? -1ULL : 0);
		TEST_TRUE(rows[i].word, value == (ret ? -1 : rows[i].value));
		TEST_CONTAINS(rows[i].word, err.text,
			      rows[i].refusal ? rows[i].refusal : "");
	}
}

static void spans(void)
{
	static const struct {
		const char *word;
		uint64_t first, last;
		const char *refusal;
	} rows[] = {
		{ "5", 5, 5, NULL }, { "5-9", 5, 9, NULL },
		{ "5-5", 5, 5, NULL }, { "9-5", 0, 0, "downwards" },
		{ "5-", 0, 0, "not a number" }, { "-5", 0, 0, "negative" },
		{ "5-101", 0, 0, "range 1 to 100" },
		{ "5-6-7", 0, 0, "unexpected '-7'" },
		{ "0000000000000000000000000000000005-6", 0, 0, "longer" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct units_span span = { 0, 0 };
		int ret = units_parse_span(rows[i].word, 1, 100, &span, &err);

		TEST_U64(rows[i].word, ret, rows[i].refusal ? -1ULL : 0);
		TEST_U64(rows[i].word, span.first, rows[i].first);
		TEST_U64(rows[i].word, span.last, rows[i].last);
		TEST_CONTAINS(rows[i].word, err.text,
			      rows[i].refusal ? rows[i].refusal : "");
	}
}

static void lists(void)
{
	struct units_list list = { 0 };
	struct units_error err = { "" };

	TEST_U64("three", units_parse_sizes("9000,4500,1.5K", 68, 65535, &list,
					    &err), 0);
	TEST_U64("three", list.count, 3);
	TEST_U64("order", list.value[0], 9000);
	TEST_U64("order", list.value[2], 1536);
	TEST_U64("empty part", units_parse_sizes("1500,", 68, 65535, &list,
						 &err), -1ULL);
	TEST_U64("bound", units_parse_sizes("1500,67", 68, 65535, &list, &err),
		 -1ULL);
	TEST_CONTAINS("bound", err.text, "'67' is not in the range 68 B to");
	TEST_U64("16", units_parse_sizes("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 1, 1,
					 &list, &err), 0);
	TEST_U64("17", units_parse_sizes("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 1,
					 1, &list, &err), -1ULL);
	TEST_CONTAINS("17", err.text, "more than 16");
	TEST_U64("kept", list.count, 16);
}

static void cpus(void)
{
	static const struct {
		const char *word;
		unsigned int count, last;
		const char *refusal;
	} rows[] = {
		{ "0", 1, 0, NULL }, { "0-3,5", 5, 5, NULL },
		{ "63-64", 2, 64, NULL }, { "8191", 1, 8191, NULL },
		{ "0-8191", 8192, 8191, NULL }, { "5,0-3", 5, 5, NULL },
		{ "8192", 0, 0, "range 0 to 8191" },
		{ "3-0", 0, 0, "downwards" }, { "0-3,2", 0, 0, "named twice" },
		{ "0,", 0, 0, "not a number" }, { "", 0, 0, "not a number" },
		{ "ALL", 0, 0, "not a number" }, { "-1", 0, 0, "negative" },
		{ "0;1", 0, 0, "unexpected ';1'" },
	};
	struct units_error err = { "" };
	struct units_cpus set = { 0 };

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		int ret;

		set = (struct units_cpus) { 0 };
		err.text[0] = '\0';
		ret = units_parse_cpus(rows[i].word, &set, &err);
		TEST_U64(rows[i].word, ret, rows[i].refusal ? -1ULL : 0);
		TEST_U64(rows[i].word, units_cpus_count(&set), rows[i].count);
		TEST_TRUE(rows[i].word,
			  ret || units_cpus_has(&set, rows[i].last));
		TEST_TRUE(rows[i].word,
			  !units_cpus_has(&set, rows[i].last + 1));
		TEST_TRUE(rows[i].word, !set.all);
		TEST_CONTAINS(rows[i].word, err.text,
			      rows[i].refusal ? rows[i].refusal : "");
	}
	TEST_U64("all", units_parse_cpus("all", &set, &err), 0);
	TEST_TRUE("all", set.all);
	TEST_U64("all", units_cpus_count(&set), 0);
}

static void printing(void)
{
	TEST_STRING("b/s", units_show_bitrate(0).text, "0 b/s");
	TEST_STRING("b/s", units_show_bitrate(999).text, "999 b/s");
	TEST_STRING("kb/s", units_show_bitrate(1000).text, "1.00 kb/s");
	TEST_STRING("carry", units_show_bitrate(999999).text, "1.00 Mb/s");
	TEST_STRING("Gb/s", units_show_bitrate(9413e6).text, "9.41 Gb/s");
	TEST_STRING("Tb/s", units_show_bitrate(1.6e12).text, "1.60 Tb/s");
	TEST_STRING("count", units_show_count(1234567).text, "1.23 M");
	TEST_STRING("count", units_show_count(12).text, "12");
	TEST_STRING("count", units_show_count(1.5).text, "1.50");
	TEST_STRING("less", units_show_change(-0.6768).text, "-68%");
	TEST_STRING("a little more", units_show_change(0.00345).text, "+0.34%");
	TEST_STRING("a power of ten", units_show_change(-0.996).text, "-100%");
	TEST_STRING("many times", units_show_change(2.113942).text, "+211%");
	TEST_STRING("of itself", units_show_share(1.5).text, "150%");
	TEST_STRING("of itself, less", units_show_share(0.038).text, "3.8%");
	TEST_STRING("KiB", units_show_size(131072).text, "128 KiB");
	TEST_STRING("MiB", units_show_size(3 << 20).text, "3 MiB");
	TEST_STRING("B", units_show_size(1448).text, "1448 B");
	TEST_STRING("B", units_show_size(0).text, "0 B");
	TEST_STRING("GiB", units_show_size(1ULL << 42).text, "4096 GiB");
	TEST_STRING("ns", units_show_time(999).text, "999 ns");
	TEST_STRING("us", units_show_time(1500).text, "1.5 us");
	TEST_STRING("ms", units_show_time(SEC / 2).text, "500 ms");
	TEST_STRING("s", units_show_time(10 * SEC).text, "10 s");
}

static const struct test_case cases[] = {
	{ "sizes", sizes },
	{ "counts with bounds", counts },
	{ "bit rates", bitrates },
	{ "bit or packet rates", rates },
	{ "times", times },
	{ "ports", ports },
	{ "percentages", percents },
	{ "ranges", spans },
	{ "size lists", lists },
	{ "CPU lists", cpus },
	{ "printing", printing },
};

TEST_MAIN(cases)
