// SPDX-License-Identifier: GPL-2.0
/* attribute: attribute the cycles of a session's CPUs to their users. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "../analysis/measure.h"
#include "../run/run_options.h"
#include "attribute.h"
#include "report.h"

/* The earlier snapshots of both ends, valid if the end is present. */
struct earlier {
	const struct client_snapshot *source;
	const struct client_snapshot *sink;
};

/* Maximum error in ticks: one at either end of the time. */
#define TICKS_WRONG	2
/* Payload of a fragment of a datagram: an MTU of 1280 bytes, less headers. */
#define FRAME_MIN	1200
/* Share of the run's softirqs from which a CPU is one of the run's. */
#define SOFTIRQ_PART	0.05
/* Devices of this machine that receive a packet on its way: a router is two. */
#define DEVICES_MAX	4

/*
 * CPU time of an end. If contexts are not counted, only the time of the module's
 * calls is known.
 */
static uint64_t thread_ns(const struct session_end *end,
			  const struct measure_cpu *cpu, bool contexts)
{
	if (backend_of(&end->config) != &backend_module)
		return cpu->thread_ns;
	if (contexts || !cpu->cycles)
		return 0;
	return (double)cpu->counters.call_cycles * cpu->elapsed_ns /
	       cpu->cycles;
}

/*
 * A call or a full frame is a packet at least, and is answered at most once. A packet
 * is received again by each device on its way through this machine.
 */
static double own_packets_max(const struct session *session,
			      const struct client_snapshot *before)
{
	const struct session_end *source = &session->source;
	/* Of many streams an interval has none. */
	const struct client_snapshot *streams = source->last.stream_count ?
						&source->last : &source->begin;
	struct client_counters from, to;
	double frame = FRAME_MIN;

	if (!source->present || !streams->stream_count)
		return 0;
	from = measure_total(before);
	to = measure_total(&source->last);
	to = measure_difference(&to, &from);
	if (!session->udp && streams->streams[0].tcp.send_mss_bytes)
		frame = streams->streams[0].tcp.send_mss_bytes;
	return 2.0 * DEVICES_MAX *
	       (to.bytes / frame + fmax(to.calls, to.messages));
}

/* Readings of an end on a CPU; false if it made no calls there. */
static bool served(const struct session_end *end,
		   const struct session_end *read,
		   const struct client_snapshot *before, uint32_t id,
		   struct measure_cpu *cpu)
{
	return end->present && end->host == read->host &&
	       measure_cpu(before, &end->last, id, cpu) &&
	       (cpu->counters.calls || cpu->counters.bytes);
}

/* What became of the time of a thread of the run, as far as it is known. */
static void take_delay(const struct measure_cpu *cpu, struct attribute_cpu *to)
{
	double delayed, asleep;

	if (!cpu->delay_known || !cpu->elapsed_ns)
		return;
	delayed = fmin((double)cpu->delay_ns / cpu->elapsed_ns, 1);
	asleep = fmax(1 - delayed - (double)cpu->thread_ns / cpu->elapsed_ns, 0);
	to->delayed = fmax(to->delayed, delayed);
	to->asleep = fmin(to->asleep, asleep);
}

static bool attribute(const struct session *session,
		      const struct session_end *read,
		      const struct earlier *earlier, uint32_t id,
		      struct attribute_cpu *to)
{
	struct attribution_facts facts = { 0 };
	const struct reference *others = session_reference(session, read);
	struct measure_cpu cpu, source = { 0 }, sink = { 0 };
	uint64_t delay_ns;
	bool contexts;

	if (!read->present ||
	    !measure_cpu(read == &session->source ? earlier->source :
						    earlier->sink,
			 &read->last, id, &cpu))
		return false;
	/* Where an external program runs is known if it may use one CPU alone. */
	if (session->engine && !cpu.delay_known)
		return false;
	*to = (struct attribute_cpu) {
		.read = read, .id = id, .elapsed_ns = cpu.elapsed_ns,
		.delayed = NAN, .softirq_delayed = NAN, .asleep = NAN,
	};
	if (served(&session->source, read, earlier->source, id, &source))
		to->ends |= RUN_END_SOURCE;
	if (served(&session->sink, read, earlier->sink, id, &sink))
		to->ends |= RUN_END_SINK;
	if (reference_delay_ns(others, id, &delay_ns))
		to->softirq_delayed = fmin((double)delay_ns / cpu.elapsed_ns, 1);
	take_delay(&source, to);
	take_delay(&sink, to);
	contexts = contexts_known(&cpu.contexts);
	facts = (struct attribution_facts) {
		.cpu = &cpu,
		.source_ns = thread_ns(&session->source, &source, contexts),
		.sink_ns = thread_ns(&session->sink, &sink, contexts),
		.calls = to->ends,
		.others_per_s = reference_packets_per_s(others, id),
		.own_packets_max = own_packets_max(session, earlier->source),
	};
	if (backend_of(&session->sink.config) == &backend_xdp)
		facts.packets = sink.counters.messages;
	attribution_compute(&facts, &to->cycles);
	if (!to->cycles.known || !to->cycles.total)
		return false;
	to->own = (double)attribution_own(&to->cycles) / to->cycles.total;
	to->foreign = (double)attribution_foreign(&to->cycles) /
		      to->cycles.total;
	return true;
}

/**
 * attribute_cpu() - attribute the cycles of a CPU
 * @session: session that has ended
 * @read: the end that reads the CPUs of the host, of cpu_table_reader()
 * @id: number of the CPU
 * @to: filled in
 *
 * Return: false if unknown.
 */
bool attribute_cpu(const struct session *session,
		   const struct session_end *read, uint32_t id,
		   struct attribute_cpu *to)
{
	const struct earlier earlier = {
		&session->source.begin, &session->sink.begin,
	};

	return attribute(session, read, &earlier, id, to);
}

/* The next CPU of any host of the session; false after the last. */
static bool next_cpu(const struct session *session, struct attribute_each *each)
{
	each->read = cpu_table_reader(session, each->reader);
	while (each->read && each->cpu >= each->read->last.cpu_count) {
		each->cpu = 0;
		each->read = cpu_table_reader(session, ++each->reader);
	}
	if (!each->read)
		return false;
	each->id = each->read->last.cpus[each->cpu++].id;
	return true;
}

/**
 * attribute_next() - attribute the cycles of the next CPU whose use is known
 * @session: session that has ended
 * @each: zeroed before the first call
 * @to: filled in
 *
 * Return: false after the last CPU of all hosts.
 */
bool attribute_next(const struct session *session, struct attribute_each *each,
		    struct attribute_cpu *to)
{
	while (next_cpu(session, each))
		if (attribute_cpu(session, each->read, each->id, to))
			return true;
	return false;
}

/**
 * attribute_interval() - what the run itself used in an interval
 * @session: session, with the later snapshots
 * @source_before: earlier snapshot of the source, not valid without a source
 * @sink_before: earlier snapshot of the sink, likewise
 * @window_ns: time in which the payload of the interval was counted. The cycles are
 *	those of as much time: CPUs are read a little sooner or later.
 * @to: filled in
 */
void attribute_interval(const struct session *session,
			const struct client_snapshot *source_before,
			const struct client_snapshot *sink_before,
			double window_ns, struct attribute_span *to)
{
	const struct earlier earlier = { source_before, sink_before };
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;

	*to = (struct attribute_span) { NAN, NAN };
	while (next_cpu(session, &each)) {
		if (!attribute(session, each.read, &earlier, each.id, &cpu))
			continue;
		to->own_share = fmax(to->own_share, cpu.own);
		to->own_cycles = attribution_own(&cpu.cycles) * window_ns /
				 cpu.elapsed_ns +
				 (isnan(to->own_cycles) ? 0 : to->own_cycles);
	}
}

/**
 * attribute_busiest() - find the CPU that the run itself used most
 * @session: session that has ended
 * @to: filled in
 *
 * Return: false if it is unknown for every CPU.
 */
bool attribute_busiest(const struct session *session, struct attribute_cpu *to)
{
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;
	bool found = false;

	while (attribute_next(session, &each, &cpu)) {
		if (found && cpu.own <= to->own)
			continue;
		*to = cpu;
		found = true;
	}
	return found && to->own > 0;
}

/**
 * attribute_own_share() - share of a CPU that the run itself used
 * @session: session that has ended
 * @end: an end on the host of the CPU
 * @id: number of the CPU
 *
 * Return: 0 to 1, NaN if unknown.
 */
double attribute_own_share(const struct session *session,
			   const struct session_end *end, uint32_t id)
{
	struct attribute_cpu cpu;

	return attribute_cpu(session, cpu_table_of(session, end), id, &cpu) ?
	       cpu.own : NAN;
}

/* The host of a CPU, as text after its number; empty if one host has both ends. */
static const char *where(const struct session *session,
			 const struct attribute_cpu *cpu)
{
	if (!session_two_hosts(session))
		return "";
	return cpu->read == &session->source ? " of the source's host" :
					       " of the sink's host";
}

static void say(const struct session *session, const struct attribute_cpu *cpu,
		char *text, size_t size)
{
	const uint64_t *cycles = cpu->cycles.cycles;
	const struct reference *reference = session_reference(session, cpu->read);
	const double foreign_ns = cpu->foreign * cpu->elapsed_ns;
	int most = ATTRIBUTION_OTHER_SOFTIRQ;
	const struct task *task;
	char name[48];

	for (int i = most + 1; i <= ATTRIBUTION_STEAL; i++)
		if (cycles[i] > cycles[most])
			most = i;
	/* Name what explains most of it, and nobody else. */
	task = reference_longest(reference, cpu->id);
	if (reference_program_ns(reference, cpu->id) > foreign_ns / 2)
		snprintf(name, sizeof(name),
			 "ktput's own overhead (readings and lines)");
	else if (most == ATTRIBUTION_OTHER_TASKS && task &&
		 tasks_ns(task) > foreign_ns / 2)
		snprintf(name, sizeof(name), "%s (%d)", task->name, task->pid);
	else
		snprintf(name, sizeof(name), "%s", attribution_name(most));
	snprintf(text, size, "other work used %.1f%% of CPU %" PRIu32
		 "%s, mostly %s", cpu->foreign * 100, cpu->id,
		 where(session, cpu), name);
}

/* Allow for the error of ticks, which is large in a short time. */
static bool is_above(const struct attribute_cpu *cpu, double allowed)
{
	const double tick_ns = 1e9 / sysconf(_SC_CLK_TCK);

	if (cpu->cycles.ticks)
		allowed += TICKS_WRONG * tick_ns / cpu->elapsed_ns;
	return cpu->foreign > allowed;
}

/* Cycles of all CPUs in softirqs of the run. */
static double own_softirqs(const struct session *session)
{
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;
	double sum = 0;

	while (attribute_next(session, &each, &cpu))
		sum += cpu.cycles.cycles[ATTRIBUTION_OWN_SOFTIRQ];
	return sum;
}

/*
 * Whether a CPU works for the run: it makes its calls, or receives a part of its packets,
 * as with RPS or several queues. A packet now and then is no part.
 */
static bool works(const struct attribute_cpu *cpu, double softirqs)
{
	return cpu->ends || cpu->cycles.cycles[ATTRIBUTION_OWN_SOFTIRQ] >
			    SOFTIRQ_PART * softirqs;
}

/**
 * attribute_disturbance() - find other work on the CPUs of a run
 * @session: session that has ended
 * @to: filled in
 */
void attribute_disturbance(const struct session *session,
			   struct attribute_disturbance *to)
{
	const double softirqs = own_softirqs(session);
	struct attribute_each each = { 0 };
	struct attribute_cpu cpu;

	*to = (struct attribute_disturbance) { 0 };
	while (attribute_next(session, &each, &cpu)) {
		if (!works(&cpu, softirqs) ||
		    (to->known && cpu.foreign <= to->cpu.foreign))
			continue;
		to->known = true;
		to->cpu = cpu;
	}
	if (!to->known || !is_above(&to->cpu, session->disturbed_above))
		return;
	to->disturbed = true;
	say(session, &to->cpu, to->text, sizeof(to->text));
}

/**
 * attribute_disturbed() - whether other work took part of the CPUs of a run
 * @session: session that has ended
 *
 * Return: true if its result is marked as disturbed.
 */
bool attribute_disturbed(const struct session *session)
{
	struct attribute_disturbance disturbance;

	attribute_disturbance(session, &disturbance);
	return disturbance.disturbed;
}

/**
 * attribute_record() - record the attribution of a CPU's cycles
 * @out: the output
 * @of: the attribution; nothing is recorded if it is unknown
 */
void attribute_record(struct output *out, const struct attribution *of)
{
	if (!of->known)
		return;
	output_object_begin(out, "attribution");
	for (int i = 0; i < ATTRIBUTION_PARTS; i++)
		output_data_u64(out, attribution_key(i), of->cycles[i]);
	output_data_u64(out, "uncertain_cycles", of->uncertain);
	output_object_end(out);
}
