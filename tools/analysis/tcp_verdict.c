// SPDX-License-Identifier: GPL-2.0
/* tcp_verdict: what limited a TCP stream, in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../base/units.h"
#include "evidence.h"
#include "tcp_verdict.h"
#include "verdict.h"

/* Five ticks of the slowest clock in use (HZ 100); less is not significant. */
#define BUSY_US_MIN	50000
/* Share of the busy time that makes a limit the main one. */
#define SHARE_MAIN	0.5
/* A send buffer also holds the kernel's overhead of each packet. */
#define SEND_BUFFER_REACHED	0.7

/**
 * tcp_verdict_name() - key of a verdict in records
 * @kind: of enum tcp_verdict_kind
 *
 * Return: the key.
 */
const char *tcp_verdict_name(enum tcp_verdict_kind kind)
{
	static const char *const names[] = {
		[TCP_VERDICT_UNKNOWN] = "unknown",
		[TCP_VERDICT_RECEIVE_WINDOW] = "receive-window",
		[TCP_VERDICT_SEND_BUFFER] = "send-buffer",
		[TCP_VERDICT_CONGESTION_WINDOW] = "congestion-window",
		[TCP_VERDICT_PACE] = "pace",
		[TCP_VERDICT_CPU] = "cpu",
		[TCP_VERDICT_APPLICATION] = "application",
		[TCP_VERDICT_LINK] = "link",
		[TCP_VERDICT_OTHER_WORK] = "other-work",
		[TCP_VERDICT_PATH] = "path",
	};

	return names[kind];
}

static struct units_text milliseconds(uint32_t us)
{
	struct units_text out;

	snprintf(out.text, sizeof(out.text), "%.3g ms", us / 1e3);
	return out;
}

static double share(uint64_t part, uint64_t of)
{
	return of ? fmin((double)part / of, 1) : NAN;
}

/* Rate of one window per round trip. */
static double window_bps(double window_bytes, uint32_t rtt_us)
{
	return rtt_us && window_bytes > 0 ? window_bytes * 8e6 / rtt_us : NAN;
}

static bool full(double busy)
{
	return busy >= VERDICT_FULL;
}

/* Rate that the send buffer permits, NaN if the kernel tunes it. */
static double send_buffer_bps(const struct tcp_verdict_facts *facts)
{
	return window_bps(facts->send_buffer_bytes, facts->to.rtt_us);
}

static enum tcp_verdict_kind judge(const struct tcp_verdict_facts *facts,
				   const struct tcp_verdict *verdict)
{
	if (facts->to.busy_us - facts->from.busy_us < BUSY_US_MIN)
		return TCP_VERDICT_UNKNOWN;
	if (facts->pace_bps &&
	    facts->goodput_bps >= VERDICT_FULL * facts->pace_bps)
		return TCP_VERDICT_PACE;
	if (facts->link)
		return TCP_VERDICT_LINK;
	/* A late CPU shows as any of the following. */
	if (facts->crowded)
		return TCP_VERDICT_OTHER_WORK;
	/* Any window fills up if the receiver reads too slowly. */
	if (verdict->receive_window_share >= SHARE_MAIN)
		return full(facts->sink_busy) ? TCP_VERDICT_CPU :
						TCP_VERDICT_RECEIVE_WINDOW;
	if (verdict->send_buffer_share >= SHARE_MAIN ||
	    facts->goodput_bps >= SEND_BUFFER_REACHED * send_buffer_bps(facts))
		return TCP_VERDICT_SEND_BUFFER;
	if (full(facts->source_busy) || full(facts->sink_busy))
		return TCP_VERDICT_CPU;
	if (verdict->busy_share < SHARE_MAIN)
		return TCP_VERDICT_APPLICATION;
	if (evidence_congested(facts->goodput_bps /
			      verdict->congestion_window_bps))
		return TCP_VERDICT_CONGESTION_WINDOW;
	return TCP_VERDICT_PATH;
}

static void say_receive_window(const struct tcp_verdict_facts *facts,
			       struct tcp_verdict *verdict, FILE *to)
{
	const struct tcpinfo *tcp = &facts->to;

	fprintf(to, "receive window limited %.0f%% of the busy time",
		verdict->receive_window_share * 100);
	if (isfinite(verdict->window_bps))
		fprintf(to, ": %s a round trip of %s give %s",
			units_show_bytes(tcp->send_window_bytes).text,
			milliseconds(tcp->rtt_us).text,
			units_show_bitrate(verdict->window_bps).text);
	if (verdict->wanted_window_bytes > tcp->send_window_bytes)
		fprintf(to, "; raise the receive buffer for a window of %s, which %s take",
			units_show_bytes(verdict->wanted_window_bytes).text,
			units_show_bitrate(facts->wanted_bps).text);
	else if (verdict->wanted_window_bytes)
		fprintf(to,
			"; the window is enough for %s, so that the receiver drains its socket too slowly",
			units_show_bitrate(facts->wanted_bps).text);
	else
		fputs("; raise the receive buffer", to);
}

static void say_send_buffer(const struct tcp_verdict_facts *facts,
			    struct tcp_verdict *verdict, FILE *to)
{
	if (verdict->send_buffer_share >= SHARE_MAIN)
		fprintf(to, "send buffer limited %.0f%% of the busy time: %s",
			verdict->send_buffer_share * 100,
			"all that it holds is under way");
	else
		fprintf(to, "send buffer limited: %s a round trip of %s give %s",
			units_show_bytes(facts->send_buffer_bytes).text,
			milliseconds(facts->to.rtt_us).text,
			units_show_bitrate(send_buffer_bps(facts)).text);
	if (verdict->wanted_window_bytes)
		fprintf(to, "; %s take %s of payload in it",
			units_show_bitrate(facts->wanted_bps).text,
			units_show_bytes(verdict->wanted_window_bytes).text);
	else
		fputs("; raise the send buffer", to);
}

static void say_congestion_window(const struct tcp_verdict_facts *facts,
				  struct tcp_verdict *verdict, FILE *to)
{
	const struct tcpinfo *tcp = &facts->to;

	fprintf(to, "congestion window limited: %" PRIu32 " segments of %" PRIu32 " bytes",
		tcp->congestion_window, tcp->send_mss_bytes);
	fprintf(to, " a round trip of %s give %s; retransmissions %" PRIu32,
		milliseconds(tcp->rtt_us).text,
		units_show_bitrate(verdict->congestion_window_bps).text,
		tcp->retransmissions - facts->from.retransmissions);
}

static void say_cpu(const struct tcp_verdict_facts *facts, FILE *to)
{
	bool source = full(facts->source_busy);
	bool sink = full(facts->sink_busy);

	fprintf(to, "CPU limited: that of the %s was busy %.0f%% of the time",
		source && sink ? "source and that of the sink" :
		source ? "source" : "sink",
		100 * (source ? facts->source_busy : facts->sink_busy));
}

static void say(const struct tcp_verdict_facts *facts,
		struct tcp_verdict *verdict, FILE *to)
{
	switch (verdict->kind) {
	case TCP_VERDICT_RECEIVE_WINDOW:
		say_receive_window(facts, verdict, to);
		break;
	case TCP_VERDICT_SEND_BUFFER:
		say_send_buffer(facts, verdict, to);
		break;
	case TCP_VERDICT_CONGESTION_WINDOW:
		say_congestion_window(facts, verdict, to);
		break;
	case TCP_VERDICT_PACE:
		fprintf(to, "paced: %s are what was asked for",
			units_show_bitrate(facts->pace_bps).text);
		break;
	case TCP_VERDICT_CPU:
		say_cpu(facts, to);
		break;
	case TCP_VERDICT_APPLICATION:
		fprintf(to, "application limited: nothing to send %.0f%% of the time",
			100 - verdict->busy_share * 100);
		break;
	case TCP_VERDICT_LINK:
		fprintf(to, "limited by %s: %.2f%% of it is reached",
			facts->link, facts->link_share * 100);
		break;
	case TCP_VERDICT_OTHER_WORK:
		fputs("limited by other work, which filled a CPU of the run",
		      to);
		break;
	case TCP_VERDICT_PATH:
		fprintf(to,
			"none of its limits most of the time: it waited %.0f%% of the busy time for the receive window, %.0f%% for the send buffer",
			verdict->receive_window_share * 100,
			verdict->send_buffer_share * 100);
		break;
	default:
		fputs("no verdict: too short for the kernel's account of what TCP waits for",
		      to);
	}
}

/**
 * tcp_verdict() - find what limited a stream
 * @facts: the input
 * @verdict: filled in
 */
void tcp_verdict(const struct tcp_verdict_facts *facts,
		 struct tcp_verdict *verdict)
{
	const struct tcpinfo *from = &facts->from, *tcp = &facts->to;
	uint64_t busy_us = tcp->busy_us - from->busy_us;
	FILE *to;

	*verdict = (struct tcp_verdict) {
		.busy_share = share(busy_us, facts->span_ns / 1000),
		.receive_window_share =
			share(tcp->receive_window_limited_us -
			      from->receive_window_limited_us, busy_us),
		.send_buffer_share =
			share(tcp->send_buffer_limited_us -
			      from->send_buffer_limited_us, busy_us),
		.window_bps = window_bps(tcp->send_window_bytes, tcp->rtt_us),
		.congestion_window_bps =
			window_bps((double)tcp->congestion_window *
				   tcp->send_mss_bytes, tcp->rtt_us),
		.wanted_window_bytes =
			facts->wanted_bps * tcp->rtt_min_us / 8e6,
	};
	verdict->kind = judge(facts, verdict);
	to = fmemopen(verdict->text, sizeof(verdict->text), "w");
	if (!to)
		return;
	say(facts, verdict, to);
	fclose(to);
}
