// SPDX-License-Identifier: GPL-2.0
/* ktput-ctl wire window: rate that a window permits, window that a rate needs. */
#include <inttypes.h>
#include <stdlib.h>

#include "../ceilings/ceiling.h"
#include "commands.h"

struct window_options {
	struct units_list buffer;
	uint64_t rtt_ns;
	int scale;
	uint64_t rate_bps;
};

/* ip-sysctl of Linux up to 6.5: tcp_adv_win_scale is 1 by default. */
static const struct window_options defaults = { .scale = 1 };

static int parse_scale(const char *word, const struct options_entry *entry,
		       void *target, struct units_error *err)
{
	bool negative = *word == '-';
	uint64_t value;

	(void)entry;
	if (units_parse_count(word + negative, 0, CEILING_WINDOW_SCALE_MAX,
			      &value, err))
		return -1;
	*(int *)target = negative ? -(int)value : (int)value;
	return 0;
}

static const struct options_entry entries[] = {
	{
		.keyword = "buffer", .argument = "SIZE[,SIZE..]",
		.parse = options_sizes, .required = true,
		.target = offsetof(struct window_options, buffer),
		.min = 1, .max = UINT64_MAX / 2,
		.help = "receive buffer as the kernel counts it: twice what "
			"SO_RCVBUF asks for",
	}, {
		.keyword = "rtt", .argument = "TIME", .parse = options_time,
		.required = true,
		.target = offsetof(struct window_options, rtt_ns),
		.min = 1, .max = UINT64_MAX,
		.help = "round-trip time",
	}, {
		.keyword = "scale", .argument = "N", .parse = parse_scale,
		.target = offsetof(struct window_options, scale),
		.help = "tcp_adv_win_scale, -31 to 31",
		.otherwise = "1",
	}, {
		.keyword = "rate", .argument = "RATE",
		.parse = options_bitrate,
		.target = offsetof(struct window_options, rate_bps),
		.min = 1, .max = UINT64_MAX,
		.help = "rate to tell the window for",
	},
};

static int run(const struct command_context *context, const void *data)
{
	static const struct output_column columns[] = {
		{ .title = "buffer" }, { .title = "window" },
		{ .title = "Mb/s" },
	};
	const struct window_options *options = data;
	struct output *out = context->out;

	output_u64(out, "rtt_ns", options->rtt_ns, "Round-trip time %s, ",
		   units_show_time(options->rtt_ns).text);
	output_data_i64(out, "adv_win_scale", options->scale);
	output_text(out, "tcp_adv_win_scale %d\n\nBytes, and %s\n",
		    options->scale, "Mb/s at most");
	output_table_begin(out, "rates", columns, COUNT(columns), false);
	for (size_t i = 0; i < options->buffer.count; i++) {
		uint64_t buffer = options->buffer.value[i];
		uint64_t window = ceiling_window_share(buffer, options->scale);
		double bps = ceiling_window_bps(window, options->rtt_ns);

		output_row_begin(out);
		output_u64(out, "buffer_bytes", buffer, "%" PRIu64, buffer);
		output_u64(out, "window_bytes", window, "%" PRIu64, window);
		output_double(out, "goodput_bps", bps, "%.3f", bps / 1e6);
		output_row_end(out);
	}
	output_table_end(out);
	if (options->rate_bps) {
		double needed = ceiling_window_needed(options->rate_bps,
						      options->rtt_ns);

		output_u64(out, "rate_bps", options->rate_bps, "\n%s need",
			   units_show_bitrate(options->rate_bps).text);
		output_double(out, "needed_window_bytes", needed,
			      " a window of %.0f bytes\n", needed);
	}
	return COMMAND_DONE;
}

const struct command command_wire_window = {
	.name = "wire window",
	.summary = "what a window permits each round trip, what a rate needs",
	.notes = "TCP announces a part of its buffer: all but buffer / 2^scale, or, for a\n"
		 "scale of 0 and below, buffer / 2^-scale. Linux from 6.6 on measures it.",
	.options = &(const struct options_table) {
		.entry = entries, .count = COUNT(entries),
	},
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.run = run,
};
