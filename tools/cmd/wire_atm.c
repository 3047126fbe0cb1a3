// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire atm: overhead of cells, AAL5 and headers on a link. */
#include <inttypes.h>
#include <stdlib.h>

#include "../ceilings/ceiling_atm.h"
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
			  offsetof(struct atm_options, timestamps))) {
		units_refuse(err, "'timestamps' is for tcp alone");
		return -1;
	}
	if (options->size.count > 1) {
		units_refuse(err, "'size' is one number here");
		return -1;
	}
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

static void print_bytes(struct output *out, const struct atm_options *options)
{
	static const struct output_column columns[] = {
		{ .title = "MTU" }, { .title = "payload" },
		{ .title = "headers" }, { .title = "SDU" },
		{ .title = "padding" }, { .title = "trailer" },
		{ .title = "cells" }, { .title = "wire" },
	};

	output_text(out, "\nBytes\n");
	output_table_begin(out, "bytes", columns, COUNT(columns), false);
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct ceiling_atm atm = row_atm(options, i);
		uint64_t headers = atm.packet.ip_bytes +
				   atm.packet.transport_bytes;

		output_row_begin(out);
		output_u64(out, "mtu_bytes", rows(options)->value[i],
			   "%" PRIu64, rows(options)->value[i]);
		output_u64(out, "payload_bytes", atm.packet.payload_bytes,
			   "%" PRIu64, atm.packet.payload_bytes);
		output_u64(out, "header_bytes", headers, "%" PRIu64, headers);
		output_u64(out, "sdu_bytes", atm.sdu_bytes, "%" PRIu64,
			   atm.sdu_bytes);
		output_u64(out, "padding_bytes", atm.pad_bytes, "%" PRIu64,
			   atm.pad_bytes);
		output_u64(out, "trailer_bytes", CEILING_ATM_TRAILER_BYTES,
			   "%d", CEILING_ATM_TRAILER_BYTES);
		output_u64(out, "cells", atm.cells, "%" PRIu64, atm.cells);
		output_u64(out, "wire_bytes", atm.cell_bytes, "%" PRIu64,
			   atm.cell_bytes);
		output_row_end(out);
	}
	output_table_end(out);
}

static void print_rates(struct output *out, const struct atm_options *options)
{
	static const struct output_column columns[] = {
		{ .title = "MTU" }, { .title = "packets/s" },
		{ .title = "cells" }, { .title = "AAL5" },
		{ .title = "SDU" }, { .title = "layer 3" },
		{ .title = "layer 4" }, { .title = "goodput" },
		{ .title = "share" },
	};
	const struct wire_unit *unit = wire_unit(options->rate_bps,
						 MBIT_TABLE_MAX);

	output_text(out, "\nPackets and %s at most\n", unit->name);
	output_table_begin(out, "rates", columns, COUNT(columns), false);
	for (size_t i = 0; i < rows(options)->count; i++) {
		struct ceiling_atm atm = row_atm(options, i);

		output_row_begin(out);
		output_u64(out, "mtu_bytes", rows(options)->value[i],
			   "%" PRIu64, rows(options)->value[i]);
		output_double(out, "packets_per_s", atm.packets_per_s, "%.0f",
			      atm.packets_per_s);
		output_double(out, "cells_bps", atm.cells_bps, "%.2f",
			      atm.cells_bps / unit->bps);
		output_double(out, "aal5_bps", atm.aal5_bps, "%.2f",
			      atm.aal5_bps / unit->bps);
		output_double(out, "sdu_bps", atm.sdu_bps, "%.2f",
			      atm.sdu_bps / unit->bps);
		output_double(out, "l3_bps", atm.l3_bps, "%.2f",
			      atm.l3_bps / unit->bps);
		output_double(out, "l4_bps", atm.l4_bps, "%.2f",
			      atm.l4_bps / unit->bps);
		output_double(out, "goodput_bps", atm.goodput_bps, "%.4f",
			      atm.goodput_bps / unit->bps);
		output_double(out, "efficiency", atm.efficiency, "%.2f%%",
			      atm.efficiency * 100);
		output_row_end(out);
	}
	output_table_end(out);
}

static int run(const struct command_context *context, const void *data)
{
	const struct atm_options *options = data;

	print_link(context->out, options);
	print_bytes(context->out, options);
	print_rates(context->out, options);
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
