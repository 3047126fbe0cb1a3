// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire: overhead of framing and headers on a link. */
#include <inttypes.h>
#include <stdlib.h>

#include "../ceilings/wire.h"
#include "commands.h"

/* Rates above this do not fit in Mb/s. */
#define MBIT_TABLE_MAX	99999999999ULL

struct wire_options {
	unsigned int transport;
	unsigned int ip_version;
	bool timestamps;
	uint64_t option_bytes;
	uint64_t vlan_tags;
	uint64_t rate_bps;
	struct units_list mtu;
	struct units_list size;
};

static const struct wire_options defaults = {
	.transport = WIRE_TCP,
	.ip_version = 4,
	.rate_bps = 1000000000,
	.mtu = { .count = 3, .value = { 9000, 4500, 1500 } },
};

/* RFC 2544 9.1. */
static const struct units_list frame_sizes = {
	.count = 7, .value = { 64, 128, 256, 512, 1024, 1280, 1518 },
};

static const struct options_entry entries[] = {
	{
		.keyword = "tcp", .parse = options_set, .value = WIRE_TCP,
		.target = offsetof(struct wire_options, transport),
		.help = "TCP segments that fill the MTU (default)",
	}, {
		.keyword = "udp", .parse = options_set, .value = WIRE_UDP,
		.target = offsetof(struct wire_options, transport),
		.help = "UDP datagrams that fill the MTU",
	}, {
		.keyword = "frame", .parse = options_set, .value = WIRE_FRAME,
		.target = offsetof(struct wire_options, transport),
		.help = "frames of given sizes, carrying UDP",
	}, {
		.keyword = "mtu", .argument = "N[,N..]",
		.parse = options_sizes,
		.target = offsetof(struct wire_options, mtu),
		.min = WIRE_IPV4_MTU_MIN, .max = WIRE_MTU_MAX,
		.help = "largest IP packet in bytes",
		.otherwise = "9000,4500,1500",
	}, {
		.keyword = "size", .argument = "N[,N..]",
		.parse = options_sizes,
		.target = offsetof(struct wire_options, size),
		.min = 1, .max = WIRE_MTU_MAX + WIRE_FRAME_MIN,
		.help = "frame: bytes from addresses to FCS; tcp, udp: payload "
			"of each packet",
		.otherwise = "frame: 64 to 1518; else what the MTU permits",
	}, {
		.keyword = "rate", .argument = "RATE",
		.parse = options_bitrate,
		.target = offsetof(struct wire_options, rate_bps),
		.min = 1, .max = UINT64_MAX,
		.help = "link rate: kbit, mbit, gbit, tbit",
		.otherwise = "1gbit",
	}, {
		.keyword = "ipv4", .parse = options_set, .value = 4,
		.target = offsetof(struct wire_options, ip_version),
		.help = "IPv4 header of 20 bytes (default)",
	}, {
		.keyword = "ipv6", .parse = options_set, .value = 6,
		.target = offsetof(struct wire_options, ip_version),
		.help = "IPv6 header of 40 bytes",
	}, {
		.keyword = "vlan", .argument = "N", .parse = options_count,
		.target = offsetof(struct wire_options, vlan_tags),
		.max = WIRE_TAGS_MAX,
		.help = "VLAN tags of each frame",
		.otherwise = "0",
	}, {
		.keyword = "timestamps", .argument = "on|off",
		.parse = options_switch,
		.target = offsetof(struct wire_options, timestamps),
		.help = "12 bytes of TCP timestamps; Linux has them on unless "
			"told otherwise",
		.otherwise = "off",
	}, {
		.keyword = "options", .argument = "N", .parse = options_count,
		.target = offsetof(struct wire_options, option_bytes),
		.max = WIRE_TCP_OPTIONS_MAX,
		.help = "bytes of other TCP options, a multiple of 4",
		.otherwise = "0",
	},
};

/* The sizes of the table's rows: MTUs, or frame or payload sizes. */
static const struct units_list *rows(const struct wire_options *options)
{
	if (options->transport == WIRE_FRAME)
		return options->size.count ? &options->size : &frame_sizes;
	return options->mtu.count > 1 || !options->size.count ?
	       &options->mtu : &options->size;
}

static struct wire_config row_config(const struct wire_options *options,
				     size_t row)
{
	const struct units_list *list = rows(options);
	struct wire_config config = {
		.transport = options->transport,
		.ip_version = options->ip_version,
		.vlan_tags = options->vlan_tags,
		.rate_bps = options->rate_bps,
		.mtu_bytes = options->mtu.value[0],
		.size_bytes = options->size.value[0],
	};

	if (options->transport == WIRE_TCP)
		config.tcp_option_bytes = options->option_bytes +
			(options->timestamps ? WIRE_TCP_TIMESTAMPS_BYTES : 0);
	if (list == &options->mtu)
		config.mtu_bytes = list->value[row];
	else
		config.size_bytes = list->value[row];
	return config;
}

static bool given(const struct command_context *context, size_t target)
{
	return options_given(context->options, context->given, target);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct wire_options *options = data;
	struct wire_frame frame;

	if (options->transport != WIRE_TCP &&
	    (given(context, offsetof(struct wire_options, timestamps)) ||
	     given(context, offsetof(struct wire_options, option_bytes)))) {
		units_refuse(err,
			     "'timestamps' and 'options' are for tcp alone");
		return -1;
	}
	if (options->transport == WIRE_FRAME &&
	    given(context, offsetof(struct wire_options, mtu))) {
		units_refuse(err,
			     "'mtu' is for tcp and udp; a frame has a 'size'");
		return -1;
	}
	if (options->transport != WIRE_FRAME && options->mtu.count > 1 &&
	    options->size.count > 1) {
		units_refuse(err, "several sizes need one 'mtu'");
		return -1;
	}
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct wire_config config = row_config(options, i);

		if (wire_compute(&config, &frame, err))
			return -1;
	}
	return 0;
}

/* This cannot fail: check() has computed every row. */
static struct wire_frame row_frame(const struct wire_options *options,
				   size_t row)
{
	struct wire_config config = row_config(options, row);
	struct wire_frame frame;
	struct units_error err;

	if (wire_compute(&config, &frame, &err))
		abort();
	return frame;
}

static void print_overhead_row(struct output *out, const char *what,
			       const char *key, uint64_t bytes)
{
	output_text(out, "  %-34s", what);
	output_u64(out, key, bytes, "%4" PRIu64 " bits %3" PRIu64 " bytes\n",
		   bytes * 8, bytes);
}

static void print_overhead(struct output *out, const struct wire_frame *frame)
{
	output_object_begin(out, "mac_overhead");
	output_text(out, "MAC overhead of each frame\n");
	print_overhead_row(out, "Interframe gap", "gap_bytes",
			   WIRE_GAP_BYTES);
	print_overhead_row(out, "Preamble and start delimiter",
			   "preamble_bytes", WIRE_PREAMBLE_BYTES);
	print_overhead_row(out, "Destination and source address",
			   "address_bytes", WIRE_ADDRESS_BYTES);
	print_overhead_row(out, "VLAN tags", "tag_bytes", frame->tag_bytes);
	print_overhead_row(out, "Type/length", "type_bytes", WIRE_TYPE_BYTES);
	print_overhead_row(out, "Frame check sequence", "fcs_bytes",
			   WIRE_FCS_BYTES);
	print_overhead_row(out, "Total", "total_bytes",
			   frame->mac_overhead_bytes);
	output_object_end(out);
}

static void print_link(struct output *out, const struct wire_options *options,
		       const struct wire_config *config)
{
	static const char *const name[] = { "tcp", "udp", "frame" };
	static const char *const title[] = { "TCP", "UDP", "Frames of UDP" };

	output_string(out, "transport", name[options->transport],
		      "%s over ", title[options->transport]);
	output_u64(out, "ip_version", options->ip_version, "IPv%u, ",
		   options->ip_version);
	if (options->transport == WIRE_TCP)
		output_u64(out, "tcp_option_bytes", config->tcp_option_bytes,
			   "TCP options %" PRIu64 " bytes, ",
			   config->tcp_option_bytes);
	output_u64(out, "vlan_tags", options->vlan_tags,
		   "VLAN tags %" PRIu64 ", ", options->vlan_tags);
	output_u64(out, "rate_bps", options->rate_bps, "link %s\n\n",
		   units_show_bitrate(options->rate_bps).text);
}

static void print_row_key(struct output *out,
			  const struct wire_options *options, size_t row)
{
	uint64_t value = rows(options)->value[row];
	const char *key = "payload_bytes";

	if (options->transport == WIRE_FRAME)
		key = "frame_bytes";
	else if (rows(options) == &options->mtu)
		key = "mtu_bytes";
	output_u64(out, key, value, "%" PRIu64, value);
}

/* Frame sizes are in the column "frame"; other tables have a column "MTU". */
static void print_bytes(struct output *out,
			const struct wire_options *options)
{
	static const struct output_column columns[] = {
		{ .title = "MTU" }, { .title = "payload" },
		{ .title = "transport" }, { .title = "IP" },
		{ .title = "padding" }, { .title = "frame" },
		{ .title = "wire" },
	};
	size_t skip = options->transport == WIRE_FRAME;

	output_text(out, "\nBytes\n");
	output_table_begin(out, "bytes", columns + skip, COUNT(columns) - skip,
			   false);
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct wire_frame frame = row_frame(options, i);

		output_row_begin(out);
		if (!skip)
			output_u64(out, "mtu_bytes",
				   row_config(options, i).mtu_bytes,
				   "%" PRIu64,
				   row_config(options, i).mtu_bytes);
		output_u64(out, "payload_bytes", frame.payload_bytes,
			   "%" PRIu64, frame.payload_bytes);
		output_u64(out, "transport_bytes", frame.transport_bytes,
			   "%" PRIu64, frame.transport_bytes);
		output_u64(out, "ip_bytes", frame.ip_bytes, "%" PRIu64,
			   frame.ip_bytes);
		output_u64(out, "padding_bytes", frame.pad_bytes, "%" PRIu64,
			   frame.pad_bytes);
		output_u64(out, "frame_bytes", frame.frame_bytes, "%" PRIu64,
			   frame.frame_bytes);
		output_u64(out, "wire_bytes", frame.wire_bytes, "%" PRIu64,
			   frame.wire_bytes);
		output_row_end(out);
	}
	output_table_end(out);
}

static void print_rates(struct output *out,
			const struct wire_options *options)
{
	const struct wire_unit *unit = wire_unit(options->rate_bps,
						 MBIT_TABLE_MAX);
	const struct output_column columns[] = {
		{ .title = options->transport == WIRE_FRAME ? "size" :
			   rows(options) == &options->mtu ? "MTU" : "payload" },
		{ .title = "frames/s" }, { .title = "layer 1" },
		{ .title = "layer 2" }, { .title = "layer 3" },
		{ .title = "layer 4" }, { .title = "goodput" },
		{ .title = "share" },
	};

	output_text(out, "\nFrames and %s at most\n", unit->name);
	output_table_begin(out, "rates", columns, COUNT(columns), false);
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct wire_frame frame = row_frame(options, i);

		output_row_begin(out);
		print_row_key(out, options, i);
		output_u64(out, "frames_per_s", frame.frames_per_s,
			   "%" PRIu64, frame.frames_per_s);
		output_double(out, "l1_bps", frame.l1_bps, "%.2f",
			      frame.l1_bps / unit->bps);
		output_double(out, "l2_bps", frame.l2_bps, "%.2f",
			      frame.l2_bps / unit->bps);
		output_double(out, "l3_bps", frame.l3_bps, "%.2f",
			      frame.l3_bps / unit->bps);
		output_double(out, "l4_bps", frame.l4_bps, "%.2f",
			      frame.l4_bps / unit->bps);
		output_double(out, "goodput_bps", frame.goodput_bps, "%.6f",
			      frame.goodput_bps / unit->bps);
		output_double(out, "efficiency", frame.efficiency, "%.2f%%",
			      frame.efficiency * 100);
		output_row_end(out);
	}
	output_table_end(out);
}

static int run(const struct command_context *context, const void *data)
{
	const struct wire_options *options = data;
	struct wire_config config = row_config(options, 0);
	struct wire_frame frame = row_frame(options, 0);

	print_link(context->out, options, &config);
	print_overhead(context->out, &frame);
	print_bytes(context->out, options);
	print_rates(context->out, options);
	return COMMAND_DONE;
}

const struct command command_wire = {
	.name = "wire",
	.summary = "what framing and headers take from a link, at each layer",
	.notes = "Layer 1 counts preamble and gap, layer 2 addresses to FCS, layer 3 IP packets,\n"
		 "layer 4 TCP segments or UDP datagrams, goodput payload alone.\n"
		 "Likewise: wire atm, wire pci, wire pcie, wire window.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};

/* In a larger unit, rates are shorter and frames per second longer. */
#define GBIT_FACTOR	100

/**
 * wire_unit() - the unit of a table
 * @rate_bps: rate of the link
 * @mbit_max_bps: highest rate that fits in a table of Mb/s
 *
 * Return: the unit.
 */
const struct wire_unit *wire_unit(uint64_t rate_bps, uint64_t mbit_max_bps)
{
	static const struct wire_unit mbit = { 1e6, "Mb/s" };
	static const struct wire_unit gbit = { 1e9, "Gb/s" };
	static const struct wire_unit tbit = { 1e12, "Tb/s" };
	static const struct wire_unit pbit = { 1e15, "Pb/s" };
	static const struct wire_unit ebit = { 1e18, "Eb/s" };

	if (rate_bps <= mbit_max_bps)
		return &mbit;
	if (rate_bps / GBIT_FACTOR <= mbit_max_bps)
		return &gbit;
	if (rate_bps < 100 * tbit.bps)
		return &tbit;
	return rate_bps < 100 * pbit.bps ? &pbit : &ebit;
}
