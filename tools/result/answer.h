/* SPDX-License-Identifier: GPL-2.0 */
/*
 * answer: what a session came to, on a dozen lines.
 */
#ifndef KTPUT_CTL_ANSWER_H
#define KTPUT_CTL_ANSWER_H

#include "../analysis/arrivals.h"
#include "../analysis/loss.h"
#include "../analysis/measure.h"
#include "../analysis/verdict.h"
#include "attribute.h"
#include "ceilings.h"
#include "../run/session.h"
#include "tcp_report.h"

/**
 * struct answer - what others have computed
 * @session: session that has ended
 * @goodput_bps: the result, 0 where there is none
 * @bytes: payload in the span
 * @packets: datagrams in the span, or messages of TCP where they are counted
 * @messages: messages of the source in the span
 * @span_ns: time that is measured
 * @tcp: of the streams of a source over TCP
 * @arrivals: of a session of UDP, what became of all datagrams
 * @losses: likewise, where they were lost
 * @verdict: what binds
 * @disturbance: what others did on the CPUs
 * @streams: what TCP says of that
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

void answer_print(const struct answer *answer);

#endif
