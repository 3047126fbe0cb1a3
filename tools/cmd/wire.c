// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire: overhead of framing and headers on a link. */
#include <inttypes.h>
#include <stdlib.h>

#include "../ceilings/wire.h"
#include "../result/record_fields.h"
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
	     given(context, offsetof(struct wire_options, option_bytes))))
		return units_refuse(err,
				    "'timestamps' and 'options' are for tcp alone");
	if (options->transport == WIRE_FRAME &&
	    given(context, offsetof(struct wire_options, mtu)))
		return units_refuse(err,
				    "'mtu' is for tcp and udp; a frame has a 'size'");
	if (options->transport != WIRE_FRAME && options->mtu.count > 1 &&
	    options->size.count > 1)
		return units_refuse(err, "several sizes need one 'mtu'");
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

/* A frame, and what its row is of. */
struct wire_row {
	uint64_t mtu_bytes;
	uint64_t size;
	struct wire_frame frame;
};

#define BYTES(title, member, key)					\
	RECORD_COLUMN(title, wire_row, NUMBER, frame.member, key)
#define RATE(heading, member, digits)					\
	{ RECORD_FIELD(wire_row, RATE, frame.member, #member),		\
	  .title = heading, .decimals = digits }

/* Frame sizes are in the column "frame"; other tables have a column "MTU". */
static const struct record_field byte_rows[] = {
	RECORD_COLUMN("MTU", wire_row, NUMBER, mtu_bytes, "mtu_bytes"),
	BYTES("payload", payload_bytes, "payload_bytes"),
	BYTES("transport", transport_bytes, "transport_bytes"),
	BYTES("IP", ip_bytes, "ip_bytes"),
	BYTES("padding", pad_bytes, "padding_bytes"),
	BYTES("frame", frame_bytes, "frame_bytes"),
	BYTES("wire", wire_bytes, "wire_bytes"),
	{ 0 }
};

static void print_table(struct output *out, const struct wire_options *options,
			const char *key, const struct record_field *fields,
			double unit)
{
	record_fields_table(out, key, fields);
	for (size_t i = 0; i < rows(options)->count; i++) {
		const struct wire_row row = {
			.mtu_bytes = row_config(options, i).mtu_bytes,
			.size = rows(options)->value[i],
			.frame = row_frame(options, i),
		};

		record_fields_row(out, fields, &row, unit);
	}
	output_table_end(out);
}

static void print_rates(struct output *out,
			const struct wire_options *options)
{
	const struct wire_unit *unit = wire_unit(options->rate_bps,
						 MBIT_TABLE_MAX);
	const bool mtu = rows(options) == &options->mtu;
	const bool frame = options->transport == WIRE_FRAME;
	const struct record_field fields[] = {
		RECORD_COLUMN(frame ? "size" : mtu ? "MTU" : "payload",
			      wire_row, NUMBER, size,
			      frame ? "frame_bytes" : mtu ? "mtu_bytes" :
							    "payload_bytes"),
		BYTES("frames/s", frames_per_s, "frames_per_s"),
		RATE("layer 1", l1_bps, 2),
		RATE("layer 2", l2_bps, 2),
		RATE("layer 3", l3_bps, 2),
		RATE("layer 4", l4_bps, 2),
		RATE("goodput", goodput_bps, 6),
		{ RECORD_FIELD(wire_row, SHARE, frame.efficiency, "efficiency"),
		  .title = "share", .decimals = 2 },
		{ 0 }
	};

	output_text(out, "\nFrames and %s at most\n", unit->name);
	print_table(out, options, "rates", fields, unit->bps);
}

static int run(const struct command_context *context, const void *data)
{
	const struct wire_options *options = data;
	struct wire_config config = row_config(options, 0);
	struct wire_frame frame = row_frame(options, 0);

	print_link(context->out, options, &config);
	print_overhead(context->out, &frame);
	output_text(context->out, "\nBytes\n");
	print_table(context->out, options, "bytes",
		    byte_rows + (options->transport == WIRE_FRAME), 1);
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
