// SPDX-License-Identifier: GPL-2.0
/* datagram_report: which counters of a host are the run's. */
#include <stdlib.h>

#include "../../tools/result/datagram_report.h"
#include "test.h"

/* Of IP drops those of the run's own family, by the address that it sends to, or by its peer's. */
static void families(void)
{
	static const struct {
		const char *to, *peer;
		uint64_t drops;
	} rows[] = {
		{ "192.0.2.1", NULL, 10 },
		{ "2001:db8::1", NULL, 100 },
		{ "::ffff:192.0.2.1", NULL, 10 },
		{ NULL, "192.0.2.1", 10 },
		{ NULL, "2001:db8::1", 100 },
		{ NULL, NULL, 10 },
		{ "192.0.2.1", "2001:db8::1", 10 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct session *session = calloc(1, sizeof(*session));
		struct client_stream stream = { 0 };
		struct arrivals_terms terms;

		session->udp = true;
		session->source.present = rows[i].to;
		session->sink.present = true;
		session->sink.protocols_begin = (struct protocols) { .known = true };
		session->sink.protocols_last = (struct protocols) {
			.known = true, .ip_drops = 10, .ip6_drops = 100,
		};
		if (rows[i].to)
			TEST_TRUE(rows[i].to,
				  address_read(rows[i].to, &session->source.config.remote));
		if (rows[i].peer) {
			TEST_TRUE(rows[i].peer, address_read(rows[i].peer, &stream.remote));
			session->sink.last.streams = &stream;
			session->sink.last.stream_count = 1;
		}
		datagram_report_terms(session, &terms);
		TEST_U64(rows[i].to ? rows[i].to : "a sink alone", terms.protocols.ip_drops,
			 rows[i].drops);
		free(session);
	}
}

static const struct test_case cases[] = {
	{ "what IP dropped of the run's family", families },
};

TEST_MAIN(cases)
