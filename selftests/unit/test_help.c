// SPDX-License-Identifier: GPL-2.0
/* The built ktput-ctl: its help, and the manual beside it. */
#include "outcome.h"
#include "test.h"

static void eighty_columns(void)
{
	static const char *const lines[] = {
		"wire", "wire help", "help", "start help", "sink help",
		"stop help", "show help", "monitor help", "info help",
		"profile help", "ladder help", "scenario help",
		"wire frame rate 100gbit",
		"wire frame ipv6 rate 99.999gbit size 66,9018",
		"wire tcp ipv6 vlan 2 timestamps on options 28 rate 1tbit",
		"wire frame rate 400gbit", "wire rate 1000tbit",
		"wire frame rate 9.999tbit size 64,65535",
		"wire frame rate 99.9tbit size 64,65535",
		"wire frame rate 99999tbit size 64,65535",
		"wire frame rate 18446744tbit size 64,65535",
		"wire atm help", "wire pci help", "wire pcie help",
		"wire window help", "wire atm",
		"wire atm lane ipv6 rate 9.999gbit timestamps on",
		"wire atm vc rate 400gbit mtu 65535,1500",
		"wire atm rate 999.9gbit mtu 65000,1500",
		"wire atm rate 99.9tbit mtu 65000,1500",
		"wire atm rate 99999tbit mtu 65000,1500",
		"wire atm lane rate 18446744tbit size 1", "wire pci",
		"wire pcie payload 4096 size 65535",
		"wire pcie lanes 32 payload 128 size 1",
		"wire window buffer 1G,64K rtt 300ms scale -2 rate 400gbit",
	};
	struct outcome outcome;
	char *save;

	for (size_t i = 0; i < TEST_COUNT(lines); i++) {
		outcome = run(lines[i]);
		TEST_U64(lines[i], outcome.status, 0);
		for (char *line = strtok_r(outcome.out, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (strlen(line) > 80)
				TEST_FAIL("%s: wider than 80: '%s'", lines[i],
					  line);
	}
}

static void help_anywhere(void)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{ "help", "wire " }, { "--help", "wire " }, { "-h", "wire " },
		{ "help", "\n  -h, --help " },
		{ "help wire", "Usage: ktput-ctl wire " },
		{ "wire help", "Usage: ktput-ctl wire " },
		{ "wire udp mtu 1500 help", "Usage: ktput-ctl wire " },
		{ "wire --help", "Usage: ktput-ctl wire " },
		{ "wire udp -h", "Usage: ktput-ctl wire " },
		{ "help wire atm", "Usage: ktput-ctl wire atm " },
		{ "wire pci help", "Usage: ktput-ctl wire pci " },
		{ "wire pcie gen 1 help", "Usage: ktput-ctl wire pcie " },
		{ "help pace", "ktput-ctl start:\n  pace RATE " },
		{ "help until", "  until ci PERCENT " },
		{ "help rate", "ktput-ctl pingpong:\n  rate N " },
		{ "start help", "\nPlacement\n  cpus LIST " },
		{ "pingpong help", "\nFrames\n  mac ADDRESS " },
		{ "start help", "layer socket|queue|driver|xdp|user " },
		{ "pingpong help", "layer socket|driver|user " },
		{ "sink help", "layer socket|ingress|xdp|user " },
		{ "-j help outstanding",
		  "\"min\":\"1\",\"max\":\"64\",\"default\":\"1\",\"for\":[\"" },
		{ "-j help burst",
		  "\"for\":[\"layer driver\",\"layer xdp\"],"
		  "\"where\":\"layer driver, layer xdp\"," },
		/* A choice is explained, and where it has a meaning. */
		{ "help zerocopy",
		  "ktput-ctl start:\n  method zerocopy       references to pages\n"
		  "  sink-method zerocopy  where it lies (sink-layer socket)\n" },
		{ "help imix", "ktput-ctl start:\n  size SIZE " },
		{ "help af41", "ktput-ctl pingpong:\n  dscp NAME|N " },
		{ "help method",
		  "    direct              datagrams that are built for IP (udp, layer socket)\n" },
		{ "-j help spin",
		  "{\"word\":\"spin\",\"help\":\"awake, calling recv() over and over\"}" },
		{ "-j help sink-dev", "\"values\":\"devices\"" },
		{ "-j help batch", "\"changes\":\"more less\"" },
		{ "-j help udp", "\"keyword\":\"udp\",\"excludes\":[\"tcp\"]" },
		{ "-j wire pci help", "{\"commands\":[{\"command\":\"wire pci\"" },
		{ "help streams", ", 1 to 16384 (default: 1)" },
		{ "-V", "ktput-ctl " }, { "--version", "ktput-ctl " },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct outcome outcome = run(rows[i].line);

		TEST_U64(rows[i].line, outcome.status, 0);
		TEST_CONTAINS(rows[i].line, outcome.out, rows[i].want);
		TEST_STRING(rows[i].line, outcome.err, "");
	}
}

/* The whole of a file, to be freed, or NULL. */
static char *read_file(const char *path)
{
	FILE *from = path ? fopen(path, "r") : NULL;
	size_t size = 0;
	char *text = NULL;

	if (!from)
		return NULL;
	if (getdelim(&text, &size, '\0', from) < 0) {
		free(text);
		text = NULL;
	}
	fclose(from);
	return text;
}

/* The manual page of a command; blanks of its name are hyphens. */
static char *read_page(const char *folder, const char *command)
{
	char path[4096];
	char *name;

	snprintf(path, sizeof(path), "%s/ktput-ctl-%s.8.rst", folder, command);
	name = strrchr(path, '/');
	for (char *blank = name; (blank = strchr(blank, ' ')); )
		*blank = '-';
	return read_file(path);
}

/* Every keyword that the help of @command explains is in its manual page. */
static void check_manual(const char *folder, const char *command)
{
	static const char *const sections[] = {
		"\nEXIT STATUS\n", "\nSEE ALSO\n", "\nSYNOPSIS\n",
	};
	char *page = read_page(folder, command);
	struct outcome outcome;
	char line[64], want[64];
	char *save;

	if (!page) {
		TEST_FAIL("there is no manual page of %s", command);
		return;
	}
	for (size_t i = 0; i < TEST_COUNT(sections); i++)
		TEST_CONTAINS(command, page, sections[i]);
	snprintf(line, sizeof(line), "help %s", command);
	outcome = run(line);
	for (char *text = strtok_r(outcome.out, "\n", &save); text;
	     text = strtok_r(NULL, "\n", &save)) {
		char word[32];

		if (strncmp(text, "  ", 2) || text[2] == ' ' ||
		    sscanf(text, "%31s", word) != 1)
			continue;
		snprintf(want, sizeof(want), "*%s*", word);
		TEST_CONTAINS(command, page, want);
	}
	free(page);
}

static void manual_agrees(void)
{
	const char *folder = getenv("KTPUT_MANUAL");
	struct outcome outcome = run("help");
	char *list, *save;
	int commands = 0;

	if (!folder) {
		test_skip("KTPUT_MANUAL names no folder of manuals");
		return;
	}
	list = strstr(outcome.out, "Commands:\n");
	if (!list) {
		TEST_FAIL("no commands in '%s'", outcome.out);
		return;
	}
	strtok_r(list, "\n", &save);
	for (char *text = strtok_r(NULL, "\n", &save); text;
	     text = strtok_r(NULL, "\n", &save)) {
		char *name = text + strspn(text, " ");
		char *end = strstr(name, "  ");

		if (!end)
			continue;
		*end = '\0';
		commands++;
		check_manual(folder, name);
	}
	TEST_TRUE("commands", commands > 0);
}

static const struct test_case cases[] = {
	{ "text fits 80 columns", eighty_columns },
	{ "help anywhere", help_anywhere },
	{ "the manual has every command and keyword", manual_agrees },
};

TEST_MAIN(cases)
