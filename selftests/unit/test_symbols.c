// SPDX-License-Identifier: GPL-2.0
/* Symbols: functions by address, from text in the form of /proc/kallsyms. */
#include "../../tools/host/symbols.h"
#include "test.h"

static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t beta.isra.0\n"
	"ffffffff81000100 T alpha\n"
	"ffffffff810000f0 t __pfx_alpha\n"
	"ffffffff81000300 D data\n"
	"ffffffff81000200 W weak\n"
	"ffffffffc0000000 t receive\t[ktput]\n"
	"ffffffffc0000040 t bpf_prog_1_x\t[bpf]\n"
	"ffffffff81000280 t .cold\n"
	"nonsense\n";

static int read_text(const char *text, struct symbols *symbols,
		     struct units_error *err)
{
	FILE *from = fmemopen((char *)text, strlen(text), "r");
	int ret = symbols_read(symbols, from, err);

	fclose(from);
	return ret;
}

static void found(void)
{
	static const struct {
		uint64_t address;
		const char *name, *module;
	} rows[] = {
		{ 0xffffffff80ffffff, NULL, NULL },
		{ 0xffffffff81000000, "_text", "" },
		{ 0xffffffff810000ff, "_text", "" },
		{ 0xffffffff81000100, "alpha", "" },
		{ 0xffffffff81000200, "weak", "" },
		{ 0xffffffff81000290, ".cold", "" },
		{ 0xffffffff81000301, ".cold", "" },
		{ 0xffffffffc0000001, "receive", "ktput" },
		{ 0xffffffffffffffff, "bpf_prog_1_x", "bpf" },
	};
	struct units_error err = { "" };
	struct symbols symbols;

	TEST_U64("read", read_text(kallsyms, &symbols, &err), 0);
	TEST_STRING("no refusal", err.text, "");
	TEST_U64("count", symbols.count, 6);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		size_t symbol = symbols_find(&symbols, rows[i].address);

		if (!rows[i].name) {
			TEST_U64("before all", symbol, SYMBOLS_NONE);
			continue;
		}
		TEST_STRING("name", symbols.entry[symbol].name, rows[i].name);
		TEST_STRING("module", symbols.entry[symbol].module,
			    rows[i].module);
	}
	symbols_free(&symbols);
}

static void suffixes(void)
{
	struct units_error err = { "" };
	struct symbols symbols;

	TEST_U64("read", read_text("10 t tcp_ack.part.0.cold\n", &symbols,
				   &err), 0);
	TEST_STRING("name", symbols.entry[0].name, "tcp_ack");
	symbols_free(&symbols);
}

static void hidden(void)
{
	struct units_error err = { "" };
	struct symbols symbols;

	TEST_U64("hidden", read_text("0000000000000000 T _text\n"
				     "0000000000000000 t receive\t[ktput]\n",
				     &symbols, &err), -1);
	TEST_CONTAINS("hidden", err.text, "are hidden: it takes root");
	TEST_U64("nothing", read_text("0000000000000001 D data\n", &symbols,
				      &err), -1);
	TEST_CONTAINS("nothing", err.text, "there are no functions");
}

static const struct test_case cases[] = {
	{ "functions by address", found },
	{ "what the compiler appends is dropped", suffixes },
	{ "hidden addresses are refused", hidden },
};

TEST_MAIN(cases)
