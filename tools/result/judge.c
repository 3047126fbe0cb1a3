// SPDX-License-Identifier: GPL-2.0
/* judge: determine what limited a session. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../analysis/measure.h"
#include "../analysis/trip_verdict.h"
#include "../base/output.h"
#include "../host/throttle.h"
#include "../run/run_options.h"
#include "datagram_report.h"
#include "judge.h"
#include "report.h"

/* Of Ethernet, IPv6 and TCP with its timestamps: the most that is usual. */
#define HEADERS_BYTES	86

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

static struct verdict_cpu take_cpu(const struct attribute_cpu *cpu)
{
	return (struct verdict_cpu) {
		.known = true, .id = cpu->id,
		.shared = cpu->ends == (RUN_END_SOURCE | RUN_END_SINK),
		.own = cpu->own, .foreign = cpu->foreign, .delayed = cpu->delayed,
		.asleep = cpu->asleep,
		.work = most_of(&cpu->cycles, ATTRIBUTION_SOURCE,
				ATTRIBUTION_OWN_SOFTIRQ),
		.others = most_of(&cpu->cycles, ATTRIBUTION_OTHER_SOFTIRQ,
				  ATTRIBUTION_STEAL),
	};
}

/* The CPU that has more to do for the run: that its thread sleeps less on, if known. */
static bool is_busier(const struct verdict_cpu *cpu,
		      const struct verdict_cpu *than)
{
	if (!than->known || isnan(cpu->asleep) || isnan(than->asleep))
		return !than->known || cpu->own > than->own;
	return cpu->asleep < than->asleep;
}

static void find_cpus(const struct session *session,
		      struct verdict_facts *facts)
{
	const struct session_end *source = NULL, *softirq_at = NULL;
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;
	uint64_t most = 0;

	while (attribute_next(session, &each, &cpu)) {
		const struct verdict_cpu taken = take_cpu(&cpu);
		const uint64_t softirq =
			cpu.cycles.cycles[ATTRIBUTION_OWN_SOFTIRQ];

		if (cpu.ends & RUN_END_SOURCE &&
		    is_busier(&taken, &facts->source)) {
			facts->source = taken;
			source = cpu.read;
		}
		if (cpu.ends & RUN_END_SINK && is_busier(&taken, &facts->sink))
			facts->sink = taken;
		if (softirq <= most)
			continue;
		most = softirq;
		facts->softirq = taken;
		softirq_at = cpu.read;
		/* Of its softirqs, and not of a thread of the run beside them. */
		facts->softirq.delayed = cpu.softirq_delayed;
		facts->softirq.asleep = NAN;
	}
	/* Numbers of CPUs are those of a host. */
	facts->softirq_apart = softirq_at != source ||
			       facts->softirq.id != facts->source.id;
}

/* Find where the retransmitted segments were lost, by the counters of the ends. */
static enum loss_place find_resent(const struct session *session,
				   uint64_t resent)
{
	struct arrivals_terms terms;

	datagram_report_terms(session, &terms);
	return loss_of_segments(&terms, resent);
}

static uint64_t segments(const struct session_end *end, bool in)
{
	uint64_t sum = 0;

	for (size_t i = 0; end->present && i < end->last.stream_count; i++)
		sum += in ? end->last.streams[i].tcp.segments_in :
			    end->last.streams[i].tcp.segments_out;
	return sum;
}

/*
 * Of segments that were sent again those that can have been lost: TCP sends again in vain
 * too. What has left one end and has not come to the other is lost, or was under way at the
 * end. A socket counts a segment before it finds a wrong checksum.
 */
static double lost_of(const struct session *session, double resent)
{
	const struct protocols dropped =
		protocols_difference(&session->sink.protocols_last,
				     &session->sink.protocols_begin);
	const uint64_t sent = segments(&session->source, false);
	const uint64_t taken = segments(&session->sink, true);
	const double missing = (double)sent - taken + dropped.tcp_checksum_errors;

	return sent && taken ? fmin(resent, fmax(missing, 0)) : resent;
}

/*
 * Share of what the source's device sent that was not the run's. A driver counts less than
 * this allows for headers, where it segments packets itself.
 */
static double others_sent(const struct session *session)
{
	const struct device_counters device =
		datagram_report_device(&session->source);
	const struct client_counters all = measure_total(&session->source.last);
	const struct client_snapshot *last = &session->source.last;
	double bytes = 0, packets = 0;

	if (!device.known || device.loopback || !device.sent_bytes ||
	    !session->source.device_certain || session->engine ||
	    last->run.mptcp)
		return 0;
	for (size_t i = 0; !session->udp && i < last->stream_count; i++) {
		bytes += last->streams[i].tcp.bytes_sent;
		packets += last->streams[i].tcp.segments_out;
	}
	if (session->udp) {
		bytes = all.bytes;
		packets = all.messages;
	}
	return fmax(1 - (bytes + packets * HEADERS_BYTES) / device.sent_bytes, 0);
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
		.tcp = streams->known,
		.busy_share = streams->busy_share,
		.window_waits = streams->window_waits,
		.send_buffer_waits = streams->send_buffer_waits,
		.window_used = streams->window_used,
		.window_bytes = streams->window_bytes,
		.congestion_share = streams->congestion_share,
		.rtt_us = streams->rtt_us,
		.rtt_min_us = streams->rtt_min_us,
		.resent_share = streams->resent_share,
		.loss_used = streams->loss_used,
		.marked_share = streams->marked_share,
		.backlog_share = backlog_share(&session->source.backlog),
		.holds_rate = session->source.backlog.holds_rate,
		.driver_share = driver_queue_share(&session->source.driver_queue),
		.others_sent = others_sent(session),
		.nothing_between = session->nothing_between,
		.filtered = session->sink.device_last.filtered,
		.rcvbuf = config_has(&session->sink.config,
				     KTPUT_A_CONFIG_RCVBUF),
		.sndbuf = config_has(&session->source.config,
				     KTPUT_A_CONFIG_SNDBUF),
		.quota_share = quota_share(session),
		.disturbed = disturbance->disturbed,
	};

	*verdict = (struct verdict) { .place = LOSS_PLACES };
	/* A sink alone has no ceilings: these are of the source and its route. */
	if (!ceilings->count && session->source.present)
		return;
	facts.resent = lost_of(session, streams->resent);
	facts.resent_share *= streams->resent > 0 ?
			      facts.resent / streams->resent : 0;
	facts.resent_at = find_resent(session, facts.resent);
	find_cpus(session, &facts);
	verdict_find(&facts, verdict);
	if (verdict->kind == VERDICT_NONE && !session->source.present &&
	    facts.sink.known)
		snprintf(verdict->text, sizeof(verdict->text),
			 "none at the sink: the run had %.1f%% of its CPU %" PRIu32
			 ", so that the source or the path limits",
			 facts.sink.own * 100, facts.sink.id);
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
	uint64_t segments = 0, duplicates = 0;
	struct measure_tcp tcp;

	facts->way_ns = NAN;
	if (session->udp || !tcp_report_known(session))
		return;
	/* There is no warm-up. */
	measure_tcp(NULL, last, &tcp);
	for (size_t i = 0; i < last->stream_count; i++) {
		segments += last->streams[i].tcp.segments_out;
		duplicates += last->streams[i].tcp.duplicates;
	}
	if (segments && tcp.retransmissions > duplicates) {
		facts->resent = tcp.retransmissions - duplicates;
		facts->resent_share = (double)facts->resent / segments;
	}
	if (tcp.rtt_min_us && tcp.rtt_min_us != UINT32_MAX)
		facts->way_ns = tcp.rtt_min_us * 1e3;
}

/* Where the slowest 1% were, if stages were asked for. */
static void add_slowest(const struct session *session, struct trip_facts *facts)
{
	const struct stages_result *stages = &session->stages.result;
	const enum stages_place worst =
		stages_worst(stages, STAGES_PERCENT, &facts->slowest_share);

	if (worst == STAGES_HANDED)
		return;
	facts->slowest_stage = stages_key(worst);
	facts->slowest_where = stages_help(worst);
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
	find_cpus(session, &cpus);
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
		.least_ns = latency->least_ns,
		.source = cpus.source,
		.sink = cpus.sink,
		.disturbed = disturbance->disturbed,
	};
	add_tcp(session, &facts);
	add_slowest(session, &facts);
	trip_verdict(&facts, verdict);
}

static void print_share(struct output *out, const char *key, double share)
{
	if (isfinite(share))
		output_double(out, key, fmin(share, 1), "%.0f%%",
			      fmin(share, 1) * 100);
	else
		output_null(out, key, "-");
}

/* The places that payload passed, and what is known of each. */
static void print_chain(struct output *out, const struct verdict *verdict)
{
	static const struct output_column columns[] = {
		{ .title = "Place", .left = true }, { .title = "queue stood" },
		{ .title = "server busy" }, { .title = "drops" },
		{ .title = "", .left = true },
	};
	const struct chain *chain = &verdict->chain;

	output_text(out, "\n");
	output_table_begin(out, "chain", columns,
			   COUNT(columns), false);
	for (int i = 0; i < CHAIN_PLACES; i++) {
		const struct chain_link *link = &chain->link[i];
		const bool here = i == (int)verdict->found.place &&
				  verdict->kind != VERDICT_NONE;

		output_row_begin(out);
		output_string(out, "place", chain_key(i), "%s", chain_title(i));
		output_data_string(out, "title", chain_title(i));
		print_share(out, "queue_share", link->queue);
		print_share(out, "busy_share", link->busy);
		output_u64(out, "drops", link->drops, "%" PRIu64, link->drops);
		output_bool(out, "bottleneck", here, here ? "<" : "");
		output_row_end(out);
	}
	output_table_end(out);
	output_text(out, "\n");
}

/* What may help, for readers and for programs. */
static void print_remedies(struct output *out, const struct remedy *remedies)
{
	char text[REMEDY_TEXT];

	remedy_text(remedies, text, sizeof(text));
	output_data_string(out, "try", text);
	paragraph_print(out, "Try", text);
	output_array_begin(out, "remedies");
	for (const struct remedy *one = remedies; one->what; one++) {
		output_object_begin(out, NULL);
		output_data_string(out, "what", one->what);
		output_data_string(out, "end", remedy_end(one->end));
		if (one->apply)
			output_data_string(out, "apply", one->apply);
		output_object_end(out);
	}
	output_array_end(out);
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
	if (verdict->chained)
		print_chain(out, verdict);
	output_data_string(out, "binding", verdict->name);
	output_data_string(out, "binding_because", verdict->text);
	if (verdict->place != LOSS_PLACES)
		output_data_string(out, "binding_where",
				   loss_key(verdict->place));
	if (verdict->kind != VERDICT_NONE)
		output_data_string(out, "sure", verdict_sure(verdict->sure));
	if (verdict->chained && verdict->found.also != CHAIN_PLACES &&
	    verdict->kind != VERDICT_NONE)
		output_data_string(out, "evidence_too",
				   chain_title(verdict->found.also));
	paragraph_print(out, "Bottleneck", verdict->text);
	if (verdict->remedies)
		print_remedies(out, verdict->remedies);
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
