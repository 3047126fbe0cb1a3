// SPDX-License-Identifier: GPL-2.0
/* Options: keywords by table, refusals, and the help made from the table. */
#include <stdlib.h>

#include "../../tools/base/options.h"
#include "test.h"

#define WORDS_MAX	8

struct config {
	uint64_t id;
	unsigned int transport;
	unsigned int copy;
	bool nodelay;
	const char *device;
	uint64_t streams;
	uint64_t size;
	uint64_t time_ns;
	uint64_t port;
	uint64_t link_bps;
	struct units_rate rate;
	struct units_cpus cpus;
	double target;
};

static const struct options_choice copy_words[] = {
	{ .word = "copy", .value = 4 },
	{ .word = "zerocopy", .value = 7 },
	{ .word = NULL }
};

#define FIELD(name)	.target = offsetof(struct config, name)

static const struct options_entry entries[] = {
	{ .argument = "ID", .parse = options_count, FIELD(id), .min = 1,
	  .max = 9, .required = true, .help = "the run" },
	{ .keyword = "tcp", .parse = options_set, .value = 6, FIELD(transport),
	  .help = "TCP" },
	{ .keyword = "udp", .parse = options_set, .value = 17,
	  FIELD(transport), .help = "UDP" },
	{ .keyword = "out",
	  .parse = options_choice, .choices = copy_words, FIELD(copy),
	  .help = "how to send" },
	{ .keyword = "nodelay", .argument = "on|off", .parse = options_switch,
	  FIELD(nodelay), .help = "TCP_NODELAY" },
	{ .keyword = "dev", .argument = "NAME", .parse = options_word,
	  FIELD(device), .help = "the device" },
	{ .keyword = "streams", .argument = "N", .parse = options_count,
	  FIELD(streams), .min = 1, .max = 10000, .help = "how many" },
	{ .keyword = "size", .argument = "SIZE", .parse = options_size,
	  FIELD(size), .min = 1, .max = 1 << 20,
	  .help =
	  "bytes of each message, in a sentence that is longer than what is left of one line" },
	{ .keyword = "time", .argument = "TIME", .parse = options_time,
	  FIELD(time_ns), .max = UINT64_MAX, .help = "when to end" },
	{ .keyword = "port", .argument = "PORT", .parse = options_port,
	  FIELD(port), .help = "the port" },
	{ .keyword = "link", .argument = "RATE", .parse = options_bitrate,
	  FIELD(link_bps), .min = 1, .max = UINT64_MAX, .help = "the link" },
	{ .keyword = "rate", .argument = "RATE", .parse = options_rate,
	  FIELD(rate), .help = "the pace" },
	{ .keyword = "cpus", .argument = "LIST", .parse = options_cpus,
	  FIELD(cpus), .help = "where" },
	{ .keyword = "target", .argument = "PERCENT",
	  .parse = options_percent, FIELD(target), .help = "the target" },
};

static const struct options_table options = {
	.entry = entries, .count = TEST_COUNT(entries),
};

/* Split at blanks; the words stay in @buffer. */
static int split(const char *line, char *buffer, size_t size, char **words)
{
	int count = 0;
	char *save;

	snprintf(buffer, size, "%s", line);
	for (char *word = strtok_r(buffer, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	return count;
}

static void accepted(void)
{
	static char *const words[] = {
		"streams", "4", "udp", "3", "size", "128K", "out", "zerocopy",
		"nodelay", "on", "dev", "help", "time", "2m", "port", "5001",
		"link", "10gbit", "rate", "1mpps", "cpus", "0-1",
		"target", "2.5%",
	};
	struct config config = { .copy = 9 };
	struct units_error err = { "" };
	struct options_set given;

	TEST_U64("outcome",
		 options_parse(&options, TEST_COUNT(words), words, &config,
			       &given, &err), OPTIONS_DONE);
	TEST_STRING("no refusal", err.text, "");
	TEST_U64("id", config.id, 3);
	TEST_U64("transport", config.transport, 17);
	TEST_U64("copy", config.copy, 7);
	TEST_TRUE("nodelay", config.nodelay);
	TEST_STRING("a value may be any word", config.device, "help");
	TEST_U64("streams", config.streams, 4);
	TEST_U64("size", config.size, 131072);
	TEST_U64("time", config.time_ns, 120 * UNITS_NSEC_PER_SEC);
	TEST_U64("port", config.port, 5001);
	TEST_U64("link", config.link_bps, 10000000000);
	TEST_TRUE("rate", config.rate.packets && config.rate.per_s == 1000000);
	TEST_U64("cpus", units_cpus_count(&config.cpus), 2);
	TEST_TRUE("target", config.target == 2.5);
	TEST_TRUE("given", options_given(&options, given,
					 offsetof(struct config, transport)));
}

static void defaults(void)
{
	static char *const words[] = { "5" };
	struct config config = { .streams = 2 };
	struct units_error err = { "" };
	struct options_set given;

	TEST_U64("outcome", options_parse(&options, 1, words, &config, &given,
					  &err), OPTIONS_DONE);
	TEST_U64("kept", config.streams, 2);
	TEST_TRUE("not given",
		  !options_given(&options, given,
				 offsetof(struct config, streams)));
}

static void refused(void)
{
	static const struct {
		const char *line, *sentence;
	} rows[] = {
		{ "", "'ID' is missing" },
		{ "3 4", "'ID' is given twice" },
		{ "bogus", "ID: number 'bogus' is not a number" },
		{ "3 size", "'size' lacks its value, SIZE" },
		{ "3 size 1K size 1K", "'size' is given twice" },
		{ "3 tcp udp", "'udp' contradicts 'tcp'" },
		{ "3 tcp tcp", "'tcp' is given twice" },
		{ "3 size 2M", "size: size '2M' is not in the range 1 B to 1 MiB" },
		{ "3 streams 0", "streams: number '0' is not in the range 1 to 10000" },
		{ "3 out slow", "out: 'slow' is none of copy|zerocopy" },
		{ "3 nodelay yes", "nodelay: 'yes' is neither on nor off" },
		{ "3 time 1x", "time: time '1x': unknown unit 'x'; use "
			       "ns, us, ms, s, m, h or none for seconds" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct config config = { 0 };
		char *words[WORDS_MAX];
		char buffer[80];
		struct options_set given;
		int count;

		count = split(rows[i].line, buffer, sizeof(buffer), words);
		TEST_U64(rows[i].line,
			 options_parse(&options, count, words, &config, &given,
				       &err), OPTIONS_REFUSED);
		TEST_STRING(rows[i].line, err.text, rows[i].sentence);
	}
}

/* Keywords among the rest are none, and may be what was given before. */
static void all_that_follows(void)
{
	static char *const words[] = { "tcp", "--", "ls", "tcp", "--", NULL };
	static const struct options_entry with_rest[] = {
		{ .keyword = "tcp", .parse = options_set, .value = 6, .target = 0,
		  .help = "TCP" },
		{ .keyword = "--", .argument = "COMMAND...", .rest = true,
		  .target = sizeof(void *), .help = "what to run" },
	};
	const struct options_table table = { .entry = with_rest, .count = 2 };
	char *const *config[2] = { NULL, NULL };
	struct units_error err = { "" };
	struct options_set given;

	TEST_U64("outcome", options_parse(&table, 5, words, config, &given,
					  &err), OPTIONS_DONE);
	TEST_TRUE("the rest", config[1] == words + 2);
	TEST_TRUE("given", options_in(&given, 0) && options_in(&given, 1));
	TEST_U64("none", options_parse(&table, 2, words, config, &given, &err),
		 OPTIONS_REFUSED);
	TEST_STRING("none", err.text, "'--' lacks its value, COMMAND...");
}

static void one_of_several(void)
{
	static const struct options_entry choice[] = {
		{ .keyword = "rate", .parse = options_set, .required = true },
		{ .keyword = "cpu", .parse = options_set, .required = true },
		{ .keyword = "tcp", .parse = options_set, .required = true },
	};
	const struct options_table table = { .entry = choice, .count = 3 };
	struct units_error err = { "" };
	unsigned int config = 0;
	struct options_set given;

	TEST_U64("outcome", options_parse(&table, 0, NULL, &config, &given,
					  &err), OPTIONS_REFUSED);
	TEST_STRING("names", err.text, "'rate', 'cpu' or 'tcp' is missing");
}

static void unknown_word(void)
{
	static char *const words[] = { "tcp", "bogus" };
	const struct options_table keywords = { .entry = entries + 1, .count = 2 };
	struct units_error err = { "" };
	struct config config = { 0 };
	struct options_set given;

	TEST_U64("outcome", options_parse(&keywords, 2, words, &config, &given,
					  &err), OPTIONS_REFUSED);
	TEST_STRING("word", err.text, "unknown word 'bogus'");
}

static void help(void)
{
	static char *const words[] = { "3", "tcp", "help" };
	struct units_error err = { "" };
	struct config config = { 0 };
	struct options_set given;

	TEST_U64("outcome", options_parse(&options, 3, words, &config, &given,
					  &err), OPTIONS_HELP);
}

static void usage(void)
{
	size_t size, longest = 0;
	char *text, *save;
	FILE *to = open_memstream(&text, &size);

	options_usage(&options, "prog show", to);
	fclose(to);
	TEST_CONTAINS("grammar", text, "Usage: prog show ID [ tcp | udp ] ");
	TEST_CONTAINS("choice", text, "[ out copy|zerocopy ]");
	for (size_t i = 0; i < TEST_COUNT(entries); i++)
		if (i != 7)
			TEST_CONTAINS("help", text, entries[i].help);
	TEST_CONTAINS("wrapped", text, " longer\n");
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (strlen(line) > longest)
			longest = strlen(line);
	TEST_TRUE("80 columns", longest < 80);
	free(text);
}

static const struct test_case cases[] = {
	{ "every kind of option", accepted },
	{ "defaults stay", defaults },
	{ "refusals", refused },
	{ "the rest of the words", all_that_follows },
	{ "one of several words is missing", one_of_several },
	{ "an unknown word is named", unknown_word },
	{ "help", help },
	{ "usage from the table", usage },
};

TEST_MAIN(cases)
