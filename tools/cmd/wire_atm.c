// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire atm: overhead of cells, AAL5 and headers on a link. */
#include <inttypes.h>
#include <stdlib.h>

#include "../ceilings/ceiling_atm.h"
#include "../result/record_fields.h"
#include "commands.h"

/* Rates above this print in Gb/s, so that the table stays in 80 columns. */
#define MBIT_TABLE_MAX	9999999999ULL

struct atm_options {
	unsigned int transport;
	unsigned int kind;
	unsigned int ip_version;
	bool timestamps;
	uint64_t rate_bps;
	struct units_list mtu;
	struct units_list size;
};

static const struct atm_options defaults = {
	.transport = WIRE_TCP,
	.kind = CEILING_ATM_CLIP,
	.ip_version = 4,
	.rate_bps = CEILING_ATM_OC3_BPS,
};

/* RFC 2225 7, and the MTU of the networks that LAN emulation emulates. */
static const struct units_list mtus = {
	.count = 2, .value = { CEILING_ATM_MTU, 1500 },
};

static const struct units_list lane_mtus = { .count = 1, .value = { 1500 } };

static const struct options_entry entries[] = {
	{
		.keyword = "tcp", .parse = options_set, .value = WIRE_TCP,
		.target = offsetof(struct atm_options, transport),
		.help = "TCP segments that fill the MTU (default)",
	}, {
		.keyword = "udp", .parse = options_set, .value = WIRE_UDP,
		.target = offsetof(struct atm_options, transport),
		.help = "UDP datagrams that fill the MTU",
	}, {
		.keyword = "clip", .parse = options_set,
		.value = CEILING_ATM_CLIP,
		.target = offsetof(struct atm_options, kind),
		.help = "classical IP with LLC/SNAP, 8 bytes (default)",
	}, {
		.keyword = "vc", .parse = options_set,
		.value = CEILING_ATM_VC,
		.target = offsetof(struct atm_options, kind),
		.help = "a virtual channel for IP alone, 0 bytes",
	}, {
		.keyword = "lane", .parse = options_set,
		.value = CEILING_ATM_LANE,
		.target = offsetof(struct atm_options, kind),
		.help = "LAN emulation, 2 bytes and the MAC header",
	}, {
		.keyword = "mtu", .argument = "N[,N..]",
		.parse = options_sizes,
		.target = offsetof(struct atm_options, mtu),
		.min = WIRE_IPV4_MTU_MIN, .max = WIRE_MTU_MAX,
		.help = "largest IP packet in bytes",
		.otherwise = "9180,1500, with lane 1500",
	}, {
		.keyword = "size", .argument = "N", .parse = options_sizes,
		.target = offsetof(struct atm_options, size),
		.min = 1, .max = WIRE_MTU_MAX,
		.help = "payload of each packet",
		.otherwise = "what the MTU permits",
	}, {
		.keyword = "rate", .argument = "RATE",
		.parse = options_bitrate,
		.target = offsetof(struct atm_options, rate_bps),
		.min = 1, .max = UINT64_MAX,
		.help = "rate of the cells: kbit, mbit, gbit",
		.otherwise = "149.76mbit: OC-3",
	}, {
		.keyword = "ipv4", .parse = options_set, .value = 4,
		.target = offsetof(struct atm_options, ip_version),
		.help = "IPv4 header of 20 bytes (default)",
	}, {
		.keyword = "ipv6", .parse = options_set, .value = 6,
		.target = offsetof(struct atm_options, ip_version),
		.help = "IPv6 header of 40 bytes",
	}, {
		.keyword = "timestamps", .argument = "on|off",
		.parse = options_switch,
		.target = offsetof(struct atm_options, timestamps),
		.help = "12 bytes of TCP timestamps; Linux has them on unless "
			"told otherwise",
		.otherwise = "off",
	},
};

static const struct units_list *rows(const struct atm_options *options)
{
	if (options->mtu.count)
		return &options->mtu;
	return options->kind == CEILING_ATM_LANE ? &lane_mtus : &mtus;
}

static int compute(const struct atm_options *options, size_t row,
		   struct ceiling_atm *atm, struct units_error *err)
{
	const struct wire_config config = {
		.transport = options->transport,
		.ip_version = options->ip_version,
		.tcp_option_bytes = options->timestamps ?
				    WIRE_TCP_TIMESTAMPS_BYTES : 0,
		.mtu_bytes = rows(options)->value[row],
		.size_bytes = options->size.value[0],
		.rate_bps = options->rate_bps,
	};

	return ceiling_atm_compute(&config, options->kind, atm, err);
}

static int check(const struct command_context *context, const void *data,
		 struct units_error *err)
{
	const struct atm_options *options = data;
	struct ceiling_atm atm;

	if (options->transport != WIRE_TCP &&
	    options_given(context->options, context->given,
			  offsetof(struct atm_options, timestamps)))
		return units_refuse(err, "'timestamps' is for tcp alone");
	if (options->size.count > 1)
		return units_refuse(err, "'size' is one number here");
	for (size_t i = 0; i < rows(options)->count; i++)
		if (compute(options, i, &atm, err))
			return -1;
	return 0;
}

/* This cannot fail: check() has computed every row. */
static struct ceiling_atm row_atm(const struct atm_options *options,
				  size_t row)
{
	struct ceiling_atm atm;
	struct units_error err;

	if (compute(options, row, &atm, &err))
		abort();
	return atm;
}

static void print_link(struct output *out, const struct atm_options *options)
{
	static const char *const names[] = {
		[CEILING_ATM_CLIP] = "clip", [CEILING_ATM_VC] = "vc",
		[CEILING_ATM_LANE] = "lane",
	};
	static const char *const titles[] = {
		[CEILING_ATM_CLIP] = "classical IP",
		[CEILING_ATM_VC] = "a channel for IP",
		[CEILING_ATM_LANE] = "LAN emulation",
	};
	bool tcp = options->transport == WIRE_TCP;

	output_string(out, "transport", tcp ? "tcp" : "udp", "%s over ",
		      tcp ? "TCP" : "UDP");
	output_u64(out, "ip_version", options->ip_version, "IPv%u, ",
		   options->ip_version);
	if (tcp)
		output_bool(out, "timestamps", options->timestamps,
			    "timestamps %s, ",
			    options->timestamps ? "on" : "off");
	output_string(out, "encapsulation", names[options->kind],
		      "ATM: %s, ", titles[options->kind]);
	output_u64(out, "rate_bps", options->rate_bps, "cells of %s\n",
		   units_show_bitrate(options->rate_bps).text);
}

/* A packet, and what its row is of. */
struct atm_row {
	uint64_t mtu_bytes;
	uint64_t header_bytes;
	uint64_t trailer_bytes;
	struct ceiling_atm atm;
};

#define BYTES(title, member, key)	RECORD_COLUMN(title, atm_row, NUMBER, member, key)
#define RATE(heading, type, member, digits)				\
	{ RECORD_FIELD(atm_row, type, atm.member, #member),		\
	  .title = heading, .decimals = digits }

static const struct record_field byte_rows[] = {
	BYTES("MTU", mtu_bytes, "mtu_bytes"),
	BYTES("payload", atm.packet.payload_bytes, "payload_bytes"),
	BYTES("headers", header_bytes, "header_bytes"),
	BYTES("SDU", atm.sdu_bytes, "sdu_bytes"),
	BYTES("padding", atm.pad_bytes, "padding_bytes"),
	BYTES("trailer", trailer_bytes, "trailer_bytes"),
	BYTES("cells", atm.cells, "cells"),
	BYTES("wire", atm.cell_bytes, "wire_bytes"),
	{ 0 }
};

static const struct record_field rate_rows[] = {
	BYTES("MTU", mtu_bytes, "mtu_bytes"),
	RATE("packets/s", REAL, packets_per_s, 0),
	RATE("cells", RATE, cells_bps, 2),
	RATE("AAL5", RATE, aal5_bps, 2),
	RATE("SDU", RATE, sdu_bps, 2),
	RATE("layer 3", RATE, l3_bps, 2),
	RATE("layer 4", RATE, l4_bps, 2),
	RATE("goodput", RATE, goodput_bps, 4),
	RATE("share", SHARE, efficiency, 2),
	{ 0 }
};

static void print_table(struct output *out, const struct atm_options *options,
			const char *key, const struct record_field *fields,
			double unit)
{
	record_fields_table(out, key, fields);
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct atm_row row = {
			.mtu_bytes = rows(options)->value[i],
			.trailer_bytes = CEILING_ATM_TRAILER_BYTES,
			.atm = row_atm(options, i),
		};

		row.header_bytes = row.atm.packet.ip_bytes +
				   row.atm.packet.transport_bytes;
		record_fields_row(out, fields, &row, unit);
	}
	output_table_end(out);
}

static int run(const struct command_context *context, const void *data)
{
	const struct atm_options *options = data;
	const struct wire_unit *unit = wire_unit(options->rate_bps,
						 MBIT_TABLE_MAX);
	struct output *out = context->out;

	print_link(out, options);
	output_text(out, "\nBytes\n");
	print_table(out, options, "bytes", byte_rows, 1);
	output_text(out, "\nPackets and %s at most\n", unit->name);
	print_table(out, options, "rates", rate_rows, unit->bps);
	return COMMAND_DONE;
}

const struct command command_wire_atm = {
	.name = "wire atm",
	.summary = "what cells, AAL5 and headers take from an ATM link",
	.notes = "A packet with its encapsulation, which is the SDU, and AAL5's trailer of\n"
		 "8 bytes is padded to whole cells of 48 bytes; each takes 53.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.check = check,
	.run = run,
};
