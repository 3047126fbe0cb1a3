// SPDX-License-Identifier: GPL-2.0
/* measure: convert raw counters of snapshots to quantities. */
#include <math.h>

#include "measure.h"

static void add(struct client_counters *to, const struct client_counters *from)
{
	for (int i = 0; i < KTPUT_COUNTERS; i++)
		to->each[i] += from->each[i];
}

/**
 * measure_difference() - difference of two readings
 * @later: later reading
 * @earlier: earlier reading, NULL for all counters 0
 *
 * Return: the difference.
 */
struct client_counters
measure_difference(const struct client_counters *later,
		   const struct client_counters *earlier)
{
	struct client_counters out = *later;

	if (!earlier)
		return out;
	for (int i = 0; i < KTPUT_COUNTERS; i++)
		out.each[i] -= earlier->each[i];
	return out;
}

/**
 * measure_total() - counters of a run on all CPUs
 * @snapshot: snapshot of the run
 *
 * Return: the sum over the CPUs.
 */
struct client_counters measure_total(const struct client_snapshot *snapshot)
{
	struct client_counters total = { 0 };

	for (size_t i = 0; i < snapshot->cpu_count; i++)
		add(&total, &snapshot->cpus[i].counters);
	return total;
}

/**
 * measure_streams_total() - counters of all streams of a run
 * @snapshot: snapshot of the run
 *
 * Return: the sum over the streams.
 */
struct client_counters
measure_streams_total(const struct client_snapshot *snapshot)
{
	struct client_counters total = { 0 };

	for (size_t i = 0; i < snapshot->stream_count; i++)
		add(&total, &snapshot->streams[i].counters);
	return total;
}

/**
 * measure_find_cpu() - a CPU in a snapshot
 * @from: snapshot
 * @id: number of the CPU
 *
 * Return: the CPU, or NULL if it was not online.
 */
const struct client_cpu *measure_find_cpu(const struct client_snapshot *from,
					  uint32_t id)
{
	for (size_t i = 0; i < from->cpu_count; i++)
		if (from->cpus[i].id == id)
			return &from->cpus[i];
	return NULL;
}

/**
 * measure_cpu() - activity of a CPU between two snapshots
 * @earlier: earlier snapshot
 * @later: later snapshot
 * @id: number of the CPU
 * @cpu: filled in
 *
 * Return: false if the CPU was not online in both.
 */
bool measure_cpu(const struct client_snapshot *earlier,
		 const struct client_snapshot *later, uint32_t id,
		 struct measure_cpu *cpu)
{
	const struct client_cpu *from = measure_find_cpu(earlier, id);
	const struct client_cpu *to = measure_find_cpu(later, id);

	if (!from || !to || !from->time_ns || to->time_ns <= from->time_ns)
		return false;
	*cpu = (struct measure_cpu) {
		.id = id,
		.elapsed_ns = to->time_ns - from->time_ns,
		.cycles = to->cycles - from->cycles,
		.busy = NAN,
		.counters = measure_difference(&to->counters, &from->counters),
		.contexts = contexts_difference(&to->contexts, &from->contexts),
		.events = events_difference(&to->events, &from->events),
		.times = cpu_times_difference(&to->times, &from->times),
		.thread_ns = to->thread_ns - from->thread_ns,
		.delay_known = to->delay_known && from->delay_known,
		.delay_ns = to->delay_ns - from->delay_ns,
	};
	if (from->idle_known && to->idle_known) {
		double idle = (double)(to->idle_ns - from->idle_ns) /
			      cpu->elapsed_ns;

		/* The kernel's idle time is not read at exactly the same instant. */
		cpu->busy = fmin(fmax(1 - idle, 0), 1);
		idle = (1 - cpu->busy) * cpu->cycles;
		if (cpu->cycles)
			cpu->contradiction =
				contexts_limit_idle(&cpu->contexts, idle) /
				(double)cpu->cycles;
	}
	return true;
}

/**
 * measure_busy() - share of time that the CPUs were not idle
 * @earlier: earlier snapshot
 * @later: later snapshot
 *
 * Return: mean over the CPUs, 0 to 1; NaN if unknown.
 */
double measure_busy(const struct client_snapshot *earlier,
		    const struct client_snapshot *later)
{
	struct measure_cpu cpu;
	unsigned int count = 0;
	double busy = 0;

	for (size_t i = 0; i < later->cpu_count; i++) {
		if (!measure_cpu(earlier, later, later->cpus[i].id, &cpu))
			continue;
		busy += cpu.busy;
		count++;
	}
	return count ? busy / count : NAN;
}

/**
 * measure_window_ns() - time in which the payload of an interval was counted
 * @before: earlier snapshot; at the beginning of the run its counters are 0
 * @now: later snapshot
 *
 * Each CPU is read at a time of its own, which differs from that of the snapshot.
 *
 * Return: the mean over the CPUs, by their payload; NaN without payload.
 */
double measure_window_ns(const struct client_snapshot *before,
			 const struct client_snapshot *now)
{
	const bool at_begin = before->run.now_ns == before->run.begun_ns;
	double sum = 0, bytes = 0;

	for (size_t i = 0; i < now->cpu_count; i++) {
		const struct client_cpu *to = &now->cpus[i];
		const struct client_cpu *from = measure_find_cpu(before, to->id);
		uint64_t part, begin;

		if (!from || !from->time_ns || !to->time_ns)
			continue;
		part = to->counters.bytes - from->counters.bytes;
		begin = at_begin ? before->run.begun_ns : from->time_ns;
		if (to->time_ns <= begin)
			continue;
		sum += (double)part * (to->time_ns - begin);
		bytes += part;
	}
	return bytes > 0 ? sum / bytes : NAN;
}

/* CLOCK_MONOTONIC at the time when the counter of a CPU read @cycles. */
static double time_of(const struct client_cpu *from,
		      const struct client_cpu *to, uint64_t cycles)
{
	double ns_per_cycle = (double)(to->time_ns - from->time_ns) /
			      (to->cycles - from->cycles);

	return to->time_ns - (double)(to->cycles - cycles) * ns_per_cycle;
}

/**
 * measure_payload() - when the payload of a run was moved
 * @earlier: snapshot at the end of the warm-up, or the first one
 * @later: snapshot after the end
 * @to: filled in
 *
 * Return: false without payload.
 */
bool measure_payload(const struct client_snapshot *earlier,
		     const struct client_snapshot *later,
		     struct measure_payload *to)
{
	*to = (struct measure_payload) {
		.first_ns = INFINITY, .last_ns = -INFINITY, .begin_ns = INFINITY,
	};
	for (size_t i = 0; i < later->stream_count; i++) {
		const struct client_stream *stream = &later->streams[i];
		const struct client_cpu *before, *after;
		double time;

		before = measure_find_cpu(earlier, stream->cpu);
		after = measure_find_cpu(later, stream->cpu);
		if (!stream->last_cycles || !before || !after ||
		    !before->time_ns || after->cycles <= before->cycles)
			continue;
		to->first_ns = fmin(to->first_ns,
				    time_of(before, after, stream->first_cycles));
		time = time_of(before, after, stream->last_cycles);
		if (time <= to->last_ns)
			continue;
		to->last_ns = time;
		to->begin_ns = before->time_ns;
	}
	return isfinite(to->first_ns);
}

/**
 * measure_span() - time that a run took for its payload
 * @earlier: snapshot at the end of the warm-up, or the first one
 * @later: snapshot after the end
 * @warmed_up: the span begins with @earlier
 * @ns: nanoseconds
 *
 * Return: false without payload in the span.
 */
bool measure_span(const struct client_snapshot *earlier,
		  const struct client_snapshot *later, bool warmed_up,
		  uint64_t *ns)
{
	struct measure_payload payload;
	double begin;

	if (!measure_payload(earlier, later, &payload))
		return false;
	begin = warmed_up ? payload.begin_ns : payload.first_ns;
	if (!(payload.last_ns > begin))
		return false;
	*ns = llround(payload.last_ns - begin);
	return *ns > 0;
}

/**
 * measure_acknowledged() - payload of a TCP stream that its peer has acknowledged
 * @stream: stream of a source
 *
 * TCP counts SYN and FIN too.
 *
 * Return: bytes.
 */
uint64_t measure_acknowledged(const struct client_stream *stream)
{
	const uint64_t acked = stream->tcp.bytes_acked;

	if (!acked)
		return 0;
	return acked - 1 < stream->counters.bytes ? acked - 1 :
						    stream->counters.bytes;
}

/**
 * measure_acknowledged_total() - likewise of all streams of a source
 * @snapshot: snapshot of the source
 *
 * Return: bytes.
 */
uint64_t measure_acknowledged_total(const struct client_snapshot *snapshot)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->stream_count; i++)
		sum += measure_acknowledged(&snapshot->streams[i]);
	return sum;
}

/**
 * measure_undrained() - whether a TCP stream ended before all was acknowledged
 * @stream: stream of a source that has ended
 *
 * TCP's state then is one in which the peer has not acknowledged the FIN. The state
 * is unknown (0) in records of earlier versions.
 *
 * Return: true if it did.
 */
bool measure_undrained(const struct client_stream *stream)
{
	switch (stream->tcp.state) {
	case TCPINFO_ESTABLISHED:
	case TCPINFO_FIN_WAIT1:
	case TCPINFO_CLOSE_WAIT:
	case TCPINFO_LAST_ACK:
	case TCPINFO_CLOSING:
		return stream->counters.bytes;
	default:
		return false;
	}
}

static const struct client_stream *
find_stream(const struct client_snapshot *from, size_t guess, uint32_t id)
{
	if (guess < from->stream_count && from->streams[guess].id == id)
		return &from->streams[guess];
	for (size_t i = 0; i < from->stream_count; i++)
		if (from->streams[i].id == id)
			return &from->streams[i];
	return NULL;
}

/**
 * measure_tcp() - TCP statistics of the streams of a run
 * @earlier: earlier snapshot, NULL for the beginning of the connections
 * @later: later snapshot
 * @tcp: filled in
 */
void measure_tcp(const struct client_snapshot *earlier,
		 const struct client_snapshot *later, struct measure_tcp *tcp)
{
	*tcp = (struct measure_tcp) { .rtt_min_us = UINT32_MAX };
	for (size_t i = 0; i < later->stream_count; i++) {
		const struct client_stream *to = &later->streams[i];
		const struct client_stream *from;

		from = earlier ? find_stream(earlier, i, to->id) : NULL;
		tcp->retransmissions += to->tcp.retransmissions;
		if (from)
			tcp->retransmissions -= from->tcp.retransmissions;
		tcp->rtt_us += to->tcp.rtt_us;
		if (to->tcp.rtt_min_us < tcp->rtt_min_us)
			tcp->rtt_min_us = to->tcp.rtt_min_us;
		tcp->copied += to->copied;
	}
	if (later->stream_count)
		tcp->rtt_us /= later->stream_count;
	else
		tcp->rtt_min_us = 0;
}

/* Only the end of the run keeps such a source from sending more. */
static bool goes_on(const struct client_run *run)
{
	return run->reason != KTPUT_REASON_BYTES &&
	       run->reason != KTPUT_REASON_MESSAGES;
}

static bool any_undrained(const struct client_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->stream_count; i++)
		if (measure_undrained(&snapshot->streams[i]))
			return true;
	return false;
}

static double begin_of(const struct span_facts *facts,
		       const struct measure_payload *payload)
{
	return facts->warmed_up ? payload->begin_ns : payload->first_ns;
}

static double source_ns(const struct span_facts *facts)
{
	const struct client_snapshot *last = facts->source.last;
	const double ended = last->run.ended_ns;
	struct measure_payload payload;
	double end;

	if (!measure_payload(facts->source.begin, last, &payload))
		return 0;
	if (facts->udp) {
		end = payload.last_ns;
		/* The next datagram is due a gap after the last. */
		if (goes_on(&last->run))
			end = fmax(end, ended - facts->gap_ns);
	} else if (facts->sink.begin) {
		end = ended;
	} else {
		end = fmax(any_undrained(last) ? facts->acknowledged_ns :
						 payload.last_ns, ended);
	}
	return end - begin_of(facts, &payload);
}

static double sink_ns(const struct span_facts *facts)
{
	const struct client_run *run = &facts->sink.last->run;
	struct measure_payload payload;
	double begin, end;

	if (!measure_payload(facts->sink.begin, facts->sink.last, &payload))
		return 0;
	begin = begin_of(facts, &payload);
	end = payload.last_ns;
	if (facts->source.begin)
		return end - begin;
	if (facts->timed && !facts->warmed_up)
		begin = fmin(begin, run->begun_ns);
	if (goes_on(run))
		end = fmax(end, run->ended_ns);
	return end - begin;
}

/**
 * span_compute() - the time that the goodput of a run is over
 * @facts: its ends
 * @ns: nanoseconds
 *
 * Return: false if there is none, without payload.
 */
bool span_compute(const struct span_facts *facts, uint64_t *ns)
{
	double span = 0;

	if (facts->source.begin)
		span = source_ns(facts);
	if (facts->sink.begin)
		span = fmax(span, sink_ns(facts));
	if (!(span >= 1))
		return false;
	*ns = llround(span);
	return true;
}
