// SPDX-License-Identifier: GPL-2.0
/* report: print the result of a session. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../analysis/measure.h"
#include "../base/output.h"
#include "../module/names.h"
#include "answer.h"
#include "ceilings.h"
#include "datagram_report.h"
#include "judge.h"
#include "record.h"
#include "record_fields.h"
#include "report.h"
#include "tcp_report.h"

/* Largest difference of two measures of idle time, as a share of the time. */
#define CONTRADICTION_MAX	0.01

static void print_end(const struct session *session,
		      const struct session_end *end)
{
	struct output *out = session->out;

	output_text(out, "%s: ", names_role(end->run.role));
	end->backend->describe(end, out);
	if (end->netns)
		output_text(out, " in %s", end->netns);
	if (end->run.role == KTPUT_ROLE_SINK)
		output_text(out, ", on %s port %u",
			    address_show(&end->config.local).text,
			    end->run.local_port);
	else
		output_text(out, ", to %s, %" PRIu32 " stream%s",
			    address_show_port(&end->config.remote).text,
			    end->run.streams, end->run.streams > 1 ? "s" : "");
	/* Of user space, the backend says so. */
	if (session->udp && !session->engine && !config_user(&end->config))
		output_text(out, ", %s",
			    names_layer(end->config.number[KTPUT_A_CONFIG_LAYER]));
	if (session->udp && !session->engine)
		output_text(out, ", cookie %" PRIu64,
			    end->config.number[KTPUT_A_CONFIG_COOKIE]);
	if (end->config.cpus[0])
		output_text(out, ", CPU %s", end->config.cpus);
	output_text(out, "\n");
}

/**
 * report_route() - record a route
 * @out: the output
 * @route: the route
 */
void report_route(struct output *out, const struct route *route)
{
	output_object_begin(out, "route");
	record_fields_write(out, record_fields_route, route);
	output_object_end(out);
}

static void record_begin(struct session *session, struct session_end *end)
{
	struct output *out = session->out;
	const char *key = names_role(end->run.role);
	struct backend_clock clock = { 0 };

	if (!output_is_json(out))
		return;
	output_object_begin(out, key);
	record_config(out, "config", &end->config);
	if (end->host)
		output_data_string(out, "host", end->host);
	if (end->netns)
		output_data_string(out, "netns", end->netns);
	if (end->backend->record)
		end->backend->record(end, out);
	record_snapshot(out, "begin", &end->begin, session->detail);
	output_object_end(out);
	if (end == session_leading(session) && end->backend->clock(end, &clock))
		record_fields_write(out, record_fields_clock, &clock);
}

/**
 * report_begin() - print the head of a measurement
 * @session: session whose ends have been started
 * @route: route of the source, or NULL
 */
void report_begin(struct session *session, const struct route *route)
{
	struct session_end *ends[] = { &session->source, &session->sink };

	for (int i = 0; i < 2; i++) {
		if (!ends[i]->present)
			continue;
		print_end(session, ends[i]);
		record_begin(session, ends[i]);
	}
	if (route)
		report_route(session->out, route);
	/* A sink may wait long for its first interval. */
	output_flush(session->out);
}

/**
 * report_detached() - print the numbers of detached runs
 * @session: session whose ends have been started
 */
void report_detached(struct session *session)
{
	struct session_end *ends[] = { &session->source, &session->sink };

	output_array_begin(session->out, "runs");
	for (int i = 0; i < 2; i++) {
		if (!ends[i]->present)
			continue;
		print_end(session, ends[i]);
		record_run(session->out, NULL, &ends[i]->run);
	}
	output_array_end(session->out);
	output_flush(session->out);
}

/* Below this number of sends, the missing gap shows in the rates. */
#define FEW_MESSAGES	100

/* Number of sends in the span; the number of gaps is one less. */
static uint64_t messages_sent(const struct session *session,
			      const struct answer *result)
{
	uint64_t segments =
		session->source.config.number[KTPUT_A_CONFIG_SEGMENTS];
	uint64_t packets = session->source.present ? result->messages :
						     result->packets;

	return packets / (segments ? segments : 1);
}

/* A span from the first send to the last needs two sends. */
static bool has_gaps(const struct session *session,
		     const struct answer *result)
{
	return !session->udp || session->engine ||
	       messages_sent(session, result) > 1;
}

static void warn_of_few(const struct session *session,
			const struct answer *result)
{
	uint64_t count = messages_sent(session, result);

	if (!session->udp || session->engine || count >= FEW_MESSAGES)
		return;
	output_warning(session->out, "rates are of %" PRIu64 " %s over the %"
		       PRIu64 " gap%s between, and may be %.1f%% too high",
		       count, count < result->packets ? "calls" : "datagrams",
		       count - 1, count > 2 ? "s" : "",
		       100.0 / (count - 1));
}

/* Mark a run if the contexts show less idle time than the kernel. */
static void mark_contradiction(const struct session *session)
{
	struct measure_cpu worst = { 0 }, cpu;
	const struct session_end *end;

	for (size_t j = 0; (end = cpu_table_reader(session, j)); j++)
		for (size_t i = 0; i < end->last.cpu_count; i++)
			if (measure_cpu(&end->begin, &end->last,
					end->last.cpus[i].id, &cpu) &&
			    cpu.contradiction > worst.contradiction)
				worst = cpu;
	if (worst.contradiction <= CONTRADICTION_MAX)
		return;
	output_data_double(session->out, "idle_contradiction_share",
			   worst.contradiction);
	output_warning(session->out,
		       "CPU %u was busy for %.1f%% of the time by the kernel's idle time, and for %.1f%% by its contexts",
		       worst.id, worst.busy * 100,
		       (worst.busy + worst.contradiction) * 100);
}

/* False if the span has no payload, or no rate. */
static bool compute(const struct session *session, struct answer *result)
{
	const struct session_end *end = session_counted(session);
	const struct session_end *source = &session->source;
	bool warmed_up = session->warmup_ns;
	struct client_counters from = measure_total(&end->begin);
	struct client_counters to = measure_total(&end->last);

	/* Without a warm-up, include everything before the first snapshot too. */
	to = measure_difference(&to, warmed_up ? &from : NULL);
	result->bytes = payload_counted(session, &end->last) -
			(warmed_up ? payload_counted(session, &end->begin) : 0);
	result->packets = to.messages;
	if (session->udp) {
		datagram_report_arrivals(session, &result->arrivals);
		datagram_report_losses(session, &result->arrivals,
				       &result->losses);
	}
	if (source->present) {
		from = measure_total(&source->begin);
		to = measure_total(&source->last);
		result->messages = measure_difference(&to, warmed_up ?
						      &from : NULL).messages;
		if (!session->udp && !source->last.run.mptcp)
			measure_tcp(warmed_up ? &source->begin : NULL,
				    &source->last, &result->tcp);
	}
	if (!has_gaps(session, result) || !result->bytes ||
	    !payload_span(session, &result->span_ns))
		return false;
	result->goodput_bps = result->bytes * 8.0 * UNITS_NSEC_PER_SEC /
			      result->span_ns;
	return true;
}

/* Print the counts of datagrams if there is no rate. */
static void print_amounts(struct output *out, const struct answer *result)
{
	if (!result->packets)
		return;
	output_null(out, "goodput_bps", "Goodput          -");
	output_u64(out, "bytes", result->bytes, ", %" PRIu64 " bytes\n",
		   result->bytes);
	output_null(out, "packets_per_s", "Packets          -");
	output_u64(out, "packets", result->packets, ", %" PRIu64 " datagram%s\n",
		   result->packets, result->packets > 1 ? "s" : "");
}

static void print_rates(const struct session *session,
			const struct answer *result)
{
	double messages_per_s = (double)result->messages *
				UNITS_NSEC_PER_SEC / result->span_ns;
	struct output *out = session->out;

	output_double(out, "goodput_bps", result->goodput_bps,
		      "Goodput          %s",
		      units_show_bitrate(result->goodput_bps).text);
	output_u64(out, "bytes", result->bytes, ", %" PRIu64 " bytes",
		   result->bytes);
	output_u64(out, "span_ns", result->span_ns, " in %.6f s\n",
		   result->span_ns / 1e9);
	if (!session->sink.present)
		paragraph_print(out, "", payload_acknowledged(session) ?
				"(what the receiver has acknowledged)" :
				config_sockets(&session->source.config) ?
				"(what the source's sockets took)" :
				"(what was taken from the source)");
	payload_print_unsent(session);
	if (session->source.present && !session->udp) {
		output_data_u64(out, "messages", result->messages);
		output_double(out, "messages_per_s", messages_per_s,
			      "Messages         %s/s\n",
			      units_show_count(messages_per_s).text);
	}
}

static void print_tcp(const struct session *session,
		      const struct answer *result)
{
	const struct measure_tcp *tcp = &result->tcp;
	struct output *out = session->out;

	if (!tcp_report_known(session))
		return;
	output_u64(out, "retransmissions", tcp->retransmissions,
		   "Retransmissions  %" PRIu64 " segment%s\n",
		   tcp->retransmissions,
		   tcp->retransmissions == 1 ? "" : "s");
	output_double(out, "rtt_us", tcp->rtt_us,
		      "Round-trip time  %.0f us smoothed", tcp->rtt_us);
	output_u64(out, "rtt_min_us", tcp->rtt_min_us,
		   ", %" PRIu32 " us at least\n", tcp->rtt_min_us);
	if (session->engine)
		return;
	if (!config_has(&session->source.config, KTPUT_A_CONFIG_METHOD) ||
	    session->source.config.number[KTPUT_A_CONFIG_METHOD] ==
	    KTPUT_METHOD_ZEROCOPY)
		answer_copied(out, tcp->copied);
}

static void print_wire(const struct session *session,
		       const struct route *route, const struct answer *result)
{
	const struct client_snapshot *source = &session->source.last;
	struct output *out = session->out;
	struct units_error why;
	struct ceiling_ethernet ceiling;
	unsigned int ip_version;
	double wire_bps;

	if (!session->source.present || !source->stream_count)
		return;
	ip_version = address_ip_version(&session->source.config.remote);
	if (ceiling_ethernet_compute(route, ip_version,
				     &source->streams[0].tcp, &ceiling, &why)) {
		output_warning(out, "no wire rate: %s", why.text);
		return;
	}
	wire_bps = result->goodput_bps / ceiling.frame.efficiency;
	output_object_begin(out, "wire");
	output_double(out, "rate_bps", wire_bps,
		      "Wire rate        %s as full Ethernet frames",
		      units_show_bitrate(wire_bps).text);
	output_double(out, "efficiency", ceiling.frame.efficiency,
		      ", %.2f%% of it payload\n",
		      ceiling.frame.efficiency * 100);
	output_string(out, "device", route->device, "                 %s",
		      route->device);
	output_u64(out, "mtu_bytes", route->mtu_bytes, ", MTU %" PRIu32,
		   route->mtu_bytes);
	output_u64(out, "ip_version", ip_version, ", IPv%u", ip_version);
	output_bool(out, "timestamps", ceiling.timestamps,
		    ", timestamps %s", ceiling.timestamps ? "on" : "off");
	output_u64(out, "vlan_tags", route->vlan_tags,
		   route->vlan_tags ? ", VLAN tags %u" : "",
		   route->vlan_tags);
	output_u64(out, "payload_bytes", ceiling.frame.payload_bytes,
		   "\n                 %" PRIu64 " bytes of payload per frame\n",
		   ceiling.frame.payload_bytes);
	if (!ceiling.known) {
		output_data_string(out, "no_ceiling",
				   ceiling_ethernet_absent(route));
		output_object_end(out);
		return;
	}
	output_data_double(out, "ceiling_bps", ceiling.frame.goodput_bps);
	output_data_u64(out, "link_rate_bps", route->rate_bps);
	output_data_double(out, "share", result->goodput_bps /
					 ceiling.frame.goodput_bps);
	output_object_end(out);
}

/* Print what limited the streams, all limits, and the binding one. */
static void print_limits(const struct session *session,
			 const struct route *route, struct answer *result)
{
	struct ceilings ceilings;

	ceilings_compute(session, route, &(struct ceilings_load) {
		.goodput_bps = result->goodput_bps,
		.bytes = result->bytes,
		.datagrams = result->packets,
		.span_ns = result->span_ns,
		.losses = session->udp ? &result->losses : NULL,
	}, &ceilings);
	if (!session->udp && tcp_report_known(session))
		tcp_report_print(session, route, result->span_ns, &ceilings,
				 &result->disturbance, &result->streams);
	judge_session(session, &ceilings, &result->streams,
		      &result->disturbance, &result->verdict);
	ceilings_print(session->out, &ceilings, result->verdict.ceiling);
	judge_print(session->out, &result->verdict);
}

static void print_transport(const struct session *session,
			    const struct route *route,
			    const struct answer *result)
{
	const struct datagram_report report = {
		.session = session,
		.route = route,
		.arrivals = &result->arrivals,
		.bytes = result->bytes,
		.count = result->packets,
		.span_ns = result->span_ns,
	};

	if (session->udp) {
		datagram_report_print(&report);
		return;
	}
	if (!session->engine)
		print_wire(session, route, result);
	print_tcp(session, result);
}

/**
 * report_in_order() - whether a run has ended as it was to
 * @run: run that has ended
 * @why: a sentence if it has not
 *
 * Return: true if so.
 */
bool report_in_order(const struct client_run *run, struct units_error *why)
{
	const enum ktput_reason reason = run->reason;

	if (reason == KTPUT_REASON_TIME || reason == KTPUT_REASON_BYTES ||
	    reason == KTPUT_REASON_MESSAGES || reason == KTPUT_REASON_STOPPED ||
	    reason == KTPUT_REASON_PEERS)
		return true;
	units_refuse(why, "%s%s%s", names_reason_text(reason), run->error ? ": " : "",
		     run->error ? strerror(run->error) : "");
	return false;
}

/**
 * report_reason() - print why the session has ended
 * @session: session that has ended
 */
void report_reason(const struct session *session)
{
	const struct client_run *run = &session_leading(session)->last.run;
	struct output *out = session->out;

	output_string(out, "reason", names_reason(run->reason),
		      "Ended            %s", names_reason_text(run->reason));
	output_u64(out, "errno", run->error, run->error ? " (%s)\n" : "\n",
		   strerror(run->error));
	output_data_bool(out, "interrupted", session->interrupted);
}

/* The device whose counters could be read at the begin, and not at the end; or NULL. */
static const char *removed_device(const struct session *session)
{
	const struct session_end *const ends[] = {
		&session->source, &session->sink,
	};

	for (size_t i = 0; i < 2; i++)
		if (ends[i]->present && ends[i]->device_certain &&
		    ends[i]->device_begin.known && !ends[i]->device_last.known)
			return ends[i]->device_name;
	return NULL;
}

/* Whether the result is valid, with a reason if not. */
static bool validate(const struct session *session,
		     const struct answer *result,
		     const struct reconcile *reconcile,
		     struct units_error *why)
{
	const struct client_run *run = &session_leading(session)->last.run;
	const struct config *source = &session->source.config;

	if (source->number[KTPUT_A_CONFIG_LAYER] == KTPUT_LAYER_XDP &&
	    run->error == ENXIO) {
		units_refuse(why,
			     "%s sends no frames of XDP as it is: veth wants GRO or a native XDP program at its peer, virtio_net a program of its own",
			     session->source.device_name);
		return false;
	}
	if (!report_in_order(run, why))
		return false;
	if (removed_device(session)) {
		units_refuse(why, "%s was removed during the run",
			     removed_device(session));
		return false;
	}
	if (!reconcile_agrees(reconcile, why))
		return false;
	if (!session->source.present)
		return true;
	if (!session->warmed_up) {
		units_refuse(why, "it ended before the warm-up was over");
		return false;
	}
	if (!result->packets && !result->bytes && session_two_hosts(session) &&
	    session->sink.present) {
		unreached_say(session, why);
		return false;
	}
	if (!result->span_ns) {
		units_refuse(why, result->packets && !has_gaps(session, result) ?
			     "what was sent at one time alone has no rate" :
			     "there is no payload in the time measured");
		return false;
	}
	return true;
}

/**
 * report_valid() - print whether a result is valid, and end its object
 * @out: the output, inside the result
 * @invalid: why it is not valid, or NULL
 * @err: the same as a sentence
 *
 * Return: 0, or -1 with a sentence in @err if it is not valid.
 */
int report_valid(struct output *out, const struct units_error *invalid,
		 struct units_error *err)
{
	output_data_bool(out, "valid", !invalid);
	if (invalid) {
		output_data_string(out, "invalid_because", invalid->text);
		paragraph_print(out, "INVALID", invalid->text);
	}
	output_object_end(out);
	if (!invalid)
		return 0;
	return units_refuse(err, "the result is not valid: %s", invalid->text);
}

/**
 * report_end() - print the result
 * @session: session that has ended
 * @route: route of the source, or NULL
 * @err: why the result is not valid
 *
 * Return: 0, or -1 with a sentence in @err if it is not valid.
 */
int report_end(struct session *session, const struct route *route,
	       struct units_error *err)
{
	struct answer result = {
		.session = session, .losses = { .most = LOSS_PLACES },
	};
	bool computed = compute(session, &result);
	bool all = session->context->statistics;
	struct output *out = session->out;
	struct reconcile reconcile;
	struct units_error why;
	bool valid;

	readings_record(session);
	output_object_begin(out, "result");
	output_mute(out, !all);
	report_reason(session);
	session->goodput_bps = result.goodput_bps;
	if (computed) {
		print_rates(session, &result);
		statistics_report_print(session);
		print_transport(session, route, &result);
		attribute_disturbance(session, &result.disturbance);
		judge_disturbance(out, &result.disturbance);
		print_limits(session, route, &result);
		cpu_table_print(session);
		mark_contradiction(session);
	} else if (session->udp) {
		print_amounts(out, &result);
		print_transport(session, route, &result);
	}
	if (!session->udp)
		tcp_report_memory(session);
	if (session->detail)
		stream_table_print(session);
	if (!computed)
		payload_print_unsent(session);
	output_mute(out, false);
	if (!all)
		answer_print(&result);
	else
		answer_refused(session);
	stages_report_print(session);
	if (!session->source.present && !result.bytes && !result.packets)
		paragraph_print(out, "Received", session->udp ?
				"nothing: no datagram with this cookie came" :
				"nothing: nobody sent a byte");
	reconcile_report_compute(session, &result.arrivals, &reconcile);
	reconcile_report_print(session, &reconcile);
	if (computed)
		warn_of_few(session, &result);
	valid = validate(session, &result, &reconcile, &why);
	return report_valid(out, valid ? NULL : &why, err) ||
	       run_stages_written(&session->stages, err) ? -1 : 0;
}
