// SPDX-License-Identifier: GPL-2.0
/* html_page: a page of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"
#include "cycles.h"
#include "estimate.h"
#include "html_page.h"
#include "limit.h"
#include "memory.h"
#include "plot.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>ktput: report</title>\n<style>\n"
	"body{font:16px/1.45 sans-serif;color:#222;background:#fff;"
	"max-width:64em;margin:2em auto;padding:0 1em}\n"
	"h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
	"margin:.6em 0;display:block;overflow-x:auto}\n"
	"th,td{padding:.2em .7em;border-bottom:1px solid #ddd;"
	"text-align:left;vertical-align:top}\n"
	"td.n,th.n{text-align:right}\n"
	"td.k{font-family:monospace;white-space:nowrap}\n"
	"td.v{font-family:monospace;overflow-wrap:anywhere}\n"
	".bad{color:#a33c00;font-weight:bold}\n"
	"figure{margin:1em 0}svg{max-width:100%;height:auto}\n"
	"summary{cursor:pointer;font-weight:bold}\n"
	"</style>\n</head>\n<body>\n<h1>ktput: report</h1>\n";

/**
 * html_escape() - text as text
 * @to: the page
 * @text: the text
 */
void html_escape(FILE *to, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		case '\'':
			fputs("&#39;", to);
			break;
		default:
			fputc(*text, to);
		}
	}
}

static void cell(FILE *to, const char *class, const char *text)
{
	fprintf(to, "<td class=\"%s\">", class);
	html_escape(to, text);
	fputs("</td>", to);
}

static void figure_cell(FILE *to, enum figure figure, double value)
{
	cell(to, "n", figures_show(figure, value).text);
}

static const char *state_of(const struct record *record)
{
	if (!record->valid)
		return "INVALID";
	return record->interrupted ? "INTERRUPTED" : "valid";
}

/* Goodput, its interval, and what it costs. */
static void stream_cells(FILE *to, const struct record *record)
{
	struct statistics goodput;
	char range[64] = "-";

	estimate_run(record, FIGURE_GOODPUT, &goodput);
	if (!isnan(goodput.ci_low))
		snprintf(range, sizeof(range), "%.28s to %.28s",
			 units_show_bitrate(fmax(goodput.ci_low, 0)).text,
			 units_show_bitrate(goodput.ci_high).text);
	for (enum figure i = 0; i <= FIGURE_PER_PACKET; i++) {
		figure_cell(to, i, figures_of_run(record, i));
		if (i == FIGURE_GOODPUT)
			cell(to, "n", range);
	}
}

/* Round trips, how long they took, and what they cost. */
static void pingpong_cells(FILE *to, const struct record *record)
{
	static const struct {
		const char *path;
		double scale;
		int decimals;
	} columns[] = {
		{ "result.round_trips_per_s", 1, 2 },
		{ "result.latency_ns.mean", 0.001, 2 },
		{ "result.latency_ns.p50", 0.001, 2 },
		{ "result.latency_ns.p99", 0.001, 2 },
		{ "result.latency_ns.max", 0.001, 2 },
		{ "result.timeouts", 1, 0 },
		{ "result.busy_cycles_per_round_trip", 1, 0 },
	};

	for (size_t i = 0; i < COUNT(columns); i++) {
		double value = json_number(record->root, columns[i].path);

		if (isnan(value))
			cell(to, "n", "-");
		else
			fprintf(to, "<td class=\"n\">%.*f</td>",
				columns[i].decimals, value * columns[i].scale);
	}
}

/* All streams or all ping-pongs, one a row. */
static void write_runs(FILE *to, const struct records *records,
		       const struct settings *settings, bool pingpong)
{
	fputs("<table>\n<tr><th>run</th><th>what sets it apart</th>"
	      "<th>state</th>", to);
	fputs(pingpong ?
	      "<th class=\"n\">round trips/s</th><th class=\"n\">mean, us</th>"
	      "<th class=\"n\">50%, us</th><th class=\"n\">99%, us</th>"
	      "<th class=\"n\">longest, us</th><th class=\"n\">timeouts</th>"
	      "<th class=\"n\">cycles/trip</th></tr>\n" :
	      "<th class=\"n\">goodput</th><th class=\"n\">95% interval</th>"
	      "<th class=\"n\">packets/s</th><th class=\"n\">cycles/byte</th>"
	      "<th class=\"n\">cycles/packet</th></tr>\n", to);
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		char label[160];

		if (figures_is_pingpong(record) != pingpong)
			continue;
		settings_label(&settings[i], NULL, label, sizeof(label));
		fprintf(to, "<tr><td><a href=\"#run%zu\">", i);
		html_escape(to, report_name(record).text);
		fputs("</a></td>", to);
		cell(to, "", label);
		cell(to, record->why_not ? "bad" : "", state_of(record));
		if (pingpong)
			pingpong_cells(to, record);
		else
			stream_cells(to, record);
		fputs("</tr>\n", to);
	}
	fputs("</table>\n", to);
}

static size_t pingpongs(const struct records *records)
{
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++)
		count += figures_is_pingpong(&records->record[i]);
	return count;
}

static void write_overview(FILE *to, const struct records *records,
			   const struct settings *settings)
{
	size_t trips = pingpongs(records);

	if (trips < records->count) {
		write_runs(to, records, settings, false);
		fputs("<p>The interval is that of the mean of a run&#39;s own "
		      "intervals, by batch means.</p>\n", to);
	}
	if (trips)
		write_runs(to, records, settings, true);
	fputs("<p>Cycles are busy cycles of all CPUs.</p>\n", to);
}

/* A picture as part of the page: without what a file of its own begins with. */
static void write_picture(FILE *to, enum plot_kind kind, const char *variable,
			  const struct records *records, struct output *out)
{
	struct gnuplot_image image = { 0 };
	struct units_error err;
	const char *svg;

	if (plot_draw(kind, variable, records, GNUPLOT_SVG, &image, &err)) {
		output_warning(out, "the page lacks a picture: %s", err.text);
		return;
	}
	svg = strstr(image.data, "<svg");
	if (svg) {
		fputs("<figure>\n", to);
		fputs(svg, to);
		fputs("</figure>\n", to);
	}
	free(image.data);
}

static bool has_streams(const struct records *records)
{
	for (size_t i = 0; i < records->count; i++) {
		struct json_object *intervals =
			json_array(records->record[i].root, "intervals");
		struct json_object *streams = json_length(intervals) ?
			json_array(json_element(intervals, 0),
				   "source.streams") : NULL;

		if (json_length(streams) &&
		    json_at(json_element(streams, 0), "tcp"))
			return true;
	}
	return false;
}

static void write_pictures(FILE *to, const struct records *records,
			   struct output *out)
{
	char *variable = plot_sweep_variable(records);

	fputs("<h2>Pictures</h2>\n", to);
	if (variable)
		write_picture(to, PLOT_SWEEP, variable, records, out);
	if (pingpongs(records) < records->count)
		write_picture(to, PLOT_RATE, NULL, records, out);
	write_picture(to, PLOT_CPU, NULL, records, out);
	if (has_streams(records))
		write_picture(to, PLOT_TCP, NULL, records, out);
	free(variable);
}

static void write_limits(FILE *to, const struct record *record)
{
	struct limits limits;

	limit_get(record, &limits);
	if (limits.count)
		fputs("<table>\n<tr><th>ceiling</th><th class=\"n\">goodput</th>"
		      "<th class=\"n\">reached</th><th>binds</th><th></th></tr>\n",
		      to);
	for (size_t i = 0; i < limits.count; i++) {
		const struct limit *limit = &limits.limit[i];

		fputs("<tr>", to);
		cell(to, "", limit->name);
		figure_cell(to, FIGURE_GOODPUT, limit->bps);
		if (isnan(limit->share))
			cell(to, "n", "-");
		else
			fprintf(to, "<td class=\"n\">%.2f%%</td>",
				limit->share * 100);
		cell(to, "", limit->binds ? "yes" : "no");
		cell(to, "", limit->because ? limit->because : "");
		fputs("</tr>\n", to);
	}
	if (limits.count)
		fputs("</table>\n", to);
	limit_free(&limits);
}

static void write_verdicts(FILE *to, const struct record *record)
{
	struct json_object *all = json_array(record->root, "result.tcp");

	for (size_t i = 0; i < json_length(all); i++) {
		struct json_object *one = json_element(all, i);
		const char *because = json_text(one, "because");
		double id = json_number(one, "id");

		if (!because)
			because = json_text(one, "verdict");
		if (!because)
			continue;
		fputs("<p>TCP", to);
		if (id >= 0)
			fprintf(to, ", stream %.0f", id);
		fputs(": ", to);
		html_escape(to, because);
		fputs("</p>\n", to);
	}
}

static void write_cpus(FILE *to, const struct record *record)
{
	struct cycles contexts;

	cycles_get(record, &contexts);
	if (contexts.count) {
		fputs("<table>\n<tr><th>CPU</th>", to);
		for (size_t i = 0; i < contexts.contexts; i++)
			fprintf(to, "<th class=\"n\">%s</th>",
				contexts.name[i]);
		fputs("<th class=\"n\">cycles</th></tr>\n", to);
	}
	for (size_t i = 0; i < contexts.count; i++) {
		const struct cycles_cpu *cpu = &contexts.cpu[i];

		fprintf(to, "<tr><td>%u</td>", cpu->id);
		for (size_t k = 0; k < contexts.contexts; k++)
			fprintf(to, "<td class=\"n\">%.1f%%</td>",
				cpu->cycles[k] / cpu->total * 100);
		fprintf(to, "<td class=\"n\">%.0f</td></tr>\n", cpu->total);
	}
	if (contexts.count)
		fputs("</table>\n", to);
	cycles_free(&contexts);
}

static void write_settings(FILE *to, const struct settings *settings)
{
	fputs("<details><summary>Configuration and environment</summary>\n"
	      "<table>\n", to);
	for (size_t i = 0; i < settings->count; i++) {
		fputs("<tr>", to);
		cell(to, "k", settings->setting[i].key);
		cell(to, "v", settings->setting[i].value);
		fputs("</tr>\n", to);
	}
	fputs("</table></details>\n", to);
}

static void write_run(FILE *to, const struct record *record, size_t index,
		      const struct settings *settings)
{
	fprintf(to, "<h2 id=\"run%zu\">", index);
	html_escape(to, report_name(record).text);
	fputs("</h2>\n", to);
	if (record->why_not) {
		fprintf(to, "<p class=\"bad\">%s: ", state_of(record));
		html_escape(to, record->why_not);
		fputs("</p>\n", to);
	}
	write_limits(to, record);
	write_verdicts(to, record);
	write_cpus(to, record);
	write_settings(to, settings);
}

/* The pictures are of runs that count, if there are any. */
static struct records counting(const struct records *records)
{
	struct records kept = {
		.record = memory_must(calloc(records->count + 1,
					     sizeof(*kept.record))),
	};

	for (size_t i = 0; i < records->count; i++)
		if (!records->record[i].why_not)
			kept.record[kept.count++] = records->record[i];
	return kept;
}

/**
 * html_page() - write the page
 * @to: where it goes
 * @records: the runs
 * @out: where warnings go
 */
void html_page(FILE *to, const struct records *records, struct output *out)
{
	struct settings *settings = settings_get_all(records);
	struct records pictured = counting(records);

	fputs(head, to);
	write_overview(to, records, settings);
	if (pictured.count)
		write_pictures(to, &pictured, out);
	for (size_t i = 0; i < records->count; i++)
		write_run(to, &records->record[i], i, &settings[i]);
	fputs("</body>\n</html>\n", to);
	settings_free_all(settings, records->count);
	free(pictured.record);
}
