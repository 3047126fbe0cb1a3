/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test: KTAP from table-driven C tests.
 *
 * A test program lists its cases and ends with TEST_MAIN(cases). A check that
 * fails prints where and what, and the case goes on, so that one run shows
 * every row that is wrong.
 */
#ifndef KTPUT_UNIT_TEST_H
#define KTPUT_UNIT_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEST_COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* One case: its name and what it does. */
struct test_case {
	const char *name;
	void (*run)(void);
};

static unsigned int test_failures;
static const char *test_skip_reason;

/* Count and explain a failure; "what" is a printf format with arguments. */
#define TEST_FAIL(...)							\
	do {								\
		test_failures++;					\
		printf("# %s:%d: ", __FILE__, __LINE__);		\
		printf(__VA_ARGS__);					\
		printf("\n");						\
	} while (0)

#define TEST_TRUE(what, condition)					\
	do {								\
		if (!(condition))					\
			TEST_FAIL("%s: not " #condition, (what));	\
	} while (0)

#define TEST_U64(what, have, want)					\
	do {								\
		uint64_t have_ = (have), want_ = (want);		\
									\
		if (have_ != want_)					\
			TEST_FAIL("%s: have %llu, want %llu", (what),	\
				  (unsigned long long)have_,		\
				  (unsigned long long)want_);		\
	} while (0)

#define TEST_STRING(what, have, want)					\
	do {								\
		const char *have_ = (have), *want_ = (want);		\
									\
		if (strcmp(have_, want_))				\
			TEST_FAIL("%s: have '%s', want '%s'", (what),	\
				  have_, want_);			\
	} while (0)

#define TEST_CONTAINS(what, have, want)					\
	do {								\
		const char *have_ = (have), *want_ = (want);		\
									\
		if (!strstr(have_, want_))				\
			TEST_FAIL("%s: no '%s' in '%s'", (what), want_,	\
				  have_);				\
	} while (0)

static inline void test_skip(const char *reason)
{
	test_skip_reason = reason;
}

static inline int test_run(const struct test_case *cases, size_t count)
{
	unsigned int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		test_failures = 0;
		test_skip_reason = NULL;
		cases[i].run();
		failed += test_failures != 0;
		printf("%sok %zu %s%s%s\n", test_failures ? "not " : "", i + 1,
		       cases[i].name, test_skip_reason ? " # SKIP " : "",
		       test_skip_reason ? test_skip_reason : "");
	}
	return failed != 0;
}

#define TEST_MAIN(cases)						\
	int main(void)							\
	{								\
		return test_run((cases), TEST_COUNT(cases));		\
	}

#endif
