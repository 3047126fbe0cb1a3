// SPDX-License-Identifier: GPL-2.0
/* Buses: their rates, and the bus of a device in sysfs. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/host/device.h"
#include "test.h"

#define MHZ	1000000ULL

/*
 * Kent's article of 2000: 1.056 Gb/s for PCI of 33 MHz and 32 bit. The memo of
 * 2001 has 66 MHz and 64 bit, that of 2003 PCI-X of 133 MHz, which all its rates
 * are below.
 */
static void parallel(void)
{
	static const struct {
		uint64_t mhz, bits;
		double bps;
	} rows[] = {
		{ 33, 32, 1.056e9 }, { 33, 64, 2.112e9 }, { 66, 32, 2.112e9 },
		{ 66, 64, 4.224e9 }, { 100, 64, 6.4e9 }, { 133, 64, 8.512e9 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct ceiling_bus bus = {
			.clock_hz = rows[i].mhz * MHZ,
			.width_bits = rows[i].bits,
		};
		struct units_error err;

		TEST_U64("there is one", ceiling_bus_check(&bus, &err), 0);
		TEST_TRUE("rate", ceiling_bus_bps(&bus, 1500) == rows[i].bps);
	}
}

/* Bits after decoding, of one lane and of links that are common. */
static void express(void)
{
	static const struct {
		uint64_t generation, lanes, payload;
		double link_gbps, data_gbps;
	} rows[] = {
		{ 1, 1, 128, 2, 2 * 128 / 152.0 },
		{ 1, 8, 128, 16, 16 * 128 / 152.0 },
		{ 2, 4, 256, 16, 16 * 256 / 280.0 },
		{ 3, 8, 256, 63.015385, 63.0153846 * 256 / 280 },
		{ 4, 16, 512, 252.061538, 252.061538 * 512 / 536 },
		{ 5, 16, 4096, 504.123077, 504.123077 * 4096 / 4120 },
		{ 3, 8, 0, 63.015385, 63.015385 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct ceiling_bus bus = {
			.generation = rows[i].generation,
			.lanes = rows[i].lanes,
			.payload_bytes = rows[i].payload,
		};
		double link = ceiling_bus_link_bps(&bus) / 1e9;
		double data = ceiling_bus_bps(&bus, 65536) / 1e9;

		if (fabs(link - rows[i].link_gbps) > 1e-6)
			TEST_FAIL("link %.6f, want %.6f", link,
				  rows[i].link_gbps);
		if (fabs(data - rows[i].data_gbps) > 1e-5)
			TEST_FAIL("data %.6f, want %.6f", data,
				  rows[i].data_gbps);
	}
}

/* A frame of 1514 bytes is 6 TLPs of 256 bytes at most, one of 60 is one. */
static void pieces(void)
{
	const struct ceiling_bus bus = {
		.generation = 3, .lanes = 8, .payload_bytes = 256,
	};
	double link = ceiling_bus_link_bps(&bus);

	TEST_TRUE("1514", fabs(ceiling_bus_bps(&bus, 1514) -
			       link * 1514 / (1514 + 6 * 24)) < 1);
	TEST_TRUE("60", fabs(ceiling_bus_bps(&bus, 60) - link * 60 / 84) < 1);
	TEST_TRUE("256", fabs(ceiling_bus_bps(&bus, 256) -
			      link * 256 / 280) < 1);
	TEST_TRUE("257", fabs(ceiling_bus_bps(&bus, 257) -
			      link * 257 / 305) < 1);
}

static void refusals(void)
{
	static const struct {
		const char *want;
		struct ceiling_bus bus;
	} rows[] = {
		{ "generation 0", { .lanes = 1 } },
		{ "generation 6", { .generation = 6, .lanes = 1 } },
		{ "has 3 lanes", { .generation = 3, .lanes = 3 } },
		{ "has 64 lanes", { .generation = 3, .lanes = 64 } },
		{ "payload of 64", { .generation = 3, .lanes = 12,
				     .payload_bytes = 64 } },
		{ "payload of 384", { .generation = 3, .lanes = 1,
				      .payload_bytes = 384 } },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };

		TEST_U64(rows[i].want, ceiling_bus_check(&rows[i].bus, &err),
			 -1ULL);
		TEST_CONTAINS(rows[i].want, err.text, rows[i].want);
	}
}

/* A device, the port above it, and what drives it by virtio. */
#define PORT		"/devices/pci0000:00/0000:00:01.0"
#define DEVICE		PORT "/0000:01:00.0"
#define VIRTIO		DEVICE "/virtio3"

static char sysfs[64];

static void put(const char *path, const void *bytes, size_t size)
{
	char name[200];
	FILE *to;

	snprintf(name, sizeof(name), "%s%s", sysfs, path);
	to = fopen(name, "w");
	if (!to || fwrite(bytes, 1, size, to) != size || fclose(to))
		TEST_FAIL("%s cannot be written", name);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

/* A header with capabilities, and one capability with two words in it. */
static void put_config(size_t size, uint8_t id, uint16_t flags,
		       uint16_t control)
{
	uint8_t config[256] = {
		[0x06] = 0x10, [0x34] = 0x50, [0x50] = 0x05, [0x51] = 0x70,
		[0x70] = id, [0x72] = flags, [0x73] = flags >> 8,
		[0x78] = control, [0x79] = control >> 8,
	};

	put(DEVICE "/config", config, size);
}

static void make_sysfs(void)
{
	static const char *const directories[] = {
		"/devices", "/devices/pci0000:00", PORT, DEVICE, VIRTIO,
		"/bus", "/bus/virtio", "/bus/virtio/devices",
	};
	char from[200], to[200];

	snprintf(sysfs, sizeof(sysfs), "/tmp/ktput-sysfs-XXXXXX");
	if (!mkdtemp(sysfs))
		TEST_FAIL("no directory %s", sysfs);
	for (size_t i = 0; i < TEST_COUNT(directories); i++) {
		snprintf(to, sizeof(to), "%s%s", sysfs, directories[i]);
		if (mkdir(to, 0700))
			TEST_FAIL("no directory %s", to);
	}
	snprintf(from, sizeof(from), "%s%s", sysfs, VIRTIO);
	snprintf(to, sizeof(to), "%s/bus/virtio/devices/virtio3", sysfs);
	if (symlink(from, to))
		TEST_FAIL("no link %s", to);
	put_text(DEVICE "/current_link_speed", "8.0 GT/s PCIe\n");
	put_text(DEVICE "/current_link_width", "8\n");
}

static void remove_sysfs(void)
{
	static const char *const names[] = {
		"/bus/virtio/devices/virtio3", "/bus/virtio/devices",
		"/bus/virtio", "/bus", DEVICE "/current_link_speed",
		DEVICE "/current_link_width", DEVICE "/config",
		PORT "/current_link_speed", PORT "/current_link_width",
		PORT "/config", VIRTIO, DEVICE, PORT, "/devices/pci0000:00",
		"/devices", "",
	};
	char name[200];

	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		snprintf(name, sizeof(name), "%s%s", sysfs, names[i]);
		if (remove(name))
			TEST_FAIL("%s cannot be removed", name);
	}
}

static void absent(const char *what, const char *bus_name, const char *parent,
		   const char *want)
{
	struct units_error err = { "" };
	struct ceiling_bus bus;

	TEST_U64(what, bus_find(sysfs, bus_name, parent, &bus, &err), -1ULL);
	TEST_CONTAINS(what, err.text, want);
}

static struct ceiling_bus present(const char *what)
{
	struct ceiling_bus bus = { 0 };
	struct units_error err;

	if (bus_find(sysfs, "virtio", "virtio3", &bus, &err))
		TEST_FAIL("%s: %s", what, err.text);
	return bus;
}

static void sysfs_tells(void)
{
	struct ceiling_bus bus;

	make_sysfs();
	absent("no parent", "", "", "no hardware");
	absent("another", "virtio", "virtio4", "does not show 'virtio4'");
	absent("no PCI", "virtio", "virtio3", "not behind PCI");

	/* Payload of 256 bytes, in an endpoint. */
	put_config(256, 0x10, 0x0002, 0x2830);
	bus = present("an endpoint");
	TEST_U64("generation", bus.generation, 3);
	TEST_U64("lanes", bus.lanes, 8);
	TEST_U64("payload", bus.payload_bytes, 256);

	/* Without root only the header is readable. */
	put_config(64, 0x10, 0x0002, 0x2830);
	bus = present("the header");
	TEST_U64("lanes", bus.lanes, 8);
	TEST_U64("payload", bus.payload_bytes, 0);

	/* The port above has less. */
	put_text(PORT "/config", "");
	put_text(PORT "/current_link_speed", "2.5 GT/s PCIe\n");
	put_text(PORT "/current_link_width", "4\n");
	put_config(256, 0x10, 0x0002, 0x0810);
	bus = present("a narrow port");
	TEST_U64("generation", bus.generation, 1);
	TEST_U64("lanes", bus.lanes, 4);
	TEST_U64("payload", bus.payload_bytes, 128);

	put_config(256, 0x10, 0x0092, 0x0810);
	absent("integrated", "virtio", "virtio3", "root complex");
	put_config(256, 0x07, 0, 0);
	absent("PCI-X", "virtio", "virtio3", "PCI-X does not tell");
	put_config(256, 0x01, 0, 0);
	absent("PCI", "virtio", "virtio3", "PCI does not tell");
	put_text(DEVICE "/current_link_speed", "Unknown\n");
	put_text(PORT "/current_link_speed", "Unknown\n");
	put_config(256, 0x10, 0x0002, 0x0810);
	absent("no speed", "virtio", "virtio3", "does not tell speed");
	put_text(DEVICE "/current_link_speed", "64.0 GT/s PCIe\n");
	absent("generation 6", "virtio", "virtio3", "generation 6");
	remove_sysfs();
}

static const struct test_case cases[] = {
	{ "PCI and PCI-X, as in the memos", parallel },
	{ "PCI Express: link and data", express },
	{ "PCI Express: small pieces", pieces },
	{ "no such bus", refusals },
	{ "the bus of a device, as sysfs tells", sysfs_tells },
};

TEST_MAIN(cases)
