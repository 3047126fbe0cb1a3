// SPDX-License-Identifier: GPL-2.0
/* reconcile_report: compare the independent counters of a session. */
#include <inttypes.h>
#include <time.h>

#include "datagram_report.h"
#include "report.h"

/*
 * Some drivers update their counters only periodically, or when they reclaim sent
 * frames. Wait this long for the update.
 */
#define LOOKS		60
#define LOOK_NS		(50 * 1000000)

static const struct output_column columns[] = {
	{ .title = "Reconciliation", .left = true },
	{ .title = "counted" },
	{ .title = "", .left = true },
	{ .title = "expected" },
	{ .title = "where", .left = true },
};

static void describe(const struct session_end *end,
		     struct reconcile_device *device)
{
	device->name = end->device_name;
	/* Drivers differ on whether they count frames that XDP consumes. */
	device->certain = end->device_certain &&
			  !xdp_run_wanted(&end->config);
	device->counters = datagram_report_device(end);
}

static uint64_t segments(const struct session_end *end)
{
	return end->config.number[KTPUT_A_CONFIG_SEGMENTS];
}

static void gather(const struct session *session,
		   const struct arrivals *arrivals,
		   struct reconcile_facts *facts)
{
	*facts = (struct reconcile_facts) {
		.source = session->source.present ? &session->source.last :
						    NULL,
		.sink = session->sink.present ? &session->sink.last : NULL,
		.arrivals = session->udp ? arrivals : NULL,
		.segments = segments(&session->source),
		.reasons = drops_total(&session->drops),
		.nothing_between = session->nothing_between,
		.foreign = session->engine,
		.warm_up = session->warmup_ns,
	};
	describe(&session->source, &facts->source_device);
	/* The source counts frames that it does not send. */
	if (config_has(&session->source.config, KTPUT_A_CONFIG_PACE_ONLY))
		facts->source_device.certain = false;
	describe(&session->sink, &facts->sink_device);
}

static void read_device(struct session_end *end)
{
	struct units_error ignored;

	if (end->host)
		end->backend->read_host(end, &ignored);
	else
		device_counters_read(end->netns, end->device,
				     &end->device_last);
}

/**
 * reconcile_report_read() - read the counters of the devices
 * @session: session that has ended
 */
void reconcile_report_read(struct session *session)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	struct reconcile_facts facts;
	struct reconcile reconcile;
	struct arrivals arrivals;
	struct units_error ignored;

	for (int i = 0; i < LOOKS; i++) {
		read_device(&session->source);
		read_device(&session->sink);
		if (session->udp)
			datagram_report_arrivals(session, &arrivals);
		gather(session, &arrivals, &facts);
		reconcile_devices(&facts, &reconcile);
		if (reconcile_agrees(&reconcile, &ignored))
			break;
		nanosleep(&pause, NULL);
	}
}

/**
 * reconcile_report_compute() - compare the counters
 * @session: session that has ended
 * @arrivals: arrival counts of its datagrams
 * @reconcile: filled in
 */
void reconcile_report_compute(const struct session *session,
			      const struct arrivals *arrivals,
			      struct reconcile *reconcile)
{
	struct reconcile_facts facts;

	gather(session, arrivals, &facts);
	reconcile_compute(&facts, reconcile);
}

static const char *relation_name(enum reconcile_relation relation)
{
	static const char *const names[] = {
		[RECONCILE_EQUAL] = "equal",
		[RECONCILE_AT_LEAST] = "at least",
		[RECONCILE_AT_MOST] = "at most",
	};

	return names[relation];
}

static const char *sign(const struct reconcile_item *item)
{
	if (item->counted == item->expected)
		return "=";
	return item->counted > item->expected ? ">" : "<";
}

static void print_item(struct output *out, const struct reconcile_item *item)
{
	output_row_begin(out);
	output_string(out, "what", item->what, "%s", item->what);
	output_data_string(out, "unit", item->unit);
	output_data_string(out, "relation", relation_name(item->relation));
	output_u64(out, "counted", item->counted, "%" PRIu64, item->counted);
	output_bool(out, "agrees", item->agrees, "%s", sign(item));
	output_u64(out, "expected", item->expected, "%" PRIu64,
		   item->expected);
	output_string(out, "where", item->where, "%s", item->where);
	output_row_end(out);
}

static void print_table(struct output *out, const struct reconcile *reconcile)
{
	output_text(out, "\n");
	output_table_begin(out, "reconciliation", columns, COUNT(columns),
			   false);
	for (size_t i = 0; i < reconcile->count; i++)
		print_item(out, &reconcile->items[i]);
	output_table_end(out);
}

static void print_disagreements(struct output *out,
				const struct reconcile *reconcile)
{
	for (size_t i = 0; i < reconcile->count; i++) {
		const struct reconcile_item *item = &reconcile->items[i];

		if (item->agrees)
			continue;
		output_text(out, "Disagreement     %s\n", item->where);
		output_text(out, "                 %s %" PRIu64 " %s, %s %"
			    PRIu64 "\n", item->expecting, item->expected,
			    item->unit, item->counting, item->counted);
	}
}

/**
 * reconcile_report_print() - print the comparisons
 * @session: session that has ended
 * @reconcile: the comparisons
 *
 * Print all of them if detail is requested, and then those that disagree.
 */
void reconcile_report_print(const struct session *session,
			    const struct reconcile *reconcile)
{
	struct output *out = session->out;
	bool all = session->context->statistics;

	output_mute(out, !all);
	print_table(out, reconcile);
	output_mute(out, false);
	print_disagreements(out, reconcile);
}
