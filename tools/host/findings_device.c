// SPDX-License-Identifier: GPL-2.0
/* findings_device: check queues, interrupts, offloads and bus of a device. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "findings.h"

/* Entries of a receive ring that can hold a burst of some hundred microseconds. */
#define RING_ENTRIES	1024
/* Interrupt delay that is visible in every latency. */
#define DELAY_US	50
/* Link rate that needs more than one CPU for reception. */
#define FAST_BPS	10000000000ULL

/* Check the queueing discipline. */
DOCTOR_CHECK(qdisc)
{
	/* Queueing disciplines that delay, drop or limit on purpose. */
	static const char *const shapers[] = {
		"netem", "tbf", "htb", "hfsc", "cake", "red", "gred", "choke",
		"codel", "pie", "fq_pie", "sfb", "taprio", "etf", "cbs",
	};
	const char *name = doctor->link.qdisc;

	if (!name[0])
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s", name);
	for (size_t i = 0; i < COUNT(shapers); i++)
		if (!strcmp(name, shapers[i]))
			return DOCTOR_BAD;
	return DOCTOR_GOOD;
}

/* Check for offloads that are supported, but off. */
DOCTOR_CHECK(offloads)
{
	static const struct {
		unsigned int bit;
		const char *letters;
		const char *name;
	} offloads[] = {
		{ DOCTOR_RX_CHECKSUM, "rx", "receive checksum" },
		{ DOCTOR_TX_CHECKSUM, "tx", "transmit checksum" },
		{ DOCTOR_TSO, "tso", "TSO" },
		{ DOCTOR_GSO, "gso", "GSO" },
		{ DOCTOR_GRO, "gro", "GRO" },
	};
	const unsigned int off = doctor->link.can & ~doctor->link.does;
	size_t figure = 0, value = 0;

	if (!doctor->link.can)
		return DOCTOR_SILENT;
	if (!off) {
		DOCTOR_SAY(finding, "all on that the device has");
		return DOCTOR_GOOD;
	}
	for (size_t i = 0; i < COUNT(offloads); i++) {
		if (!(off & offloads[i].bit))
			continue;
		figure += snprintf(finding->figure + figure,
				   sizeof(finding->figure) - figure, "%s%s",
				   figure ? ", " : "", offloads[i].name);
		value += snprintf(finding->value + value,
				  sizeof(finding->value) - value, " %s on",
				  offloads[i].letters);
	}
	snprintf(finding->figure + figure, sizeof(finding->figure) - figure,
		 " off");
	return DOCTOR_BAD;
}

/* Check the size of receive rings. */
DOCTOR_CHECK(rings)
{
	const struct doctor_link *link = &doctor->link;

	if (!link->rx_ring || !link->rx_ring_max)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%" PRIu32 " of %" PRIu32 " entries to receive",
		   link->rx_ring, link->rx_ring_max);
	snprintf(finding->value, sizeof(finding->value), "%" PRIu32,
		 link->rx_ring_max);
	return link->rx_ring < RING_ENTRIES &&
	       link->rx_ring < link->rx_ring_max ? DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Check the delay of interrupts. */
DOCTOR_CHECK(coalescing)
{
	const struct doctor_link *link = &doctor->link;

	if (!link->coalescing)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%" PRIu32 " us%s", link->rx_usecs,
		   link->rx_adaptive ? ", which the driver adapts" : "");
	return link->rx_adaptive || link->rx_usecs > DELAY_US ? DOCTOR_NOTE :
								DOCTOR_GOOD;
}

static unsigned int count_online(const struct doctor *doctor)
{
	struct units_cpus cpus;

	return doctor_list(doctor, "/sys/devices/system/cpu/online", &cpus) ?
	       0 : units_cpus_count(&cpus);
}

/* Compare the number of queues with that of CPUs. */
DOCTOR_CHECK(rss)
{
	const unsigned int cpus = count_online(doctor);
	const struct doctor_link *link = &doctor->link;

	if (!link->queues || !cpus)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%" PRIu32 " queue%s for %u CPU%s", link->queues,
		   link->queues == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
	snprintf(finding->value, sizeof(finding->value), "%u", cpus);
	return link->queues < 2 && cpus > 1 && link->rate_bps >= FAST_BPS ?
	       DOCTOR_NOTE : DOCTOR_GOOD;
}

/* Directory of a device's message-signalled interrupts, for closedir(), or NULL. */
static DIR *open_interrupts(const struct doctor *doctor)
{
	const struct device *device = &doctor->link.device;
	char path[512];
	DIR *found;

	if (!device->parent[0])
		return NULL;
	snprintf(path, sizeof(path), "%s/sys/bus/%s/devices/%s/msi_irqs",
		 doctor->root, device->parent_bus, device->parent);
	found = opendir(path);
	if (found)
		return found;
	/* With virtio, those of the parent PCI device. */
	snprintf(path, sizeof(path), "%s/sys/bus/%s/devices/%s/../msi_irqs",
		 doctor->root, device->parent_bus, device->parent);
	return opendir(path);
}

/* Check which CPUs serve the queues. */
DOCTOR_CHECK(interrupts)
{
	const unsigned int cpus = count_online(doctor);
	DIR *interrupts = open_interrupts(doctor);
	struct units_cpus served = { 0 };
	unsigned int count = 0, used;
	struct dirent *entry;
	char list[64];

	while (interrupts && (entry = readdir(interrupts))) {
		struct units_cpus some;
		char path[300];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path),
			 "/proc/irq/%s/effective_affinity_list", entry->d_name);
		if (doctor_list(doctor, path, &some))
			continue;
		for (size_t i = 0; i < COUNT(served.bits); i++)
			served.bits[i] |= some.bits[i];
		snprintf(finding->value, sizeof(finding->value), "%.16s",
			 entry->d_name);
		count++;
	}
	if (interrupts)
		closedir(interrupts);
	if (!count || cpus_show(&served, list, sizeof(list)))
		return DOCTOR_SILENT;
	used = units_cpus_count(&served);
	DOCTOR_SAY(finding, "%u at CPUs %s", count, list);
	return doctor->link.queues > 1 && used < 2 && cpus > 1 ? DOCTOR_BAD :
								 DOCTOR_GOOD;
}

/* Compare the capacity of the bus with the link. */
DOCTOR_CHECK(bus)
{
	const struct device *device = &doctor->link.device;
	struct units_error ignored;
	struct ceiling_bus bus;
	char sysfs[256];
	double bps;

	snprintf(sysfs, sizeof(sysfs), "%s/sys", doctor->root);
	if (!device->index || bus_find(sysfs, device->parent_bus,
				       device->parent, &bus, &ignored) ||
	    !bus.generation)
		return DOCTOR_SILENT;
	bps = ceiling_bus_link_bps(&bus);
	snprintf(finding->value, sizeof(finding->value), "%s", device->parent);
	DOCTOR_SAY(finding, "generation %" PRIu64 ", %" PRIu64 " lanes: %s%s%s",
		   bus.generation, bus.lanes, units_show_bitrate(bps).text,
		   doctor->link.rate_bps ? " for a link of " : "",
		   doctor->link.rate_bps ?
		   units_show_bitrate(doctor->link.rate_bps).text : "");
	return bps < doctor->link.rate_bps ? DOCTOR_BAD : DOCTOR_GOOD;
}

/* Check whether buffers are mapped one by one. */
DOCTOR_CHECK(iommu)
{
	const struct device *device = &doctor->link.device;
	enum doctor_state state;
	char *type;

	if (!device->parent[0])
		return DOCTOR_SILENT;
	type = doctor_read(doctor, "/sys/bus/%s/devices/%s/iommu_group/type",
			   device->parent_bus, device->parent);
	if (!type)
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s", type);
	state = strcmp(type, "identity") ? DOCTOR_NOTE : DOCTOR_GOOD;
	free(type);
	return state;
}

/* Check for time stamps of the device. */
DOCTOR_CHECK(stamps)
{
	if (!doctor->link.device.parent[0])
		return DOCTOR_SILENT;
	DOCTOR_SAY(finding, "%s", doctor->link.stamps ?
		   "by the device's clock" : "the device has no clock");
	return doctor->link.stamps ? DOCTOR_GOOD : DOCTOR_NOTE;
}
