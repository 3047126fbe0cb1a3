// SPDX-License-Identifier: GPL-2.0
/* span: the time that a goodput is over. */
#include <math.h>

#include "span.h"

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
