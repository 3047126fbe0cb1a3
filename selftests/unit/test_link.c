// SPDX-License-Identifier: GPL-2.0
/* Documents between two hosts: lines, beats, and the end of a connection. */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/base/json.h"
#include "../../tools/base/clocks.h"
#include "../../tools/remote/link.h"
#include "test.h"

/* A machine that runs other tests may be late by much. */
#define LATE_NS	(60 * UNITS_NSEC_PER_SEC)

/* A link, and the other side of it, which the test plays. */
static struct link link_here;
static int there;
static FILE *to;

static void begin(uint64_t first_ns)
{
	struct units_error err;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(1);
	there = ends[1];
	to = fdopen(dup(ends[0]), "w");
	link_here = (struct link) {
		.in = ends[0], .beats = ends[0], .first_ns = first_ns,
		.signals = 1,
		.out = output_new(to, stderr, OUTPUT_JSON, "test"),
	};
	if (link_open(&link_here, &err))
		TEST_FAIL("%s", err.text);
}

static void end(void)
{
	link_close(&link_here);
	if (output_free(link_here.out))
		TEST_FAIL("not written");
	fclose(to);
	close(link_here.in);
	if (there >= 0)
		close(there);
}

static void say(const char *text)
{
	if (write(there, text, strlen(text)) < 0)
		TEST_FAIL("not written");
}

static void documents(void)
{
	struct json_object *got;

	begin(LATE_NS);
	say("welcome to this host\n\n\n{\"number\": 1}\n[2]\n{\"num");
	got = link_receive(&link_here, true);
	TEST_U64("the first", json_u64(got, "number"), 1);
	json_object_put(got);
	TEST_TRUE("half a line", !link_receive(&link_here, false));
	say("ber\": 3}\n");
	got = link_receive(&link_here, true);
	TEST_U64("in two parts", json_u64(got, "number"), 3);
	json_object_put(got);
	end();
}

/* One line of what the link has sent. */
static void read_line(char *line, size_t size)
{
	size_t length = 0;

	while (length < size - 1 && read(there, line + length, 1) == 1 &&
	       line[length] != '\n')
		length++;
	line[length] = '\0';
}

static void sent(void)
{
	char line[64] = "";

	begin(LATE_NS);
	read_line(line, sizeof(line));
	TEST_STRING("a beat", line, "");
	output_data_u64(link_here.out, "number", 4);
	TEST_U64("sent", link_send(&link_here), 0);
	do
		read_line(line, sizeof(line));
	while (!line[0]);
	TEST_STRING("a document", line, "{\"number\":4}");
	end();
}

static void closed(void)
{
	begin(LATE_NS);
	close(there);
	there = -1;
	TEST_TRUE("closed", !link_receive(&link_here, true));
	end();
}

/* How long a link waits for a side that says nothing. */
static uint64_t silence_ns(const char *first, uint64_t first_ns)
{
	uint64_t from;

	begin(first_ns);
	say(first);
	from = monotonic_ns();
	TEST_TRUE("silence", !link_receive(&link_here, true));
	from = monotonic_ns() - from;
	end();
	return from;
}

static void silent(void)
{
	const uint64_t beaten = silence_ns("\n", LATE_NS);
	const uint64_t never = silence_ns("", UNITS_NSEC_PER_SEC / 10);

	TEST_TRUE("not before", beaten + 10000000 >= LINK_SILENCE_NS);
	TEST_TRUE("far runs end within 2 s", LINK_SILENCE_NS < 2000000000);
	TEST_TRUE("once it was heard", beaten < LATE_NS);
	TEST_TRUE("the first line", never < beaten);
}

/* A side that beats, and has nothing to say, is not lost. */
static void beating(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	const uint64_t until = monotonic_ns() + LINK_SILENCE_NS * 3 / 2;
	struct pollfd fd;

	begin(LATE_NS);
	fd = (struct pollfd) { .fd = link_here.lines[0], .events = POLLIN };
	while (monotonic_ns() < until) {
		say("\n");
		nanosleep(&pause, NULL);
	}
	TEST_U64("still there", poll(&fd, 1, 0), 0);
	end();
}

static const struct test_case cases[] = {
	{ "documents among other lines", documents },
	{ "beats and documents are sent", sent },
	{ "the other side closes", closed },
	{ "the other side falls silent", silent },
	{ "the other side beats alone", beating },
};

TEST_MAIN(cases)
