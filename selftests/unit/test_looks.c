// SPDX-License-Identifier: GPL-2.0
/* looks: how often a run is looked at, and by how much of a CPU. */
#include <stdlib.h>
#include <time.h>

#include "../../tools/base/clocks.h"
#include "../../tools/run/session.h"
#include "test.h"

#define NOW	1000000000000ULL
/* CPU time that a look takes, so that the next one is later. */
#define DEAR_NS	1000000

static unsigned int watched;
static uint64_t takes_ns;

static void watch(struct session_end *end)
{
	const uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + takes_ns;

	(void)end;
	watched++;
	while (takes_ns && clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static const struct backend of_program = { .watch = watch };
static const struct backend of_another;

static struct session *session_of(const struct backend *source, const struct backend *sink)
{
	struct session *session = calloc(1, sizeof(*session));

	session->source = (struct session_end) {
		.present = source, .backend = source, .run.state = KTPUT_STATE_RUNNING,
	};
	session->sink = (struct session_end) {
		.present = sink, .backend = sink, .run.state = KTPUT_STATE_RUNNING,
	};
	watched = 0;
	takes_ns = 0;
	return session;
}

static void nothing(void)
{
	struct session *session = session_of(&of_another, NULL);

	TEST_U64("never", looks_make(session, NOW), UINT64_MAX);
	free(session);
	session = session_of(&of_program, &of_program);
	session->source.run.state = KTPUT_STATE_ENDED;
	session->sink.run.state = KTPUT_STATE_ENDED;
	TEST_U64("no more", looks_make(session, NOW), UINT64_MAX);
	TEST_U64("no look", watched, 0);
	free(session);
}

static void often(void)
{
	struct session *session = session_of(&of_program, &of_program);
	uint64_t next = looks_make(session, NOW);

	TEST_U64("both", watched, 2);
	TEST_TRUE("after 20 ms", next >= NOW + LOOKS_NS && next < NOW + 2 * LOOKS_NS);
	TEST_U64("not due", looks_make(session, next - 1), next);
	TEST_U64("so not made", watched, 2);
	session->sink.run.state = KTPUT_STATE_ENDED;
	TEST_TRUE("later", looks_make(session, next) > next);
	TEST_U64("at what has not ended", watched, 3);
	free(session);
}

/* A two-hundredth of a CPU at most. */
static void dear(void)
{
	struct session *session = session_of(&of_another, &of_program);
	uint64_t next;

	takes_ns = DEAR_NS;
	next = looks_make(session, NOW);
	TEST_TRUE("its time", session->looks.spent_ns >= DEAR_NS);
	TEST_U64("so much later", next, NOW + 200 * session->looks.spent_ns);
	free(session);
}

static const struct test_case cases[] = {
	{ "where nothing is to be looked at", nothing },
	{ "every 20 ms", often },
	{ "not more than a two-hundredth of a CPU", dear },
};

TEST_MAIN(cases)
