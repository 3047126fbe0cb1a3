// SPDX-License-Identifier: GPL-2.0
/*
 * Devices as netlink tells them: in a network namespace whose devices all differ, what is
 * read is what they were made with, and what ip and tc count.
 */
#include <arpa/inet.h>
#include <net/if_arp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../tools/base/json.h"
#include "../../tools/host/backlog.h"
#include "../../tools/host/device.h"
#include "../../tools/host/device_counters.h"
#include "../../tools/host/route.h"
#include "devices.h"

/* What is sent from kta, more than its queue takes. */
#define DATAGRAMS	30
#define BYTES		500

static void properties(void)
{
	static const struct {
		uint32_t index, lower, mtu, queues, type;
		const char *name, *kind;
		uint8_t mac;
		bool virtual;
	} rows[] = {
		{ 1, 0, 65536, 1, ARPHRD_LOOPBACK, "lo", "", 0, true },
		{ KTA, KTB, 1400, 3, ARPHRD_ETHER, "kta", "veth", 1, true },
		{ KTB, KTA, 1300, 2, ARPHRD_ETHER, "ktb", "veth", 2, true },
	};

	for (size_t i = 0; devices_made() && i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct device device = { 0 };
		uint32_t index = 0;

		TEST_U64(rows[i].name, device_find(NULL, rows[i].index, &device, &err), 0);
		TEST_U64("index", device.index, rows[i].index);
		TEST_STRING("name", device.name, rows[i].name);
		TEST_STRING("kind", device.kind, rows[i].kind);
		TEST_U64(rows[i].name, device.lower, rows[i].lower);
		TEST_U64(rows[i].name, device.mtu_bytes, rows[i].mtu);
		TEST_U64(rows[i].name, device.queues, rows[i].queues);
		TEST_U64(rows[i].name, device.type, rows[i].type);
		TEST_U64(rows[i].name, device.mac.byte[5], rows[i].mac);
		TEST_U64(rows[i].name, device_is_virtual(&device), rows[i].virtual);
		TEST_U64(rows[i].name, route_device(NULL, rows[i].name, &index, &err), 0);
		TEST_U64(rows[i].name, index, rows[i].index);
	}
}

static void addresses(void)
{
	static const struct {
		const char *address;
		uint32_t index;
	} rows[] = {
		{ "127.0.0.1", 1 }, { "192.0.2.1", KTA }, { "198.51.100.1", KTB },
		{ "192.0.2.2", 0 },
	};

	for (size_t i = 0; devices_made() && i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct address address, found;

		TEST_U64("parsed", address_parse(rows[i].address, AF_UNSPEC, &address, &err),
			 0);
		TEST_U64(rows[i].address, device_of_address(NULL, &address), rows[i].index);
		if (!rows[i].index)
			continue;
		TEST_TRUE(rows[i].address, device_address(NULL, rows[i].index, AF_INET,
							  &found));
		TEST_STRING("its own", address_show(&found).text, rows[i].address);
		TEST_TRUE("of another family", !device_address(NULL, KTA, AF_INET6, &found));
	}
}

static void routes(void)
{
	static const struct {
		const char *to, *device, *gateway, *source;
		uint32_t mtu;
		bool local;
	} rows[] = {
		{ "127.0.0.1", "lo", "", "127.0.0.1", 65536, true },
		{ "192.0.2.1", "lo", "", "192.0.2.1", 65536, true },
		{ "192.0.2.2", "kta", "", "192.0.2.1", 1400, false },
		{ "198.51.100.2", "ktb", "", "198.51.100.1", 1300, false },
		{ "203.0.113.7", "kta", "192.0.2.9", "192.0.2.1", 1400, false },
	};

	for (size_t i = 0; devices_made() && i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct route route = { 0 };
		struct address to;

		TEST_U64("parsed", address_parse(rows[i].to, AF_UNSPEC, &to, &err), 0);
		TEST_U64(rows[i].to, route_find(NULL, &to, 0, &route, &err), 0);
		TEST_STRING(rows[i].to, route.device, rows[i].device);
		TEST_U64(rows[i].to, route.local, rows[i].local);
		TEST_U64(rows[i].to, route.mtu_bytes, rows[i].mtu);
		TEST_STRING(rows[i].to, address_family(&route.gateway) ?
			    address_show(&route.gateway).text : "", rows[i].gateway);
		TEST_STRING(rows[i].to, address_show(&route.source).text, rows[i].source);
	}
}

static void send_some(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9),
		.sin_addr.s_addr = inet_addr("192.0.2.255"),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	char payload[BYTES] = "";

	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "kta", 4);
	for (int i = 0; i < DATAGRAMS; i++)
		sendto(fd, payload, sizeof(payload), 0, (struct sockaddr *)&to, sizeof(to));
	close(fd);
}

/* What a command of iproute2 prints, parsed; the first of its rows. */
static struct json_object *told(const char *command)
{
	FILE *from = popen(command, "r");
	char text[16384] = "";

	if (!from)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, from)] = '\0';
	pclose(from);
	return json_tokener_parse(text);
}

/* As ip and tc count, while nothing changes. */
static void counters(void)
{
	static const char *const names[] = { "lo", "kta", "ktb" };
	static const uint32_t indexes[] = { 1, KTA, KTB };

	if (!devices_made())
		return;
	send_some();
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct device_counters have, again;
		struct json_object *link, *queue, *first, *root;
		char command[80];

		/* The queue of kta lets go of a datagram in half a second. */
		do {
			device_counters_read(NULL, indexes[i], &have);
			snprintf(command, sizeof(command), "ip -j -s link show dev %s", names[i]);
			link = told(command);
			snprintf(command, sizeof(command), "tc -j -s qdisc show dev %s", names[i]);
			queue = told(command);
			device_counters_read(NULL, indexes[i], &again);
			if (!memcmp(&have, &again, sizeof(have)))
				break;
			json_object_put(link);
			json_object_put(queue);
		} while (true);
		first = json_object_array_get_idx(link, 0);
		root = json_object_array_get_idx(queue, 0);
#define SAME(member, path)	TEST_U64(#member, have.member, (uint64_t)json_u64(first, path))
		TEST_TRUE(names[i], have.known);
		TEST_U64(names[i], have.loopback, !i);
		TEST_U64(names[i], have.filtered, indexes[i] == KTB);
		SAME(sent_packets, "stats64.tx.packets");
		SAME(sent_bytes, "stats64.tx.bytes");
		SAME(received_packets, "stats64.rx.packets");
		SAME(received_bytes, "stats64.rx.bytes");
		TEST_U64(names[i], have.sent_drops, json_u64(first, "stats64.tx.dropped") +
						    json_u64(first, "stats64.tx.errors"));
		TEST_U64(names[i], have.received_drops,
			 json_u64(first, "stats64.rx.dropped") +
			 json_u64(first, "stats64.rx.errors"));
		TEST_U64(names[i], have.queue_drops, indexes[i] == KTB ? 0 :
						     json_u64(root, "drops"));
		TEST_U64(names[i], have.queue_overlimits, indexes[i] == KTB ? 0 :
							  json_u64(root, "overlimits"));
		TEST_TRUE(names[i], (have.queue_drops > 0) == (indexes[i] == KTA));
		TEST_TRUE(names[i], (have.queue_overlimits > 0) == (indexes[i] == KTA));
		TEST_TRUE(names[i], (have.sent_packets > 0) == (indexes[i] == KTA));
		TEST_TRUE(names[i], (have.received_packets > 0) == (indexes[i] == KTB));
		json_object_put(link);
		json_object_put(queue);
	}
}

/*
 * Each counter grows by a number of its own. Those of the queueing disciplines, and of what
 * CPUs have received, are of 32 bits, and begin anew.
 */
static void differences(void)
{
	static const struct {
		const char *name;
		size_t offset;
		bool small;
	} rows[] = {
#define ROW(member, small)							\
	{ #member, offsetof(struct device_counters, member), small }
		ROW(sent_packets, false), ROW(sent_drops, false), ROW(sent_bytes, false),
		ROW(received_packets, false), ROW(received_drops, false),
		ROW(received_bytes, false), ROW(queue_drops, true),
		ROW(queue_overlimits, true), ROW(ingress_drops, true),
		ROW(backlog_drops, true),
	};
	struct device_counters earlier = { .known = true }, later = earlier, have;
	const struct device_counters unknown = { .known = false };

	later.loopback = true;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		uint64_t *from = (uint64_t *)((char *)&earlier + rows[i].offset);
		uint64_t *to = (uint64_t *)((char *)&later + rows[i].offset);

		*from = UINT32_MAX - i;
		*to = *from + 100 + i;
		if (rows[i].small)
			*to = (uint32_t)*to;
	}
	have = device_counters_difference(&later, &earlier);
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		TEST_U64(rows[i].name, *(uint64_t *)((char *)&have + rows[i].offset),
			 100 + i);
	TEST_TRUE("known", have.known);
	TEST_TRUE("of the later", have.loopback && !have.filtered);
	earlier.filtered = true;
	later.loopback = false;
	have = device_counters_difference(&later, &earlier);
	TEST_TRUE("not of the earlier", !have.loopback && !have.filtered);
	later.filtered = true;
	TEST_TRUE("filtered", device_counters_difference(&later, &earlier).filtered);
	have = device_counters_difference(&later, &unknown);
	TEST_TRUE("the earlier is unknown", !have.known && !have.sent_bytes);
	have = device_counters_difference(&unknown, &earlier);
	TEST_TRUE("the later is unknown", !have.known && !have.sent_bytes);
}

/* The queue of kta stands; lo has none. */
static void queues(void)
{
	static const struct {
		const char *kind;
		uint32_t index;
		bool stands, holds_rate;
	} rows[] = {
		{ "tbf", KTA, true, true }, { "noqueue", KTB, false, false },
		{ "noqueue", 1, false, false },
	};

	if (!devices_made())
		return;
	send_some();
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct backlog backlog = { 0 };

		backlog_begin(&backlog, NULL, rows[i].index);
		backlog_look(&backlog);
		backlog_look(&backlog);
		TEST_STRING("kind", backlog.kind, rows[i].kind);
		/* Where there is no queue one look is enough. */
		TEST_U64(rows[i].kind, backlog.samples, rows[i].stands ? 2 : 1);
		TEST_U64(rows[i].kind, backlog.standing, rows[i].stands ? 2 : 0);
		TEST_U64(rows[i].kind, backlog.holds_rate, rows[i].holds_rate);
		backlog_end(&backlog);
		TEST_U64(rows[i].kind, backlog.device, 0);
	}
}

static const struct test_case cases[] = {
	{ "what a device was made with", properties },
	{ "whose an address is", addresses },
	{ "which way a packet goes", routes },
	{ "counters, as ip and tc have them", counters },
	{ "what counters have grown by", differences },
	{ "a queue that stands", queues },
};

TEST_MAIN(cases)
