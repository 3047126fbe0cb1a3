// SPDX-License-Identifier: GPL-2.0
/* Classes: the table's grammar, its refusals, and which rule decides. */
#include <stdlib.h>

#include "../../tools/analysis/classes.h"
#include "test.h"

#define TABLE_NAME	"table"
#define NO_COLON	"none has a colon but after 'leaf' and 'module'"

static int read_text(const char *text, struct classes *classes,
		     struct units_error *err)
{
	FILE *from = fmemopen((char *)text, strlen(text), "r");
	int ret = classes_read(classes, from, TABLE_NAME, err);

	fclose(from);
	return ret;
}

static const char table[] =
	"# a table\n"
	"\n"
	"class user  User space\t\n"
	"class copy\tData  copy # what is moved\n"
	"class tcp   TCP\n"
	"class card  Card\n"
	"caller thunk_*\n"
	"copy memcpy* leaf:csum_*\n"
	"tcp  tcp_[a-r]* sk_?et\n"
	"card module:e1000* leaf:module:virtio*\n"
	"card tcp_*\n";

static void grammar(void)
{
	struct units_error err = { "" };
	struct classes classes;

	TEST_U64("read", read_text(table, &classes, &err), 0);
	TEST_STRING("no refusal", err.text, "");
	TEST_U64("classes", classes.count, 4);
	TEST_U64("user", classes.user, 0);
	TEST_STRING("name", classes.class[1].name, "copy");
	TEST_STRING("title", classes.class[1].title, "Data  copy");
	TEST_STRING("title", classes.class[0].title, "User space");
	TEST_U64("rules", classes.rules, 8);
	TEST_U64("line", classes.rule[7].line, 11);
	classes_free(&classes);
}

static void deciding(void)
{
	static const struct {
		const char *symbol, *module;
		bool leaf;
		const char *class;
	} rows[] = {
		{ "memcpy_erms", "", true, "copy" },
		{ "memcpy", "", false, "copy" },
		{ "__memcpy", "", true, NULL },
		{ "csum_partial", "", true, "copy" },
		{ "csum_partial", "", false, NULL },
		{ "tcp_ack", "", false, "tcp" },
		/* The first rule decides; the last one has the rest. */
		{ "tcp_sendmsg", "", true, "card" },
		{ "sk_get", "", true, "tcp" },
		{ "sk_reset", "", true, NULL },
		{ "start", "e1000e", false, "card" },
		{ "start", "e100", false, NULL },
		{ "start", "virtio_net", true, "card" },
		{ "start", "virtio_net", false, NULL },
		{ "start", "", true, NULL },
		{ "e1000e", "", true, NULL },
		/* Rules come before modules, in the order of the file. */
		{ "memcpy", "e1000e", true, "copy" },
		{ "tcp_sendmsg", "e1000e", true, "card" },
	};
	struct units_error err = { "" };
	struct classes classes;

	TEST_U64("read", read_text(table, &classes, &err), 0);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		size_t class = classes_match(&classes, rows[i].symbol,
					     rows[i].module, rows[i].leaf);

		if (rows[i].class && class < classes.count)
			TEST_STRING(rows[i].symbol, classes.class[class].name,
				    rows[i].class);
		else
			TEST_TRUE(rows[i].symbol,
				  !rows[i].class && class == CLASSES_NONE);
	}
	TEST_U64("thunk", classes_match(&classes, "thunk_r12", "", true),
		 CLASSES_CALLER);
	classes_free(&classes);
}

static void refused(void)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{ "", "table: there is no class 'user'" },
		{ "class copy Copy\n", "table: there is no class 'user'" },
		{ "class user\n", "table:1: 'class' lacks its name or its title" },
		{ "\nclass\n", "table:2: 'class' lacks its name or its title" },
		{ "class user #title\n",
		  "table:1: 'class' lacks its name or its title" },
		{ "class user A\n# x\nclass user B\n",
		  "table:3: class 'user' is there already" },
		{ "class class A\n", "table:1: class 'class' is there already" },
		{ "class caller A\n",
		  "table:1: class 'caller' is there already" },
		{ "class user A\nuser\n", "table:2: no pattern behind 'user'" },
		{ "class user A\ntcp tcp_*\n",
		  "table:2: there is no class 'tcp' yet" },
		{ "class user A\nuser leaf:\n",
		  "table:2: '' is no pattern: "
		  NO_COLON },
		{ "class user A\nuser a file:b\n",
		  "table:2: 'file:b' is no pattern: "
		  NO_COLON },
		{ "class user A\nuser module:leaf:b\n",
		  "table:2: 'leaf:b' is no pattern: "
		  NO_COLON },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct units_error err = { "" };
		struct classes classes;

		/* fmemopen() takes no empty text. */
		TEST_U64(rows[i].sentence,
			 read_text(*rows[i].text ? rows[i].text : "\n",
				   &classes, &err), -1);
		TEST_STRING(rows[i].sentence, err.text, rows[i].sentence);
	}
}

static void limits(void)
{
	struct units_error err = { "" };
	struct classes classes;
	char text[4096];
	size_t length = 0;

	for (unsigned int i = 0; i <= CLASSES_MAX; i++)
		length += snprintf(text + length, sizeof(text) - length,
				   "class c%u Class\n", i);
	TEST_U64("many classes", read_text(text, &classes, &err), -1);
	TEST_STRING("many classes", err.text, "table:33: more than 32 classes");
	memset(text, 'x', 2000);
	text[2000] = '\0';
	TEST_U64("long line", read_text(text, &classes, &err), -1);
	TEST_STRING("long line", err.text,
		    "table:1: the line is longer than 1022 bytes");
}

static void missing_file(void)
{
	struct units_error err = { "" };
	struct classes classes;

	TEST_U64("open", classes_open(&classes, "/nonexistent", &err), -1);
	TEST_STRING("why", err.text,
		    "/nonexistent: No such file or directory");
}

static const struct test_case cases[] = {
	{ "grammar", grammar },
	{ "which rule decides", deciding },
	{ "refusals name the line", refused },
	{ "limits", limits },
	{ "a file that is not there", missing_file },
};

TEST_MAIN(cases)
