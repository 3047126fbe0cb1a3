// SPDX-License-Identifier: GPL-2.0
/* bus: find the bus of a device in sysfs. */
#include <errno.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

/* Size of the PCI configuration space; that of PCI Express is larger. */
#define CONFIG_BYTES	256

/* Configuration space of a function. */
struct function {
	size_t bytes;
	uint8_t config[CONFIG_BYTES];
};

static bool is_function(const char *directory)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/config", directory);
	return !access(path, F_OK);
}

/* Go to the parent directory; false if that is not within @sysfs. */
static bool climb(char *directory, const char *sysfs)
{
	char *slash = strrchr(directory, '/');

	if (!slash || (size_t)(slash - directory) <= strlen(sysfs))
		return false;
	*slash = '\0';
	return true;
}

static void read_config(const char *directory, struct function *function)
{
	char path[PATH_MAX + 16];
	FILE *from;

	snprintf(path, sizeof(path), "%s/config", directory);
	memset(function, 0, sizeof(*function));
	from = fopen(path, "r");
	if (!from)
		return;
	function->bytes = fread(function->config, 1, CONFIG_BYTES, from);
	fclose(from);
}

static uint16_t word(const struct function *function, size_t at)
{
	return function->config[at] | function->config[at + 1] << 8;
}

/* Offset of a capability, or 0; terminates on a cyclic list. */
static size_t find_capability(const struct function *function, uint8_t id)
{
	size_t at = function->config[PCI_CAPABILITY_LIST] & ~3U;

	if (!(word(function, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;
	for (int i = 0; i < CONFIG_BYTES / 4 && at >= PCI_STD_HEADER_SIZEOF &&
	     at + PCI_CAP_EXP_ENDPOINT_SIZEOF_V1 <= function->bytes; i++) {
		if (function->config[at] == id)
			return at;
		at = function->config[at + PCI_CAP_LIST_NEXT] & ~3U;
	}
	return 0;
}

/* Number at the start of an attribute file of a device, or 0. */
static double read_number(const char *directory, const char *name)
{
	char path[PATH_MAX + 32];
	double number = 0;
	FILE *from;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	from = fopen(path, "r");
	if (!from)
		return 0;
	if (fscanf(from, "%lf", &number) != 1)
		number = 0;
	fclose(from);
	return number;
}

/* False if the function has no link. */
static bool read_link(const char *directory, struct ceiling_bus *link)
{
	/* In GT/s, as the kernel prints them; 64 uses another framing. */
	static const double speeds[] = { 0, 2.5, 5, 8, 16, 32, 64 };
	double speed = read_number(directory, "current_link_speed");

	*link = (struct ceiling_bus) {
		.lanes = read_number(directory, "current_link_width"),
	};
	for (size_t i = 1; i < COUNT(speeds); i++)
		if (speed == speeds[i])
			link->generation = i;
	return link->generation && link->lanes;
}

/* Find the link with the lowest capacity between a device and memory. */
static int find_link(char *directory, const char *sysfs,
		     struct ceiling_bus *bus, struct units_error *err)
{
	uint64_t payload = bus->payload_bytes;
	bool found = false;
	double least = 0;

	do {
		struct ceiling_bus link;
		double bps;

		if (!is_function(directory))
			break;
		if (!read_link(directory, &link))
			continue;
		if (ceiling_bus_check(&link, err))
			return -1;
		bps = ceiling_bus_link_bps(&link);
		if (found && bps >= least)
			continue;
		found = true;
		least = bps;
		*bus = link;
	} while (climb(directory, sysfs));
	bus->payload_bytes = payload;
	if (found)
		return 0;
	return units_refuse(err, "its PCIe link does not tell speed and width");
}

static int describe(char *directory, const char *sysfs,
		    struct ceiling_bus *bus, struct units_error *err)
{
	struct function function;
	size_t express;

	*bus = (struct ceiling_bus) { 0 };
	read_config(directory, &function);
	express = find_capability(&function, PCI_CAP_ID_EXP);
	if (express) {
		uint16_t flags = word(&function, express + PCI_EXP_FLAGS);
		uint16_t control = word(&function, express + PCI_EXP_DEVCTL);

		if ((flags & PCI_EXP_FLAGS_TYPE) >> 4 ==
		    PCI_EXP_TYPE_RC_END)
			return units_refuse(err,
					    "it is in the root complex, without a PCIe link");
		bus->payload_bytes = CEILING_BUS_PAYLOAD_MIN <<
			((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5);
		return find_link(directory, sysfs, bus, err);
	}
	if (function.bytes <= PCI_STD_HEADER_SIZEOF) {
		/* Without privileges only the header is readable. */
		struct ceiling_bus link;

		if (read_link(directory, &link))
			return find_link(directory, sysfs, bus, err);
		return units_refuse(err,
				    "its PCI configuration space cannot be read");
	}
	return units_refuse(err, "PCI%s does not tell its clock and width; "
			    "see ktput-ctl wire pci",
			    find_capability(&function, PCI_CAP_ID_PCIX) ? "-X" :
			    "");
}

/**
 * bus_find() - find the bus between a device and memory
 * @sysfs: mount point of sysfs
 * @parent_bus: kernel bus of the device's parent
 * @parent: name of the parent
 * @bus: filled in; of several links in series, the one with the lowest capacity
 * @err: why it is unknown
 */
int bus_find(const char *sysfs, const char *parent_bus, const char *parent,
	     struct ceiling_bus *bus, struct units_error *err)
{
	char path[PATH_MAX], root[PATH_MAX], *directory;
	int ret;

	if (!*parent || !*parent_bus)
		return units_refuse(err, "no hardware drives it");
	snprintf(path, sizeof(path), "%s/bus/%s/devices/%s", sysfs, parent_bus,
		 parent);
	directory = realpath(path, NULL);
	if (!directory || !realpath(sysfs, root)) {
		units_refuse(err, "sysfs does not show '%s' on bus '%s': %s",
			     parent, parent_bus, strerror(errno));
		free(directory);
		return -1;
	}
	/* The parent may be on a bus of its own: virtio, USB. */
	while (!is_function(directory)) {
		if (climb(directory, root))
			continue;
		units_refuse(err, "'%s' on bus '%s' is not behind PCI", parent,
			     parent_bus);
		free(directory);
		return -1;
	}
	ret = describe(directory, root, bus, err);
	free(directory);
	return ret;
}
