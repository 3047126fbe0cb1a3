/* SPDX-License-Identifier: GPL-2.0 */
/*
 * answer: print the result of a session on a dozen lines.
 */
#ifndef KTPUT_CTL_ANSWER_H
#define KTPUT_CTL_ANSWER_H

#include "../analysis/arrivals.h"
#include "../analysis/loss.h"
#include "../analysis/measure.h"
#include "../analysis/verdict.h"
#include "../run/session.h"
#include "attribute.h"
#include "ceilings.h"
#include "tcp_report.h"

/**
 * struct answer - figures computed by other modules
 * @session: session that has ended
 * @goodput_bps: the result, 0 if there is none
 * @bytes: payload in the span
 * @packets: datagrams in the span, or messages of TCP if they are counted
 * @messages: messages of the source in the span
 * @span_ns: measured time
 * @tcp: TCP counters of the streams of a source
 * @arrivals: arrival counts of the datagrams of a UDP session
 * @losses: likewise, the places where datagrams were lost
 * @verdict: the binding limit
 * @disturbance: other work on the CPUs
 * @streams: what limited the TCP streams
 */
struct answer {
	const struct session *session;
	double goodput_bps;
	uint64_t bytes;
	uint64_t packets;
	uint64_t messages;
	uint64_t span_ns;
	struct measure_tcp tcp;
	struct arrivals arrivals;
	struct losses losses;
	struct verdict verdict;
	struct attribute_disturbance disturbance;
	struct tcp_report_verdict streams;
};

bool answer_lacks_descriptors(const struct session *session);
void answer_refused(const struct session *session);
void answer_not_sent(struct output *out, uint64_t failures, int latest);
void answer_copied(struct output *out, uint64_t copied);
void answer_print(const struct answer *answer);

#endif
