// SPDX-License-Identifier: GPL-2.0
/* ladder_report: what a ladder came to. */
#include <inttypes.h>
#include <math.h>

#include "../base/json.h"
#include "ladder_agreement.h"
#include "ladder_report.h"
#include "../base/paragraph.h"
#include "../result/statistics_report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static bool in_group(const struct ladder *ladder, enum ladder_group group)
{
	if (group != LADDER_TCP && !ladder->settings.packets_per_s)
		return false;
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder_rungs[i].group == group && ladder_is_part(ladder, i))
			return true;
	return false;
}

/*
 * Cells "value" and "+- half width" of a cost, and of a difference between two.
 * What is less sure than to half is no number to print: a cost is not negative.
 */
static void print_cost(struct output *out, const struct statistics *cost,
		       bool per_byte, bool difference)
{
	const double half = statistics_half_width(cost);
	const int digits = per_byte ? 4 : 0;

	if (!cost->count) {
		output_text(out, "-");
		output_text(out, "-");
		return;
	}
	output_text(out, "%.*f", digits, cost->mean);
	if (difference ? isfinite(half) : half < cost->mean)
		output_text(out, "%.*f", digits, half);
	else
		output_text(out, "-");
}

static void print_rung(struct output *out, const struct ladder *ladder,
		       size_t rung)
{
	const enum ladder_group group = ladder_rungs[rung].group;
	const struct ladder_cell *cell = &ladder->cells[rung];
	const bool tcp = group == LADDER_TCP;
	struct statistics goodput, packets, cost, loss;

	ladder_rung_statistics(ladder, rung, LADDER_GOODPUT, &goodput);
	ladder_rung_statistics(ladder, rung, LADDER_PACKETS, &packets);
	ladder_rung_statistics(ladder, rung, LADDER_LOSS, &loss);
	ladder_rung_statistics(ladder, rung, ladder_cost(group), &cost);

	output_row_begin(out);
	output_string(out, "name", ladder_rungs[rung].name, "%s",
		      ladder_rungs[rung].name);
	output_data_string(out, "group", ladder_group_name(group));
	output_u64(out, "runs", goodput.count, "%zu", goodput.count);
	output_data_u64(out, "failed_runs", cell->failures);
	if (cell->why.text[0])
		output_data_string(out, "not_run_because", cell->why.text);
	statistics_report_record(out, "goodput_bps", &goodput);
	output_text(out, "%s", goodput.count ?
		    units_show_bitrate(goodput.mean).text : "-");
	if (!tcp) {
		statistics_report_record(out, "packets_per_s", &packets);
		output_text(out, "%s", packets.count ?
			    units_show_count(packets.mean).text : "-");
		output_data_double(out, "loss_share", loss.mean);
		if (loss.count)
			output_text(out, "%.2f%%", loss.mean * 100);
		else
			output_text(out, "-");
	}
	statistics_report_record(out, tcp ? "busy_cycles_per_byte" :
					    "busy_cycles_per_packet", &cost);
	print_cost(out, &cost, tcp, false);
	ladder_agreement_record(out, ladder, rung);
	output_row_end(out);
}

static const struct output_column tcp_columns[] = {
	{ .title = "", .width = 26, .left = true },
	{ .title = "runs", .width = 4 },
	{ .title = "goodput", .width = 12 },
	{ .title = "cycles/byte", .width = 12 },
	{ .title = "+-", .width = 8 },
};

static const struct output_column udp_columns[] = {
	{ .title = "", .width = 18, .left = true },
	{ .title = "runs", .width = 4 },
	{ .title = "goodput", .width = 12 },
	{ .title = "packets/s", .width = 10 },
	{ .title = "lost", .width = 7 },
	{ .title = "cycles/packet", .width = 13 },
	{ .title = "+-", .width = 7 },
};

static void print_group(struct output *out, const struct ladder *ladder,
			enum ladder_group group)
{
	const bool tcp = group == LADDER_TCP;

	output_text(out, "%s", ladder_group_text(group));
	if (group == LADDER_TRANSMIT)
		output_text(out, ", %s packets/s to the sink at %s",
			    units_show_count(ladder->settings.packets_per_s).text,
			    ladder->settings.transmit_to);
	if (group == LADDER_RECEIVE)
		output_text(out, ", %s packets/s from the source at %s",
			    units_show_count(ladder->settings.packets_per_s).text,
			    ladder->settings.receive_from);
	output_text(out, "\n");
	output_table_begin(out, ladder_group_name(group),
			   tcp ? tcp_columns : udp_columns,
			   tcp ? COUNT(tcp_columns) : COUNT(udp_columns),
			   false);
	for (size_t i = 0; i < ladder_rung_count; i++)
		if (ladder_rungs[i].group == group && ladder_is_part(ladder, i))
			print_rung(out, ladder, i);
	output_table_end(out);
	output_text(out, "\n");
}

/* Why runs of rungs have no result. */
static void print_reasons(struct output *out, const struct ladder *ladder)
{
	bool any = false;

	if (!output_is_text(out))
		return;
	for (size_t i = 0; i < ladder_rung_count; i++) {
		const struct ladder_rung *rung = &ladder_rungs[i];
		const struct ladder_cell *cell = &ladder->cells[i];
		char count[32];

		if (!cell->failures)
			continue;
		output_text(out, "%s: %s\n", ladder_group_text(rung->group),
			    rung->name);
		snprintf(count, sizeof(count), "  %u failed", cell->failures);
		paragraph_print(out, count, cell->why.text);
		any = true;
	}
	if (any)
		output_text(out, "\n");
}

/* Whether the interval of a difference, if it is known, leaves out zero. */
static bool distinct(const struct statistics *difference)
{
	return difference->ci_low > 0 || difference->ci_high < 0;
}

static void print_step(struct output *out, const struct ladder *ladder,
		       const struct ladder_step *step)
{
	const bool tcp = step->group == LADDER_TCP;
	struct statistics cost;
	bool sure;

	ladder_step_statistics(ladder, step, ladder_cost(step->group), &cost);
	if (!cost.count)
		return;
	sure = distinct(&cost);
	output_row_begin(out);
	output_string(out, "cost", step->cost, "%s: %s",
		      ladder_group_short(step->group), step->cost);
	output_data_string(out, "group", ladder_group_name(step->group));
	output_data_string(out, "above", step->above);
	if (step->below)
		output_data_string(out, "below", step->below);
	statistics_report_record(out, tcp ? "busy_cycles_per_byte" :
					    "busy_cycles_per_packet", &cost);
	print_cost(out, &cost, tcp, step->below);
	output_bool(out, "distinct", sure, "%s", sure ? "" : "not sure");
	output_row_end(out);
}

static const struct output_column step_columns[] = {
	{ .title = "Between two of these", .width = 44, .left = true },
	{ .title = "cycles", .width = 10 },
	{ .title = "+-", .width = 8 },
	{ .title = "", .left = true },
};

static void print_steps(struct output *out, const struct ladder *ladder)
{
	output_table_begin(out, "steps", step_columns, COUNT(step_columns),
			   false);
	for (size_t i = 0; i < ladder_step_count; i++)
		print_step(out, ladder, &ladder_steps[i]);
	output_table_end(out);
	output_text(out, "Of TCP for a byte, of UDP for a datagram; busy cycles of all CPUs.\n\n");
}

static const struct output_column ceiling_columns[] = {
	{ .title = "Ceiling", .width = 16, .left = true },
	{ .title = "goodput", .width = 12 },
	{ .title = "reached", .width = 8 },
	{ .title = "", .left = true },
};

static void print_ceilings(struct output *out, const struct ladder *ladder)
{
	if (!ladder->ceilings)
		return;
	output_text(out, "%s: %s\n", ladder_group_text(LADDER_TCP),
		    ladder_rungs[ladder->ceilings_of].name);
	output_data_string(out, "ceilings_of",
			   ladder_rungs[ladder->ceilings_of].name);
	output_table_begin(out, "ceilings", ceiling_columns,
			   COUNT(ceiling_columns), false);
	for (size_t i = 0; i < json_length(ladder->ceilings); i++) {
		struct json_object *ceiling =
			json_element(ladder->ceilings, i);
		const double bps = json_number(ceiling, "ceiling_bps");
		const double share = json_number(ceiling, "share");
		const bool binds = json_is(ceiling, "binds");

		if (isnan(bps))
			continue;
		output_row_begin(out);
		output_string(out, "name", json_text(ceiling, "name"), "%s",
			      json_text(ceiling, "name"));
		output_double(out, "ceiling_bps", bps, "%s",
			      units_show_bitrate(bps).text);
		output_double(out, "share", share, "%.1f%%", share * 100);
		output_bool(out, "binds", binds, "%s", binds ? "binds" : "");
		output_row_end(out);
	}
	output_table_end(out);
	output_text(out, "\n");
}

static void print_end(struct output *out, const struct ladder *ladder)
{
	output_u64(out, "rounds", ladder->rounds, "Rounds           %u",
		   ladder->rounds);
	output_bool(out, "met", ladder->met,
		    ladder->met ? ", all intervals within +-%g%%\n" :
				  ", NOT all intervals within +-%g%%\n",
		    ladder->wanted * 100);
	output_data_double(out, "wanted_ci_share", ladder->wanted);
	output_bool(out, "interrupted", ladder->interrupted, "%s",
		    ladder->interrupted ? "                 interrupted\n" :
		    "");
	output_bool(out, "out_of_time", ladder->out_of_time, "%s",
		    ladder->out_of_time ?
		    "                 the time was over\n" : "");
	output_data_double(out, "packets_per_s", ladder->settings.packets_per_s);
}

/**
 * ladder_report_print() - print a ladder
 * @out: where it goes
 * @ladder: ladder, whole or not
 */
void ladder_report_print(struct output *out, const struct ladder *ladder)
{
	output_object_begin(out, "ladder");
	output_text(out, "\n");
	for (int group = 0; group < LADDER_GROUPS; group++)
		if (in_group(ladder, group))
			print_group(out, ladder, group);
	print_reasons(out, ladder);
	ladder_latency_print(out, ladder);
	print_steps(out, ladder);
	ladder_agreement_print(out, ladder);
	print_ceilings(out, ladder);
	print_end(out, ladder);
	output_object_end(out);
}
