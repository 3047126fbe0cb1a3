// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire pci, wire pcie: throughput of buses. */
#include <inttypes.h>

#include "../ceilings/ceiling_bus.h"
#include "commands.h"

#define MHZ		1000000ULL

struct pci_options {
	uint64_t clock_mhz;
	uint64_t width_bits;
};

/* PCI Local Bus 3.0 4.2, 7.6; PCI-X 2.0 mode 1: nominal clocks. */
static const struct pci_options buses[] = {
	{ 33, 32 }, { 33, 64 }, { 66, 32 }, { 66, 64 }, { 100, 64 },
	{ 133, 64 },
};

static const struct pci_options pci_defaults = {
	.clock_mhz = 33, .width_bits = 32,
};

static const struct options_entry pci_entries[] = {
	{
		.keyword = "clock", .argument = "MHZ", .parse = options_count,
		.target = offsetof(struct pci_options, clock_mhz),
		.min = 1, .max = 1000,
		.help = "of one bus, in MHz",
		.otherwise = "33 where width is given",
	}, {
		.keyword = "width", .argument = "BITS",
		.parse = options_count,
		.target = offsetof(struct pci_options, width_bits),
		.min = 32, .max = 64,
		.help = "of one bus",
		.otherwise = "32 where clock is given",
	},
};

static int check_pci(const struct command_context *context, const void *data,
		     struct units_error *err)
{
	const struct pci_options *options = data;

	(void)context;
	if (options->width_bits == 32 || options->width_bits == 64)
		return 0;
	return units_refuse(err, "PCI has 32 or 64 bits, not %" PRIu64,
			    options->width_bits);
}

static int run_pci(const struct command_context *context, const void *data)
{
	static const struct output_column columns[] = {
		{ .title = "MHz" }, { .title = "bits" }, { .title = "Gb/s" },
		{ .title = "MB/s" },
	};
	bool one = options_named(context->options, context->given, "clock") ||
		   options_named(context->options, context->given, "width");
	const struct pci_options *list = one ? data : buses;
	struct output *out = context->out;

	output_text(out, "PCI and PCI-X, at most, in one long burst\n");
	output_table_begin(out, "rates", columns, COUNT(columns), false);
	for (size_t i = 0; i < (one ? 1 : COUNT(buses)); i++) {
		const struct ceiling_bus bus = {
			.clock_hz = list[i].clock_mhz * MHZ,
			.width_bits = list[i].width_bits,
		};
		double bps = ceiling_bus_link_bps(&bus);

		output_row_begin(out);
		output_u64(out, "clock_hz", bus.clock_hz, "%" PRIu64,
			   list[i].clock_mhz);
		output_u64(out, "width_bits", bus.width_bits, "%" PRIu64,
			   bus.width_bits);
		output_double(out, "data_bps", bps, "%.3f", bps / 1e9);
		output_double(out, "data_bytes_per_s", bps / 8, "%.1f",
			      bps / 8e6);
		output_row_end(out);
	}
	output_table_end(out);
	return COMMAND_DONE;
}

const struct command command_wire_pci = {
	.name = "wire pci",
	.summary = "what PCI and PCI-X carry",
	.notes = "Clock times width: all devices of the bus and both directions share it, and\n"
		 "addresses, turn-around and wait states take from it.",
	.options = &(const struct options_table) {
		.entry = pci_entries, .count = COUNT(pci_entries),
	},
	.defaults = &pci_defaults,
	.config_size = sizeof(pci_defaults),
	.check = check_pci,
	.run = run_pci,
};

struct pcie_options {
	struct units_list generation;
	struct units_list lanes;
	uint64_t payload_bytes;
	uint64_t frame_bytes;
};

static const struct pcie_options pcie_defaults = {
	.generation = { .count = 5, .value = { 1, 2, 3, 4, 5 } },
	.lanes = { .count = 1, .value = { 8 } },
	.payload_bytes = 256,
	.frame_bytes = 1514,
};

static const struct options_entry pcie_entries[] = {
	{
		.keyword = "gen", .argument = "N[,N..]",
		.parse = options_counts,
		.target = offsetof(struct pcie_options, generation),
		.min = 1, .max = CEILING_BUS_GENERATION_MAX,
		.help = "generation",
		.otherwise = "1,2,3,4,5",
	}, {
		.keyword = "lanes", .argument = "N[,N..]",
		.parse = options_counts,
		.target = offsetof(struct pcie_options, lanes),
		.min = 1, .max = CEILING_BUS_LANES_MAX,
		.help = "lanes of the link",
		.otherwise = "8",
	}, {
		.keyword = "payload", .argument = "N", .parse = options_size,
		.target = offsetof(struct pcie_options, payload_bytes),
		.min = CEILING_BUS_PAYLOAD_MIN, .max = CEILING_BUS_PAYLOAD_MAX,
		.help = "data of a TLP at most, in bytes",
		.otherwise = "256",
	}, {
		.keyword = "size", .argument = "N", .parse = options_size,
		.target = offsetof(struct pcie_options, frame_bytes),
		.min = 1, .max = 65535,
		.help = "frame without FCS that is carried by itself",
		.otherwise = "1514",
	},
};

static struct ceiling_bus row_bus(const struct pcie_options *options,
				  size_t row)
{
	size_t lanes = options->lanes.count;

	return (struct ceiling_bus) {
		.generation = options->generation.value[row / lanes],
		.lanes = options->lanes.value[row % lanes],
		.payload_bytes = options->payload_bytes,
	};
}

static int check_pcie(const struct command_context *context, const void *data,
		      struct units_error *err)
{
	const struct pcie_options *options = data;

	(void)context;
	for (size_t i = 0; i < options->generation.count *
			       options->lanes.count; i++) {
		struct ceiling_bus bus = row_bus(options, i);

		if (ceiling_bus_check(&bus, err))
			return -1;
	}
	return 0;
}

static void print_pcie_row(struct output *out, const struct ceiling_bus *bus,
			   uint64_t frame_bytes)
{
	double signal = ceiling_bus_signal_bps(bus);
	double link = ceiling_bus_link_bps(bus);
	double data = ceiling_bus_bps(bus, bus->payload_bytes);
	double frames = ceiling_bus_bps(bus, frame_bytes);

	output_row_begin(out);
	output_u64(out, "generation", bus->generation, "%" PRIu64,
		   bus->generation);
	output_u64(out, "lanes", bus->lanes, "%" PRIu64, bus->lanes);
	output_double(out, "signal_bps", signal, "%.2f", signal / 1e9);
	output_double(out, "link_bps", link, "%.3f", link / 1e9);
	output_double(out, "data_bps", data, "%.3f", data / 1e9);
	output_double(out, "frames_bps", frames, "%.3f", frames / 1e9);
	output_double(out, "frames_per_s", frames / 8 / frame_bytes, "%.0f",
		      frames / 8 / frame_bytes);
	output_row_end(out);
}

static int run_pcie(const struct command_context *context, const void *data)
{
	static const struct output_column columns[] = {
		{ .title = "gen" }, { .title = "lanes" }, { .title = "lines" },
		{ .title = "decoded" }, { .title = "data" },
		{ .title = "frames" }, { .title = "frames/s" },
	};
	const struct pcie_options *options = data;
	struct output *out = context->out;

	output_u64(out, "payload_bytes", options->payload_bytes,
		   "PCI Express, TLPs of %" PRIu64 " bytes",
		   options->payload_bytes);
	output_u64(out, "tlp_overhead_bytes", CEILING_BUS_TLP_BYTES,
		   " and %d around them, ", CEILING_BUS_TLP_BYTES);
	output_u64(out, "frame_bytes", options->frame_bytes,
		   "frames of %" PRIu64 " bytes\n\nGb/s at most, each way\n",
		   options->frame_bytes);
	output_table_begin(out, "rates", columns, COUNT(columns), false);
	for (size_t i = 0; i < options->generation.count *
			       options->lanes.count; i++) {
		struct ceiling_bus bus = row_bus(options, i);

		print_pcie_row(out, &bus, options->frame_bytes);
	}
	output_table_end(out);
	return COMMAND_DONE;
}

const struct command command_wire_pcie = {
	.name = "wire pcie",
	.summary = "what PCI Express carries, by generation, lanes and payload",
	.notes = "Acknowledgements, flow control, descriptors and read requests are not counted.",
	.options = &(const struct options_table) {
		.entry = pcie_entries, .count = COUNT(pcie_entries),
	},
	.defaults = &pcie_defaults,
	.config_size = sizeof(pcie_defaults),
	.check = check_pcie,
	.run = run_pcie,
};
