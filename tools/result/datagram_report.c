// SPDX-License-Identifier: GPL-2.0
/* datagram_report: arrivals and losses of a session's datagrams. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../analysis/measure.h"
#include "../base/output.h"
#include "../ceilings/wire.h"
#include "answer.h"
#include "ceilings.h"
#include "datagram_report.h"
#include "record.h"

static double per_s(double amount, uint64_t ns)
{
	return amount * UNITS_NSEC_PER_SEC / ns;
}

/**
 * datagram_report_device() - counters of an end's device
 * @end: end that has ended
 *
 * Return: the difference from before the start of the end until after its end.
 */
struct device_counters datagram_report_device(const struct session_end *end)
{
	return device_counters_difference(&end->device_last,
					  &end->device_begin);
}

/* Some drivers count every frame that XDP consumes as dropped. Subtract them. */
static uint64_t received_drops(const struct session *session)
{
	uint64_t drops = datagram_report_device(&session->sink).received_drops;
	uint64_t taken = 0;

	if (session->sink.present && xdp_run_wanted(&session->sink.config))
		taken = measure_streams_total(&session->sink.last).messages;
	return drops >= taken ? drops - taken : drops;
}

static bool is_ipv6(const struct session *session)
{
	const struct client_snapshot *sink = &session->sink.last;

	if (session->source.present)
		return address_ip_version(&session->source.config.remote) == 6;
	return sink->stream_count &&
	       address_ip_version(&sink->streams[0].remote) == 6;
}

/**
 * datagram_report_terms() - counters that tell what became of the packets of a session
 * @session: session that has ended
 * @terms: filled in
 */
void datagram_report_terms(const struct session *session,
			   struct arrivals_terms *terms)
{
	const struct session_end *at = &session->sink;
	const struct config *source = &session->source.config;
	const struct config *sink = &session->sink.config;
	struct device_counters from = datagram_report_device(&session->source);
	struct device_counters to = datagram_report_device(&session->sink);

	*terms = (struct arrivals_terms) {
		.segments = sink->number[KTPUT_A_CONFIG_SEGMENTS],
		.sent_segments = source->number[KTPUT_A_CONFIG_SEGMENTS],
		.reuse = config_has(source, KTPUT_A_CONFIG_REUSE),
		.pair = session->nothing_between && !to.loopback,
		.nothing_between = session->nothing_between,
		/* Loopback is one device: its filters at the sink have both. */
		.source_filter_drops = from.loopback ? 0 : from.ingress_drops,
		.queue_drops = from.queue_drops,
		.sent_drops = from.sent_drops,
		.received_drops = received_drops(session),
		.backlog_drops = to.backlog_drops,
		.filter_drops = to.ingress_drops,
		/* Drivers differ on whether they count frames that XDP consumes. */
		.received_known = to.known && at->device_certain &&
				  !xdp_run_wanted(&at->config),
		.received_packets = to.received_packets,
		.reasons = drops_total(&session->drops),
		.protocols = protocols_difference(&at->protocols_last,
						  &at->protocols_begin),
	};
	/* What the other family dropped is not the run's. */
	if (is_ipv6(session))
		terms->protocols.ip_drops = terms->protocols.ip6_drops;
}

/**
 * datagram_report_losses() - find where a session's datagrams were lost
 * @session: UDP session that has ended
 * @arrivals: arrival counts of the datagrams
 * @losses: filled in
 */
void datagram_report_losses(const struct session *session,
			    const struct arrivals *arrivals,
			    struct losses *losses)
{
	struct arrivals_terms terms;

	datagram_report_terms(session, &terms);
	loss_compute(arrivals, &terms, losses);
}

/**
 * datagram_report_arrivals() - sum up the arrivals of a session's datagrams
 * @session: UDP session that has ended
 * @arrivals: filled in
 */
void datagram_report_arrivals(const struct session *session,
			      struct arrivals *arrivals)
{
	struct arrivals_terms terms;

	datagram_report_terms(session, &terms);
	arrivals_compute(session->source.present ? &session->source.last : NULL,
			 session->sink.present ? &session->sink.last : NULL,
			 &terms, arrivals);
}

static void print_packets(const struct datagram_report *report)
{
	struct output *out = report->session->out;
	double rate = per_s(report->count, report->span_ns);

	output_double(out, "packets_per_s", rate, "Packets          %s/s",
		      units_show_count(rate).text);
	output_u64(out, "packets", report->count, ", %" PRIu64 " datagrams\n",
		   report->count);
}

static void describe(const struct datagram_report *report,
		     struct wire_datagrams *datagrams)
{
	const struct config *config = &report->session->source.config;

	*datagrams = (struct wire_datagrams) {
		.ip_version = address_ip_version(&config->remote),
		.vlan_tags = report->route->vlan_tags +
			     config_has(config, KTPUT_A_CONFIG_VLAN) +
			     config_has(config, KTPUT_A_CONFIG_VLAN_INNER),
		.mtu_bytes = report->route->mtu_bytes < WIRE_MTU_MAX ?
			     report->route->mtu_bytes : WIRE_MTU_MAX,
		.count = report->count,
		.payload_bytes = report->bytes,
	};
}

static void print_ceiling(const struct datagram_report *report,
			  const struct wire_load *load)
{
	const struct route *route = report->route;
	struct output *out = report->session->out;
	double packets;

	if (!route->rate_bps || route->atm) {
		output_data_string(out, "no_ceiling",
				   ceiling_ethernet_absent(route));
		return;
	}
	packets = route->rate_bps / 8.0 * report->count / load->wire_bytes;
	output_data_double(out, "ceiling_packets_per_s", packets);
	output_data_double(out, "ceiling_bps",
			   packets * 8 * report->bytes / report->count);
	output_data_u64(out, "link_rate_bps", route->rate_bps);
	output_data_double(out, "share",
			   per_s(report->count, report->span_ns) / packets);
}

static void print_wire(const struct datagram_report *report)
{
	struct output *out = report->session->out;
	struct wire_datagrams datagrams;
	struct wire_load load;
	double l1, l2, frames, mean;

	if (!report->route || !report->count)
		return;
	describe(report, &datagrams);
	wire_load(&datagrams, &load);
	l1 = per_s(load.wire_bytes * 8.0, report->span_ns);
	l2 = per_s(load.frame_bytes * 8.0, report->span_ns);
	frames = per_s(load.frames, report->span_ns);
	mean = (double)load.frame_bytes / load.frames;
	output_object_begin(out, "wire");
	output_double(out, "rate_bps", l1,
		      "Wire rate        %s at layer 1",
		      units_show_bitrate(l1).text);
	output_double(out, "frame_rate_bps", l2, ", %s at layer 2\n",
		      units_show_bitrate(l2).text);
	output_double(out, "frames_per_s", frames,
		      "                 %s frames/s",
		      units_show_count(frames).text);
	output_double(out, "frame_bytes_mean", mean,
		      " of %.6g bytes with FCS", mean);
	output_u64(out, "ip_version", datagrams.ip_version, ", IPv%u",
		   datagrams.ip_version);
	output_u64(out, "vlan_tags", datagrams.vlan_tags,
		   datagrams.vlan_tags ? ", VLAN tags %u" : "",
		   datagrams.vlan_tags);
	output_string(out, "device", report->route->device, ", %s",
		      report->route->device);
	output_u64(out, "mtu_bytes", report->route->mtu_bytes,
		   ", MTU %" PRIu32 "\n", report->route->mtu_bytes);
	print_ceiling(report, &load);
	output_object_end(out);
}

static void print_source(const struct datagram_report *report)
{
	const struct session_end *source = &report->session->source;
	const struct arrivals *arrivals = report->arrivals;
	const uint64_t *config = source->config.number;
	struct output *out = report->session->out;

	output_u64(out, "sent", arrivals->sent,
		   "Sent             %" PRIu64 " datagrams", arrivals->sent);
	output_u64(out, "source_drops", arrivals->source_drops,
		   arrivals->source_drops ?
		   ", %" PRIu64 " dropped by queueing discipline or driver" :
		   "", arrivals->source_drops);
	output_u64(out, "refusals", arrivals->refusals, arrivals->refusals ?
		   ", %" PRIu64 " times told that nobody receives" : "",
		   arrivals->refusals);
	output_u64(out, "send_failures", arrivals->failures, arrivals->failures ?
		   "\n                 %" PRIu64 " calls failed for the network" : "",
		   arrivals->failures);
	if (arrivals->failures)
		output_string(out, "send_failure", strerror(arrivals->failure),
			      ", the latest: %s", strerror(arrivals->failure));
	output_text(out, "\n");
	if (config_sockets(&source->config)) {
		if (config[KTPUT_A_CONFIG_METHOD] == KTPUT_METHOD_ZEROCOPY)
			answer_copied(out, arrivals->copied);
		return;
	}
	output_u64(out, "busy", arrivals->busy,
		   "Driver           %" PRIu64 " frames given back",
		   arrivals->busy);
	output_u64(out, "stopped", arrivals->stopped,
		   ", %" PRIu64 " times stopped", arrivals->stopped);
	output_u64(out, "recycled_streams", arrivals->recycled,
		   arrivals->recycled ? ", sk_buffs recycled" : "");
	output_u64(out, "unreturned_buffers", arrivals->unreturned,
		   arrivals->unreturned ? ", %" PRIu64 " buffers kept\n" :
		   "\n", arrivals->unreturned);
}

static void print_loss(const struct datagram_report *report)
{
	const struct session *session = report->session;
	const struct arrivals *arrivals = report->arrivals;
	struct output *out = session->out;
	uint64_t all = session->source.present ?
		       arrivals->sent : arrivals->received -
					arrivals->duplicates + arrivals->lost;
	double share = all ? (double)arrivals->lost / all : 0;

	output_u64(out, "received", arrivals->received,
		   "Received         %" PRIu64 " datagrams",
		   arrivals->received);
	output_u64(out, "foreign", arrivals->foreign, arrivals->foreign ?
		   ", and %" PRIu64 " that are not of this run\n" : "\n",
		   arrivals->foreign);
	output_u64(out, "lost", arrivals->lost, "Lost             %" PRIu64,
		   arrivals->lost);
	output_double(out, "loss_share", share, " (%.4g%%)\n", share * 100);
	output_data_u64(out, "socket_drops", arrivals->socket_drops);
	output_data_u64(out, "device_drops", arrivals->device_drops);
	output_data_u64(out, "protocol_drops", arrivals->protocol_drops);
	if (session->source.present)
		output_data_u64(out, "unaccounted", arrivals->unaccounted);
}

/* Places of loss in the order of the data path, and remedies. */
static void print_losses(const struct datagram_report *report)
{
	struct output *out = report->session->out;
	const char *separator = "";
	struct losses losses;
	char text[1280] = "", remedy[REMEDY_TEXT];
	FILE *to;

	datagram_report_losses(report->session, report->arrivals, &losses);
	to = fmemopen(text, sizeof(text), "w");
	if (losses.most == LOSS_PLACES || !to)
		goto out;
	output_array_begin(out, "losses");
	for (enum loss_place i = 0; i < LOSS_PLACES; i++) {
		if (!losses.count[i])
			continue;
		output_object_begin(out, NULL);
		output_data_string(out, "place", loss_key(i));
		output_data_u64(out, "datagrams", losses.count[i]);
		output_object_end(out);
		fprintf(to, "%s%s: %" PRIu64, separator, loss_where(i),
			losses.count[i]);
		separator = "; ";
	}
	output_array_end(out);
	output_data_string(out, "lost_by", loss_key(losses.most));
	remedy_text(loss_remedies(losses.most, false), remedy, sizeof(remedy));
	fprintf(to, ". Try %s.", remedy);
	fflush(to);
	paragraph_print(out, "Lost by", text);
out:
	if (to)
		fclose(to);
}

/* Datagrams lost that no reason of this kernel explains. */
static uint64_t without_reason(const struct drops *drops, uint64_t lost)
{
	const uint64_t total = drops_total(drops);

	return lost > total ? lost - total : 0;
}

/**
 * datagram_report_reasons() - print why this kernel dropped datagrams, as text
 * @session: session that has ended; nothing is printed if drops were not watched
 * @lost: datagrams lost
 *
 * What was lost without a reason of this kernel was lost in a network, or left in a
 * device. A copy that a packet socket or a bridge dropped is in the reasons too.
 */
void datagram_report_reasons(const struct session *session, uint64_t lost)
{
	const struct drops *drops = &session->drops;
	const uint64_t unknown = without_reason(drops, lost);
	const char *separator = "";
	char text[640] = "";
	FILE *to;

	if (!drops->known)
		return;
	to = fmemopen(text, sizeof(text), "w");
	for (size_t i = 0; to && i < drops->count; i++) {
		fprintf(to, "%s%s %" PRIu64, separator, drops->reason[i].name,
			drops->reason[i].datagrams);
		separator = ", ";
	}
	if (!to)
		return;
	fprintf(to, unknown ? "%sunexplained %" PRIu64 " (not dropped by this kernel)" :
			      "%sunexplained %" PRIu64, separator, unknown);
	fclose(to);
	paragraph_print(session->out, "Drop reasons", text);
}

static void print_reasons(const struct datagram_report *report)
{
	const struct drops *drops = &report->session->drops;
	const uint64_t lost = report->arrivals->lost;
	struct output *out = report->session->out;

	if (!drops->known)
		return;
	readings_record_drops(out, "drop_reasons", drops);
	output_data_u64(out, "lost_without_reason",
			without_reason(drops, lost));
	datagram_report_reasons(report->session, lost);
}

/* Each datagram carries the time of its sender's clock, and takes the receiver's. */
static bool delays_spoiled(const struct session *session)
{
	const struct session_end *const ends[] = { &session->source,
						   &session->sink };
	char because[320];

	for (size_t i = 0; i < COUNT(ends); i++) {
		const int64_t set = clock_offset_set(&ends[i]->clock_begin,
						     &ends[i]->clock_last);

		if (!set)
			continue;
		snprintf(because, sizeof(because),
			 "the clock of %s was set during the run, by %+.6g s",
			 ends[i]->host ? ends[i]->host : "this host",
			 set / (double)UNITS_NSEC_PER_SEC);
		output_data_string(session->out, "no_delay_because", because);
		paragraph_print(session->out, "One-way delay", because);
		return true;
	}
	return false;
}

static void print_order(const struct datagram_report *report)
{
	const struct arrivals *arrivals = report->arrivals;
	struct output *out = report->session->out;

	output_u64(out, "reordered", arrivals->reordered,
		   "Order            %" PRIu64 " reordered",
		   arrivals->reordered);
	output_u64(out, "duplicates", arrivals->duplicates,
		   ", %" PRIu64 " duplicates", arrivals->duplicates);
	output_u64(out, "late", arrivals->late, ", %" PRIu64 " late\n",
		   arrivals->late);
	if (!arrivals->delay_known || delays_spoiled(report->session))
		return;
	if (isnan(arrivals->delay_mean_ns))
		output_null(out, "delay_mean_ns", "One-way delay    -");
	else
		output_double(out, "delay_mean_ns", arrivals->delay_mean_ns,
			      "One-way delay    %.1f us",
			      arrivals->delay_mean_ns / 1e3);
	output_text(out, ", %.1f to %.1f us", arrivals->delay_min_ns / 1e3,
		    arrivals->delay_max_ns / 1e3);
	output_data_i64(out, "delay_min_ns", arrivals->delay_min_ns);
	output_data_i64(out, "delay_max_ns", arrivals->delay_max_ns);
	output_double(out, "jitter_ns", arrivals->jitter_ns,
		      ", jitter %.1f us", arrivals->jitter_ns / 1e3);
	output_text(out, "%s\n", report->session->source.present ? "" :
		    ", by the clocks of both ends");
}

/* These counters cover all traffic of the devices, not only the run's. */
static void print_devices(const struct datagram_report *report)
{
	const struct session *session = report->session;
	struct device_counters from = datagram_report_device(&session->source);
	struct device_counters to = datagram_report_device(&session->sink);
	struct output *out = session->out;

	if (!from.known || report->route->medium == ROUTE_LOOPBACK)
		return;
	output_object_begin(out, "devices");
	output_u64(out, "sent_packets", from.sent_packets,
		   "Interfaces       sent %" PRIu64, from.sent_packets);
	output_u64(out, "queue_drops", from.queue_drops, from.queue_drops ?
		   ", dropped %" PRIu64 " in the queueing discipline" : "",
		   from.queue_drops);
	output_u64(out, "sent_drops", from.sent_drops, from.sent_drops ?
		   ", dropped %" PRIu64 " in the driver" : "",
		   from.sent_drops);
	if (to.known) {
		output_u64(out, "received_packets", to.received_packets,
			   "\n                 received %" PRIu64,
			   to.received_packets);
		output_u64(out, "received_drops", to.received_drops,
			   to.received_drops ? ", dropped %" PRIu64 : "",
			   to.received_drops);
	}
	output_text(out, " packets, of all traffic\n");
	output_object_end(out);
}

/**
 * datagram_report_print() - print arrivals and losses of the datagrams
 * @report: the figures
 */
void datagram_report_print(const struct datagram_report *report)
{
	if (report->span_ns) {
		print_packets(report);
		print_wire(report);
	}
	output_object_begin(report->session->out, "datagrams");
	if (report->session->source.present)
		print_source(report);
	if (report->session->sink.present) {
		print_loss(report);
		print_losses(report);
		print_reasons(report);
		print_order(report);
	}
	print_devices(report);
	output_object_end(report->session->out);
}
