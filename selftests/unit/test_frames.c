// SPDX-License-Identifier: GPL-2.0
/* Frames: sizes and mixes, MAC addresses and VLAN tags as words. */
#include <arpa/inet.h>

#include "../../tools/host/address.h"
#include "../../tools/module/framesize.h"
#include "test.h"

static void sizes(void)
{
	static const struct {
		const char *word, *mix;
		uint64_t first, last;
	} rows[] = {
		{ "60", "", 60, 60 }, { "128K", "", 131072, 131072 },
		{ "60-1514", "", 60, 1514 }, { "60:1", "60:1", 60, 60 },
		{ "590:4,60:7,1514:1", "590:4,60:7,1514:1", 60, 1514 },
		{ "imix", "60:7,590:4,1514:1", 60, 1514 },
		{ "1514:1,60:7,590:4", "1514:1,60:7,590:4", 60, 1514 },
		{ "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1",
		  "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1",
		  1, 16 },
		{ "60:255,61:1", "60:255,61:1", 60, 61 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct framesize size;
		struct units_error err;

		if (framesize_parse(rows[i].word, &size, &err)) {
			TEST_FAIL("%s: %s", rows[i].word, err.text);
			continue;
		}
		TEST_STRING(rows[i].word, size.mix, rows[i].mix);
		TEST_U64(rows[i].word, size.first, rows[i].first);
		TEST_U64(rows[i].word, size.last, rows[i].last);
	}
}

static void bad_sizes(void)
{
	static const struct {
		const char *word, *want;
	} rows[] = {
		{ "", "is not a number" }, { "-5", "is negative" },
		{ "60-", "is not a number" }, { "1514-60", "runs downwards" },
		{ "60-65536", "not in the range" }, { "0-60", "not in the range" },
		{ "60:7,", "not of the form SIZE:WEIGHT" },
		{ "60:7,590", "'590' in the mix is not of the form" },
		{ ":1", "is not a number" }, { "60:", "is not a number" },
		{ "60:0", "not in the range" }, { "60:257", "not in the range" },
		{ "65536:1", "not in the range" },
		{ "60:256,61:1", "add up to more than 256" },
		{ "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1,17:1",
		  "more than 16 sizes" },
		{ "60:1:1", "" }, { "60:a", "is not a number" },
		{ "fast", "is not a number" },
		{ "60:0000000000000000000000000000000001", "SIZE:WEIGHT" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct framesize size = { .first = 1 };
		struct units_error err = { "" };

		TEST_TRUE(rows[i].word,
			  framesize_parse(rows[i].word, &size, &err) == -1);
		TEST_CONTAINS(rows[i].word, err.text, rows[i].want);
		TEST_U64("left alone", size.first, 1);
	}
}

static void macs(void)
{
	static const char *const bad[] = {
		"", "02:00:00:00:00", "02:00:00:00:00:00:00", "02:00:00:00:00:",
		"020:0:0:0:0:0", "g2:00:00:00:00:00", "02-00-00-00-00-01",
		"02:00:00:00:00:01 ", ":00:00:00:00:00",
	};
	struct ethernet_mac mac;
	struct units_error err;

	TEST_U64("two digits", ethernet_parse_mac("02:00:5E:fF:00:01", &mac,
						  &err), 0);
	TEST_STRING("two digits", ethernet_show_mac(mac.byte).text,
		    "02:00:5e:ff:00:01");
	TEST_U64("one digit", ethernet_parse_mac("2:0:0:0:0:a", &mac, &err), 0);
	TEST_STRING("one digit", ethernet_show_mac(mac.byte).text,
		    "02:00:00:00:00:0a");
	for (size_t i = 0; i < TEST_COUNT(bad); i++) {
		TEST_TRUE(bad[i], ethernet_parse_mac(bad[i], &mac, &err) == -1);
		TEST_CONTAINS(bad[i], err.text, "is not of the form");
	}
	TEST_STRING("left alone", ethernet_show_mac(mac.byte).text,
		    "02:00:00:00:00:0a");
}

static void tags(void)
{
	static const struct {
		const char *word;
		uint64_t tci;
	} good[] = {
		{ "0", 0 }, { "5", 5 }, { "4094", 4094 }, { "5:0", 5 },
		{ "5:3", 5 | 3 << 13 }, { "4094:7", 4094 | 7 << 13 },
	};
	static const struct {
		const char *word, *want;
	} bad[] = {
		{ "4095", "not in the range 0 to 4094" },
		{ "5:8", "not in the range 0 to 7" }, { "", "not a number" },
		{ "5:", "not a number" }, { ":5", "not a number" },
		{ "-1", "negative" }, { "123456789", "not of the form" },
	};

	for (size_t i = 0; i < TEST_COUNT(good); i++) {
		struct units_error err;
		uint64_t tci = 1;

		if (ethernet_parse_tag(good[i].word, &tci, &err))
			TEST_FAIL("%s: %s", good[i].word, err.text);
		TEST_U64(good[i].word, tci, good[i].tci);
	}
	for (size_t i = 0; i < TEST_COUNT(bad); i++) {
		struct units_error err = { "" };
		uint64_t tci = 1;

		TEST_TRUE(bad[i].word,
			  ethernet_parse_tag(bad[i].word, &tci, &err) == -1);
		TEST_CONTAINS(bad[i].word, err.text, bad[i].want);
		TEST_U64("left alone", tci, 1);
	}
}

static void groups(void)
{
	static const struct {
		const char *address, *mac;
	} rows[] = {
		{ "224.0.0.1", "01:00:5e:00:00:01" },
		{ "239.255.1.2", "01:00:5e:7f:01:02" },
		{ "ff02::1", "33:33:00:00:00:01" },
		{ "ff05::1:2:aabb:ccdd", "33:33:aa:bb:cc:dd" },
		{ "10.0.0.1", NULL }, { "2001:db8::1", NULL },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct ethernet_mac mac = { 0 };
		struct address address;
		struct units_error err;

		TEST_U64(rows[i].address,
			 address_parse(rows[i].address, AF_UNSPEC, &address,
				       &err), 0);
		TEST_U64(rows[i].address, ethernet_group_mac(&address, &mac),
			 !!rows[i].mac);
		if (rows[i].mac)
			TEST_STRING(rows[i].address,
				    ethernet_show_mac(mac.byte).text,
				    rows[i].mac);
	}
}

static void no_addresses(void)
{
	static const struct {
		const char *word, *hint;
	} rows[] = {
		{ "127.0.0.1:5001", "; the port is a keyword of its own, 'port P'" },
		{ "http://127.0.0.1", "; give a host or an address, without / and what" },
		{ "127.0.0.1/8", "; give a host or an address, without / and what" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct address address;

		TEST_U64(rows[i].word, address_parse(rows[i].word, AF_UNSPEC, &address,
						     &err) != 0, 1);
		TEST_CONTAINS(rows[i].word, err.text, rows[i].hint);
	}
}

static const struct test_case cases[] = {
	{ "sizes, ranges and mixes", sizes },
	{ "sizes that are refused", bad_sizes },
	{ "MAC addresses", macs },
	{ "VLAN tags", tags },
	{ "MAC addresses of groups", groups },
	{ "addresses with what is none of them", no_addresses },
};

TEST_MAIN(cases)
