// SPDX-License-Identifier: GPL-2.0
/* judge: determine what limited a session. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cpu_table.h"
#include "datagram_report.h"
#include "judge.h"
#include "../analysis/measure.h"
#include "../analysis/trip_verdict.h"
#include "../base/paragraph.h"
#include "../host/throttle.h"
#include "../run/run_options.h"

/* One or two segments of a few hundred are a share, and no evidence. */
#define RESENT_MIN	3

/* The part between @first and @last with most cycles. */
static const char *most_of(const struct attribution *cycles, int first,
			   int last)
{
	int most = first;

	for (int i = first + 1; i <= last; i++)
		if (cycles->cycles[i] > cycles->cycles[most])
			most = i;
	return attribution_name(most);
}

static void take_cpu(const struct attribute_cpu *cpu, bool foreign,
		     struct verdict_cpu *to)
{
	*to = (struct verdict_cpu) {
		.known = true, .id = cpu->id, .own = cpu->own,
		.foreign = cpu->foreign,
		.work = foreign ? most_of(&cpu->cycles,
					  ATTRIBUTION_OTHER_SOFTIRQ,
					  ATTRIBUTION_STEAL) :
				  most_of(&cpu->cycles, ATTRIBUTION_SOURCE,
					  ATTRIBUTION_OWN_SOFTIRQ),
	};
}

static void find_cpus(const struct session *session,
		      const struct attribute_disturbance *disturbance,
		      struct verdict_facts *facts)
{
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;

	if (disturbance->known)
		take_cpu(&disturbance->cpu, true, &facts->foreign);
	while (attribute_next(session, &each, &cpu)) {
		if (!facts->own.known || cpu.own > facts->own.own)
			take_cpu(&cpu, false, &facts->own);
		if (cpu.ends & RUN_END_SINK &&
		    (!facts->sink.known || cpu.own > facts->sink.own))
			take_cpu(&cpu, false, &facts->sink);
	}
}

/* Find where the retransmitted segments were lost, by the counters of the ends. */
static enum loss_place find_resent(const struct session *session,
				   uint64_t resent)
{
	struct arrivals_terms terms;

	datagram_report_terms(session, &terms);
	return loss_of_segments(&terms, resent);
}

/* Share of packets that the source's queueing discipline delayed. */
static double shaped_share(const struct session *session)
{
	const struct device_counters from =
		datagram_report_device(&session->source);

	return from.known && from.sent_packets ?
	       (double)from.queue_overlimits / from.sent_packets : 0;
}

/* Threads of this program, or of one that it has started, are in its groups. */
static bool in_groups(const struct session *session,
		      const struct session_end *end)
{
	return end->present && (session->engine || config_user(&end->config));
}

/* CPUs of the ends in user space on one host. */
static unsigned int group_cpus(const struct session *session, bool far)
{
	const struct session_end *ends[] = { &session->source, &session->sink };
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;
	unsigned int bits = 0, count = 0;

	for (int i = 0; i < 2; i++)
		if (in_groups(session, ends[i]) && !ends[i]->host == !far)
			bits |= i ? RUN_END_SINK : RUN_END_SOURCE;
	/* Nobody tells on which CPUs another program runs. */
	if (session->engine)
		return !!(bits & RUN_END_SOURCE) + !!(bits & RUN_END_SINK);
	while (attribute_next(session, &each, &cpu))
		count += !cpu.read->host == !far && cpu.ends & bits;
	return count;
}

/* Share of the time that quotas kept the ends in user space off their CPUs. */
static double quota_share(const struct session *session)
{
	const struct reference *references[] = {
		&session->reference, &session->far_reference,
	};
	double most = 0;

	for (int far = 0; far < 2; far++)
		if (references[far]->throttled)
			most = fmax(most, throttle_share(references[far]->throttled_us,
							 references[far]->throttled_ns,
							 group_cpus(session, far)));
	return most;
}

/**
 * judge_session() - determine what limited a session
 * @session: session that has ended, with a result
 * @ceilings: its limits
 * @streams: what limited the TCP streams
 * @disturbance: other work on the CPUs
 * @verdict: filled in; its text is empty if nothing is known
 */
void judge_session(const struct session *session,
		   const struct ceilings *ceilings,
		   const struct tcp_report_verdict *streams,
		   const struct attribute_disturbance *disturbance,
		   struct verdict *verdict)
{
	struct verdict_facts facts = {
		.goodput_bps = ceilings->load.goodput_bps,
		.span_ns = ceilings->load.span_ns,
		.ceilings = ceilings->limit,
		.count = ceilings->count,
		.paced = config_has(&session->source.config,
				    KTPUT_A_CONFIG_PACE),
		.losses = ceilings->load.losses,
		.window_share = streams->window_share,
		.send_buffer_share = streams->send_buffer_share,
		.window_waits = streams->window_waits,
		.send_buffer_waits = streams->send_buffer_waits,
		.window_used = ceilings_share(ceilings, "window"),
		.busy_share = streams->known ? streams->busy_share : NAN,
		.congestion_share = streams->known ?
				    streams->congestion_share : NAN,
		.resent_share = streams->resent < RESENT_MIN ? 0 :
				streams->resent_share,
		.shaped_share = shaped_share(session),
		.quota_share = quota_share(session),
		.disturbed = disturbance->disturbed,
	};

	*verdict = (struct verdict) { .place = LOSS_PLACES };
	/* A sink alone has no ceilings: these are of the source and its route. */
	if (!ceilings->count && session->source.present)
		return;
	facts.resent_at = find_resent(session, streams->resent);
	find_cpus(session, disturbance, &facts);
	verdict_find(&facts, verdict);
	if (verdict->kind == VERDICT_NONE && !session->source.present &&
	    facts.own.known)
		snprintf(verdict->text, sizeof(verdict->text),
			 "none at the sink: the run had %.1f%% of its CPU %" PRIu32
			 ", so that the source or the way limits",
			 facts.own.own * 100, facts.own.id);
}

static bool spins(const struct session_end *end)
{
	return end->present && end->config.wait == CONFIG_WAIT_SPIN;
}

/* Sum over both ends: neither waits for itself. */
static uint64_t wake_ups(const struct session *session)
{
	uint64_t sum = 0;

	if (session->source.present)
		sum += measure_total(&session->source.last).wake_ups;
	if (session->sink.present)
		sum += measure_total(&session->sink.last).wake_ups;
	return sum;
}

/* CPU time of the run itself, on all CPUs; NaN if unknown. */
static double own_ns(const struct session *session)
{
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;
	double sum = NAN;

	while (attribute_next(session, &each, &cpu)) {
		if (isnan(sum))
			sum = 0;
		sum += cpu.own * cpu.elapsed_ns;
	}
	return sum;
}

/* What TCP tells of the streams. */
static void add_tcp(const struct session *session, struct trip_facts *facts)
{
	const struct client_snapshot *last = &session->source.last;
	uint64_t segments = 0;
	struct measure_tcp tcp;

	facts->way_ns = NAN;
	if (session->udp || !tcp_report_known(session))
		return;
	/* There is no warm-up. */
	measure_tcp(NULL, last, &tcp);
	for (size_t i = 0; i < last->stream_count; i++)
		segments += last->streams[i].tcp.segments_out;
	if (segments)
		facts->resent_share = (double)tcp.retransmissions / segments;
	if (tcp.rtt_min_us && tcp.rtt_min_us != UINT32_MAX)
		facts->way_ns = tcp.rtt_min_us * 1e3;
}

/**
 * judge_trips() - determine what limited a ping-pong
 * @session: session that has ended
 * @disturbance: other work on the CPUs
 * @verdict: filled in; its text is empty if nothing is known
 */
void judge_trips(const struct session *session,
		 const struct attribute_disturbance *disturbance,
		 struct verdict *verdict)
{
	const struct session_end *source = &session->source;
	const struct histogram *latency = source->last.latency;
	const uint64_t *config = source->config.number;
	const uint64_t trips = measure_total(&source->last).messages;
	const double span_ns = source->last.run.ended_ns -
			       source->last.run.begun_ns;
	const double streams = source->last.run.streams;
	const double requests = streams *
		(config[KTPUT_A_CONFIG_OUTSTANDING] ?
		 config[KTPUT_A_CONFIG_OUTSTANDING] : 1);
	struct verdict_facts cpus = { 0 };
	struct trip_facts facts;

	*verdict = (struct verdict) { .place = LOSS_PLACES };
	if (!trips || !latency || !(span_ns > 0) || !requests)
		return;
	find_cpus(session, disturbance, &cpus);
	facts = (struct trip_facts) {
		.trips_per_s = trips * 1e9 / span_ns,
		.rate_per_s = streams * config[KTPUT_A_CONFIG_PACKET_RATE],
		.think_share = config[KTPUT_A_CONFIG_THINK] * trips /
			       (span_ns * requests),
		.lost_share = (double)(latency->timeouts +
				       latency->unanswered) /
			      (trips + latency->timeouts + latency->unanswered),
		.quota_share = quota_share(session),
		.alone = requests == 1,
		.latency_ns = histogram_mean(latency),
		.own_ns = own_ns(session) / trips,
		.wake_ups = (double)wake_ups(session) / trips,
		.spins = spins(source) || spins(&session->sink),
		.user = config_user(&source->config),
		.callback = config[KTPUT_A_CONFIG_REPLY] == KTPUT_REPLY_CALLBACK,
		.own = cpus.own,
		.foreign = cpus.foreign,
		.disturbed = disturbance->disturbed,
	};
	add_tcp(session, &facts);
	trip_verdict(&facts, verdict);
}

/**
 * judge_print() - print and record a verdict
 * @out: the output
 * @verdict: verdict
 */
void judge_print(struct output *out, const struct verdict *verdict)
{
	if (!verdict->text[0])
		return;
	output_data_string(out, "binding", verdict->name);
	output_data_string(out, "binding_because", verdict->text);
	if (verdict->place != LOSS_PLACES)
		output_data_string(out, "binding_where",
				   loss_key(verdict->place));
	if (verdict->kind != VERDICT_NONE)
		output_data_string(out, "sure", verdict_sure(verdict->sure));
	if (verdict->also)
		output_data_string(out, "evidence_too",
				   verdict_title(verdict->also));
	if (verdict->remedy)
		output_data_string(out, "try", verdict->remedy);
	paragraph_print(out, "Binding", verdict->text);
	if (verdict->remedy)
		paragraph_print(out, "Try", verdict->remedy);
}

/**
 * judge_disturbance() - print and record other work on the CPUs
 * @out: the output
 * @disturbance: other work on the CPUs
 */
void judge_disturbance(struct output *out,
		       const struct attribute_disturbance *disturbance)
{
	if (!disturbance->known)
		return;
	output_data_bool(out, "disturbed", disturbance->disturbed);
	output_data_double(out, "disturbed_share", disturbance->cpu.foreign);
	if (!disturbance->disturbed)
		return;
	output_data_string(out, "disturbed_by", disturbance->text);
	paragraph_print(out, "Disturbed", disturbance->text);
}
