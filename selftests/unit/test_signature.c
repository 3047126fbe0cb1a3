// SPDX-License-Identifier: GPL-2.0
/* What makes a kernel load signed modules only. */
#include <stdlib.h>
#include <unistd.h>

#include "../../tools/host/environment.h"
#include "test.h"

static void fill(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void states(void)
{
	static const struct {
		const char *enforce, *lockdown, *want;
	} rows[] = {
		{ "N\n", "[none] integrity confidentiality\n", "nothing" },
		{ "Y\n", "[none] integrity confidentiality\n", "module.sig_enforce" },
		{ "N\n", "none [integrity] confidentiality\n", "lockdown" },
		{ "N\n", "none integrity [confidentiality]\n", "lockdown" },
		{ "Y\n", "none [integrity] confidentiality\n", "module.sig_enforce" },
		{ "", "", "nothing" },
	};
	char enforce[] = "/tmp/ktput-enforce.XXXXXX";
	char lockdown[] = "/tmp/ktput-lockdown.XXXXXX";

	if (mkstemp(enforce) < 0 || mkstemp(lockdown) < 0)
		abort();
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const char *by;

		fill(enforce, rows[i].enforce);
		fill(lockdown, rows[i].lockdown);
		by = signature_asked_by(enforce, lockdown);
		TEST_STRING(rows[i].lockdown, by ? by : "nothing",
			    rows[i].want);
	}
	unlink(enforce);
	unlink(lockdown);
	TEST_TRUE("no files", !signature_asked_by(enforce, lockdown));
}

static const struct test_case cases[] = {
	{ "the parameter of modules, and lockdown", states },
};

TEST_MAIN(cases)
