// SPDX-License-Identifier: GPL-2.0
/*
 * answer: print the result of a session on a dozen lines.
 *
 * The lines are goodput, anomalies, CPU use of each end, the binding limit and a
 * remedy. A figure that does not apply or is unknown has no line. The other reports
 * print the rest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/output.h"
#include "../module/names.h"
#include "answer.h"
#include "datagram_report.h"
#include "report.h"

/* Print the reason if the run was stopped early: the result is partial. */
static void print_end(const struct answer *answer)
{
	const struct session *session = answer->session;
	const struct client_run *run = session->source.present ?
				       &session->source.last.run :
				       &session->sink.last.run;

	if (run->reason == KTPUT_REASON_STOPPED)
		output_text(session->out, "Ended            %s\n",
			    names_reason_text(run->reason));
}

static void print_goodput(const struct answer *answer)
{
	struct output *out = answer->session->out;

	if (answer->goodput_bps)
		output_text(out, "Goodput          %s, %" PRIu64
			    " bytes in %.6f s%s\n",
			    units_show_bitrate(answer->goodput_bps).text,
			    answer->bytes, answer->span_ns / 1e9,
			    answer->session->sink.present ? "" :
			    payload_acknowledged(answer->session) ?
			    ", acknowledged" : ", as sent");
	else if (answer->session->udp && answer->packets)
		output_text(out, "Goodput          -, %" PRIu64 " bytes\n",
			    answer->bytes);
}

static void print_packets(const struct answer *answer)
{
	struct output *out = answer->session->out;

	if (!answer->session->udp || !answer->packets)
		return;
	output_text(out, "Packets          ");
	if (answer->span_ns)
		output_text(out, "%s/s, ",
			    units_show_count((double)answer->packets *
					     UNITS_NSEC_PER_SEC /
					     answer->span_ns).text);
	output_text(out, "%" PRIu64 " datagram%s\n", answer->packets,
		    answer->packets > 1 ? "s" : "");
}

/* Print the place of the loss too, unless the verdict names it. */
static void print_loss(const struct answer *answer)
{
	const struct losses *losses = &answer->losses;
	char text[240];
	int length;

	if (losses->most == LOSS_PLACES)
		return;
	length = snprintf(text, sizeof(text), "%" PRIu64 " datagrams (%.4g%%)",
			  answer->arrivals.lost, losses->share * 100);
	if (answer->verdict.kind != VERDICT_LOSS)
		snprintf(text + length, sizeof(text) - length, ", most by %s",
			 loss_where(losses->most));
	paragraph_print(answer->session->out, "Lost", text);
}

/* Whoever asked for the reasons gets them. */
static void print_reasons(const struct answer *answer)
{
	if (answer->session->sink.present)
		datagram_report_reasons(answer->session, answer->arrivals.lost);
}

#define COPIED	"Zero copy        no: the kernel copied the pages of %" PRIu64 \
		" stream%s\n"

/**
 * answer_copied() - print and record whether the pages of a source were copied
 * @out: the output
 * @copied: number of streams whose pages were
 */
void answer_copied(struct output *out, uint64_t copied)
{
	output_u64(out, "copied_streams", copied,
		   copied ? COPIED : "Zero copy        yes\n", copied,
		   copied > 1 ? "s" : "");
}

/**
 * answer_lacks_descriptors() - why a sink turned connections away
 * @session: session of a sink that did
 *
 * Return: true if it had places left, but no descriptors.
 */
bool answer_lacks_descriptors(const struct session *session)
{
	return config_user(&session->sink.config) &&
	       session->sink.last.run.streams <
	       session->sink.config.number[KTPUT_A_CONFIG_STREAMS];
}

/**
 * answer_refused() - print how many connections a sink has turned away
 * @session: session that has ended
 */
void answer_refused(const struct session *session)
{
	const struct client_run *run = &session->sink.last.run;

	if (!session->sink.present || !run->refused)
		return;
	output_text(session->out, "Refused          %" PRIu64 " connection%s: %s\n",
		    run->refused, run->refused > 1 ? "s" : "",
		    answer_lacks_descriptors(session) ?
		    "no descriptor was left (ulimit -n)" :
		    "all places were taken (streams)");
}

/* Counts that have a line only if they are not 0. */
static void print_counts(const struct answer *answer)
{
	const struct arrivals *arrivals = &answer->arrivals;
	const struct {
		uint64_t count;
		const char *format;
	} lines[] = {
		{ answer->tcp.retransmissions,
		  "Retransmissions  %" PRIu64 " segment%s\n" },
		{ arrivals->refusals,
		  "Refused          %" PRIu64
		  " time%s: nobody receives there\n" },
		{ answer->tcp.copied + arrivals->copied, COPIED },
	};

	for (size_t i = 0; i < COUNT(lines); i++)
		if (lines[i].count)
			output_text(answer->session->out, lines[i].format,
				    lines[i].count,
				    lines[i].count > 1 ? "s" : "");
}

/**
 * answer_not_sent() - print that the network made calls of a source fail
 * @out: the output
 * @failures: number of calls; nothing is printed for 0
 * @latest: errno, positive, of the latest
 */
void answer_not_sent(struct output *out, uint64_t failures, int latest)
{
	char text[160];

	if (!failures)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " call%s failed, and the source went on; the latest: %s",
		 failures, failures > 1 ? "s" : "", strerror(latest));
	paragraph_print(out, "Not sent", text);
}

static void print_verdict(const struct answer *answer)
{
	const struct verdict *verdict = &answer->verdict;
	struct output *out = answer->session->out;
	char text[sizeof(verdict->text) + 32], remedy[REMEDY_TEXT];

	if (!verdict->text[0])
		return;
	if (verdict->kind == VERDICT_NONE || verdict->sure == VERDICT_HIGH)
		snprintf(text, sizeof(text), "%s", verdict->text);
	else
		snprintf(text, sizeof(text), "%s (confidence: %s)", verdict->text,
			 verdict_sure(verdict->sure));
	paragraph_print(out, "Bottleneck", text);
	if (verdict->remedies)
		paragraph_print(out, "Try",
				remedy_text(verdict->remedies, remedy,
					    sizeof(remedy)));
	else if (answer->streams.text[0])
		paragraph_print(out, "TCP", answer->streams.text);
}

/**
 * answer_print() - print the result of a session
 * @answer: the figures
 */
void answer_print(const struct answer *answer)
{
	const struct session *session = answer->session;

	print_end(answer);
	print_goodput(answer);
	payload_print_unsent(session);
	print_packets(answer);
	print_loss(answer);
	print_reasons(answer);
	print_counts(answer);
	answer_refused(session);
	answer_not_sent(session->out, answer->arrivals.failures,
			answer->arrivals.failure);
	if (answer->goodput_bps) {
		cpu_line_print(session, &session->source);
		cpu_line_print(session, &session->sink);
	}
	if (answer->disturbance.disturbed)
		paragraph_print(session->out, "Disturbed",
				answer->disturbance.text);
	print_verdict(answer);
}
