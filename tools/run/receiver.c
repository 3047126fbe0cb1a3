// SPDX-License-Identifier: GPL-2.0
/* receiver: find out whether somebody receives, or answers, where no sink was started. */
#include <inttypes.h>
#include <string.h>

#include "../analysis/measure.h"
#include "../base/clocks.h"
#include "session.h"
#include "run_options.h"

/*
 * A host answers at once if no socket receives on a port (RFC 1122, 3.2.2.1). Poll
 * for this answer until it has had time to arrive from any distance.
 */
#define RECEIVER_NS		(400 * 1000000ULL)
/* Who is to answer has answered once by then. */
#define ANSWER_NS		UNITS_NSEC_PER_SEC

/* The time from its begin on in which a session has found its peer. */
static uint64_t patience_ns(const struct session *session)
{
	const uint64_t timeout_ns =
		session->source.config.number[KTPUT_A_CONFIG_TIMEOUT];

	if (!session->pingpong)
		return RECEIVER_NS;
	return timeout_ns > ANSWER_NS ? timeout_ns : ANSWER_NS;
}

static void refuse_nobody(const struct session *session,
			  struct units_error *err)
{
	const struct config *config = &session->source.config;

	if (!session->pingpong)
		units_refuse(err,
			     "nobody receives at %s: start 'ktput-ctl sink udp' there, or say 'unchecked'",
			     address_show_port(&config->remote).text);
	else if (!session->udp)
		units_refuse(err,
			     "nobody answers at %s: start 'ktput-ctl reply' there, with the same sizes",
			     address_show_port(&config->remote).text);
	else
		units_refuse(err,
			     "nobody answers at %s: start 'ktput-ctl reply udp cookie %" PRIu64
			     "' there, with the same sizes, and give that cookie here",
			     address_show_port(&config->remote).text,
			     config->number[KTPUT_A_CONFIG_COOKIE]);
}

/**
 * receiver_check() - look whether somebody receives, or answers
 * @session: session whose source is started
 * @err: who does not
 *
 * Fails if the source was told that no socket receives its datagrams, or if it was not
 * answered in time.
 */
int receiver_check(struct session *session, struct units_error *err)
{
	struct session_end *source = &session->source;
	const uint64_t until = session->origin_ns + patience_ns(session);
	struct client_snapshot snapshot;
	uint64_t refusals = 0, messages;

	if (source->backend->snapshot(source, KTPUT_PART_STREAMS, &snapshot, err))
		return -1;
	for (size_t i = 0; i < snapshot.stream_count; i++)
		refusals += snapshot.streams[i].datagrams.refusals;
	messages = measure_total(&snapshot).messages;
	client_snapshot_free(&snapshot);
	if (session->pingpong && messages) {
		session->receiver_unknown = false;
		return 0;
	}
	if (!refusals && (!session->pingpong || monotonic_ns() < until))
		return 0;
	refuse_nobody(session, err);
	return -1;
}

/**
 * receiver_sought() - whether it is still to be found out
 * @session: session whose source is started
 *
 * Return: true if receiver_check() is to be called from time to time.
 */
bool receiver_sought(const struct session *session)
{
	return session->receiver_unknown &&
	       (session->pingpong ||
		monotonic_ns() < session->origin_ns + RECEIVER_NS);
}

static const char nobody[] = "nothing listens there";
static const char silent[] = "did not answer within connect-timeout";

/* What a source says that has not reached its sink. */
static const char *const facts[] = {
	nobody, silent, "no route to it, or no neighbour answers",
};

/* The fact that a refusal states; NULL if it is another refusal. */
static const char *fact_of(const struct units_error *err)
{
	for (size_t i = 0; i < COUNT(facts); i++)
		if (strstr(err->text, facts[i]))
			return facts[i];
	return NULL;
}

/**
 * unreached_is() - whether a source was refused because it has not reached its sink
 * @err: the refusal
 *
 * Return: true if so.
 */
bool unreached_is(const struct units_error *err)
{
	return fact_of(err);
}

/**
 * unreached_say() - the sink is there, on another host than the source
 * @session: session of both
 * @err: set to a sentence that says so, and what to do
 */
void unreached_say(const struct session *session, struct units_error *err)
{
	const char *source = session->source.host, *sink = session->sink.host;
	const struct config *config = &session->source.config;
	struct address to = config->remote;

	address_set_port(&to, config->number[KTPUT_A_CONFIG_REMOTE_PORT]);
	units_refuse(err,
		     "nothing from %s reaches %s on %s, where the sink is: open the port in the firewall there, or give another 'to' or 'port'",
		     source ? source : "here",
		     address_show_port(&to).text,
		     sink ? sink : "this host");
}

/**
 * unreached_explain() - say what to do about a refusal to start a source
 * @session: its session
 * @err: the refusal; any that does not say that the sink is not reached is unchanged
 */
void unreached_explain(const struct session *session, struct units_error *err)
{
	const struct units_error why = *err;
	const char *fact = fact_of(err);

	if (!fact)
		return;
	if (session->source.present && session->sink.present &&
	    session_two_hosts(session))
		unreached_say(session, err);
	else if (fact == nobody && !session->sink.present)
		units_refuse(err, "%s; start 'ktput-ctl %s' first", why.text,
			     session->context->options->command == RUN_PINGPONG ?
			     "reply" : "sink");
	else if (fact == silent)
		units_refuse(err,
			     "%s; a firewall on the way may drop what is sent to it: 'nft list ruleset' and 'iptables-save' show its rules",
			     why.text);
}
