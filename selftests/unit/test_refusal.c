// SPDX-License-Identifier: GPL-2.0
/* run_refusal: what the module says, in the words of the command line. */
#include "../../tools/run/run_options.h"
#include "../../tools/run/session.h"
#include "test.h"

/* The sentence for what was typed, of which end, and what comes of it. */
struct row {
	const struct options_table *table;
	const char *typed;
	unsigned int end;
	const char *says;
	const char *want;
};

static void translate(const struct row *row)
{
	struct command_context context = { .options = row->table };
	struct run_options options = { 0 };
	char buffer[128], *words[16];
	struct units_error err;
	int count = 0;
	char *save;

	snprintf(buffer, sizeof(buffer), "%s", row->typed);
	for (char *word = strtok_r(buffer, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	TEST_U64(row->typed,
		 options_parse(row->table, count, words, &options,
			       &context.given, &err), OPTIONS_DONE);
	units_refuse(&err, "%s", row->says);
	run_refusal_translate(&context, row->end, &err);
	TEST_STRING(row->typed, err.text, row->want);
}

static void keywords(void)
{
	static const struct row rows[] = {
		{ &run_options_start, "size 1", RUN_END_SOURCE,
		  "refused: size must be 1 to 16777216",
		  "refused: size must be 1 to 16777216" },
		{ &run_options_start, "rcvbuf 8K", RUN_END_SINK,
		  "refused: rcvbuf must be 4608 to 1073741824",
		  "refused: rcvbuf must be 4608 to 1073741824" },
		{ &run_options_start, "time 168h", RUN_END_SOURCE,
		  "refused: time must be 1 ns to a week",
		  "refused: time must be 1 ns to a week" },
		{ &run_options_sink, "time 168h", RUN_END_BOTH,
		  "refused: time must be 1 ns to a week",
		  "refused: time must be 1 ns to a week" },
		{ &run_options_start, "messages 1 streams 2", RUN_END_SOURCE,
		  "refused: messages must be at least one for each stream",
		  "refused: messages must be at least one for each stream" },
		{ &run_options_start, "udp layer driver size 60-9000",
		  RUN_END_SOURCE,
		  "refused: size-max or mix: larger than MTU and header",
		  "refused: size: larger than MTU and header" },
		{ &run_options_start, "udp method direct segments 2",
		  RUN_END_SOURCE,
		  "refused: segments of size must not pass 65507 bytes together",
		  "refused: segments of size must not pass 65507 bytes together" },
		{ &run_options_start, "sndbuf 8K", RUN_END_SOURCE,
		  "refused: segments, sndbuf and rcvbuf are for the socket layer",
		  "refused: segments, sndbuf and rcvbuf are for the socket layer" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		translate(&rows[i]);
}

/* One attribute has several keywords, and is of both ends. */
static void given_first(void)
{
	static const struct row rows[] = {
		{ &run_options_start, "pace 8bit", RUN_END_SOURCE,
		  "refused: pace must not be 0",
		  "refused: pace must not be 0" },
		{ &run_options_start, "udp rate 1tbit", RUN_END_SOURCE,
		  "refused: pace must be 1 to 1099511627776 with UDP",
		  "refused: rate must be 1 to 1099511627776 with UDP" },
		{ &run_options_pingpong, "request 1", RUN_END_SOURCE,
		  "refused: request and response must be 1 to 16777216",
		  "refused: request and response must be 1 to 16777216" },
		{ &run_options_pingpong, "size 1", RUN_END_SOURCE,
		  "refused: request: must be 1 B to 16 MiB",
		  "refused: size: must be 1 B to 16 MiB" },
		{ &run_options_start, "from-port 65535", RUN_END_SOURCE,
		  "refused: local-port plus streams must not pass 65535",
		  "refused: from-port plus streams must not pass 65535" },
		{ &run_options_start, "port 5017 from-port 65535",
		  RUN_END_SOURCE,
		  "refused: local-port plus streams must not pass 65535",
		  "refused: from-port plus streams must not pass 65535" },
		{ &run_options_start, "dev eth0", RUN_END_SOURCE,
		  "refused: dev is down; set it up first",
		  "refused: dev is down; set it up first" },
		{ &run_options_start, "port 65535", RUN_END_SINK,
		  "refused: local-port plus streams must not pass 65535",
		  "refused: port plus streams must not pass 65535" },
		{ &run_options_start, "cpus 1", RUN_END_SINK,
		  "refused: cpus has a CPU that is not online",
		  "refused: sink-cpus has a CPU that is not online" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		translate(&rows[i]);
}

/* English words, other sentences, and what no keyword stands for. */
static void kept(void)
{
	static const char *const says[] = {
		"refused: segments: a source with method direct has one",
		"refused: queues: the device has not so many transmit queues",
		"refused: iperf3 is not installed here: apt-get install iperf3",
		"refused: a link-local remote address needs a device",
		"the module was removed while time was read",
		"refused: cookie is required with UDP, the same for source and sink",
		"refused: ",
	};

	for (size_t i = 0; i < TEST_COUNT(says); i++)
		translate(&(struct row){
			&run_options_start, "method copy", RUN_END_SOURCE,
			says[i], says[i] });
}

static const struct test_case cases[] = {
	{ "attributes are told as keywords", keywords },
	{ "the keyword that was given, of its end", given_first },
	{ "other sentences stay", kept },
};

TEST_MAIN(cases)
