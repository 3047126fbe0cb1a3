// SPDX-License-Identifier: GPL-2.0
/* config: to netlink attributes and back, CPU lists, addresses. */
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "../../tools/module/config.h"
#include "../../tools/host/cpus.h"
#include "../../tools/host/netlink.h"
#include "test.h"

/* Through a message and back. */
static void pass_through(const struct config *config, struct config *back)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, 0x10, 0, 0, KTPUT_CMD_RUN_START, 1);
	TEST_U64("put", config_put(msg, config), 0);
	config_get(back, nlmsg_find_attr(nlmsg_hdr(msg), GENL_HDRLEN,
					 KTPUT_A_MESSAGE_CONFIG));
	nlmsg_free(msg);
}

static void every_number(void)
{
	for (int type = 1; type <= KTPUT_A_CONFIG_MAX; type++) {
		const struct config_attribute *attribute =
			&config_attributes[type];
		struct config config = { 0 }, back;

		if (type == KTPUT_A_CONFIG_PAD)
			continue;
		if (!attribute->name) {
			TEST_FAIL("attribute %d has no name", type);
			continue;
		}
		if (attribute->kind == CONFIG_STRING ||
		    attribute->kind == CONFIG_MAC ||
		    attribute->kind == CONFIG_ADDRESS)
			continue;
		config_set(&config, type, 1);
		pass_through(&config, &back);
		TEST_U64(attribute->name, back.set, 1ULL << type);
		TEST_U64(attribute->name, back.number[type], 1);
	}
}

static void widths(void)
{
	struct config config = { 0 }, back;

	config_set(&config, KTPUT_A_CONFIG_BYTES, UINT64_MAX);
	config_set(&config, KTPUT_A_CONFIG_STREAMS, UINT32_MAX);
	config_set(&config, KTPUT_A_CONFIG_LOCAL_PORT, UINT16_MAX);
	config_set(&config, KTPUT_A_CONFIG_TOS, UINT8_MAX);
	config_set(&config, KTPUT_A_CONFIG_SIZE, 0);
	pass_through(&config, &back);
	TEST_U64("u64", back.number[KTPUT_A_CONFIG_BYTES], UINT64_MAX);
	TEST_U64("u32", back.number[KTPUT_A_CONFIG_STREAMS], UINT32_MAX);
	TEST_U64("u16", back.number[KTPUT_A_CONFIG_LOCAL_PORT], UINT16_MAX);
	TEST_U64("u8", back.number[KTPUT_A_CONFIG_TOS], UINT8_MAX);
	TEST_TRUE("0 is handed on", config_has(&back,
					       KTPUT_A_CONFIG_SIZE));
	TEST_TRUE("absent", !config_has(&back, KTPUT_A_CONFIG_MSS));
}

static void words_and_addresses(void)
{
	static const char *const addresses[] = { "192.0.2.7", "2001:db8::7" };

	for (size_t i = 0; i < TEST_COUNT(addresses); i++) {
		struct config config = { 0 }, back;
		struct units_error err;

		config_set_string(&config, KTPUT_A_CONFIG_CPUS, "0-3,5");
		config_set_string(&config, KTPUT_A_CONFIG_CONGESTION,
				  "cubic");
		config_set(&config, KTPUT_A_CONFIG_REMOTE_PORT, 5010);
		TEST_U64(addresses[i], address_parse(addresses[i], AF_UNSPEC,
						     &config.remote, &err), 0);
		pass_through(&config, &back);
		TEST_STRING("CPUs", back.cpus, "0-3,5");
		TEST_STRING("congestion", back.congestion, "cubic");
		TEST_STRING("remote", address_show(&back.remote).text,
			    addresses[i]);
		TEST_U64("port", address_port(&back.remote), 5010);
		TEST_U64("local", address_family(&back.local), AF_UNSPEC);
		TEST_TRUE("local is any", address_is_any(&back.local));
	}
}

static void frames(void)
{
	static const uint8_t source[] = { 2, 0, 0, 0, 0, 1 };
	static const uint8_t destination[] = { 2, 0, 0, 0, 0, 2 };
	struct config config = { 0 }, back;

	config_set_string(&config, KTPUT_A_CONFIG_MIX, "60:7,590:4");
	config_set_string(&config, KTPUT_A_CONFIG_QUEUES, "0,2-3");
	config_set_mac(&config, KTPUT_A_CONFIG_FROM_MAC, source);
	config_set_mac(&config, KTPUT_A_CONFIG_MAC, destination);
	pass_through(&config, &back);
	TEST_U64("set", back.set, config.set);
	TEST_STRING("mix", config_string(&back, KTPUT_A_CONFIG_MIX),
		    "60:7,590:4");
	TEST_STRING("queues", config_string(&back, KTPUT_A_CONFIG_QUEUES),
		    "0,2-3");
	TEST_STRING("no CPUs", config_string(&back, KTPUT_A_CONFIG_CPUS), "");
	TEST_TRUE("source", !memcmp(config_mac(&back,
					       KTPUT_A_CONFIG_FROM_MAC),
				    source, sizeof(source)));
	TEST_TRUE("destination",
		  !memcmp(config_mac(&back, KTPUT_A_CONFIG_MAC),
			  destination, sizeof(destination)));
}

static void attribute_names(void)
{
	const int streams[] = { KTPUT_A_MESSAGE_CONFIG,
				KTPUT_A_CONFIG_STREAMS };
	const int unknown[] = { KTPUT_A_MESSAGE_CONFIG, 1000 };
	const int id[] = { KTPUT_A_MESSAGE_RUN_ID };

	TEST_STRING("streams", config_attribute_name(streams, 2), "streams");
	TEST_STRING("nest", config_attribute_name(streams, 1), "config");
	TEST_STRING("unknown", config_attribute_name(unknown, 2), "config");
	TEST_STRING("run-id", config_attribute_name(id, 1), "run-id");
}

static void cpu_lists(void)
{
	static const struct {
		const char *online, *first, *second;
	} rows[] = {
		{ "0", "0", "0" }, { "0-1", "0", "1" }, { "0-2", "0-1", "2" },
		{ "0-7", "0-3", "4-7" }, { "1,3,5,7", "1,3", "5,7" },
		{ "0-1,8190-8191", "0-1", "8190-8191" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_cpus online, first, second;
		struct units_error err;
		char list[64];

		TEST_U64(rows[i].online, units_parse_cpus(rows[i].online,
							  &online, &err), 0);
		cpus_show(&online, list, sizeof(list));
		TEST_STRING("online", list, rows[i].online);
		cpus_split(&online, &first, &second);
		cpus_show(&first, list, sizeof(list));
		TEST_STRING("first", list, rows[i].first);
		cpus_show(&second, list, sizeof(list));
		TEST_STRING("second", list, rows[i].second);
		TEST_TRUE("nothing left", !cpus_without(&first, &online));
		TEST_TRUE("no room", cpus_show(&online, list, 1) == -1);
	}
}

static const struct test_case cases[] = {
	{ "every number and flag", every_number },
	{ "widths, and zero is not absent", widths },
	{ "words and addresses", words_and_addresses },
	{ "what frames consist of", frames },
	{ "names of attributes that are refused", attribute_names },
	{ "CPU lists", cpu_lists },
};

TEST_MAIN(cases)
