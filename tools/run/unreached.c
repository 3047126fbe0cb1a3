// SPDX-License-Identifier: GPL-2.0
/* unreached: say what to do where the sink cannot be reached. */
#include <string.h>

#include "run_options.h"
#include "unreached.h"

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
