// SPDX-License-Identifier: GPL-2.0
/* throttle: the time that quotas take, in hosts and containers, of both hierarchies. */
#include <stdio.h>

#include "../../tools/host/throttle.h"
#include "files.h"
#include "test.h"

static bool reading(const char *groups, uint64_t *us)
{
	char path[128];

	files_put("groups", groups);
	snprintf(path, sizeof(path), "%s/groups", files_root);
	return throttle_read_at(files_root, path, us);
}

#define STAT(us) "usage_usec 5\nnr_throttled 7\nthrottled_usec " us "\n"

static void unified(void)
{
	uint64_t us;

	files_begin();
	files_put("cgroup.controllers", "cpu\n");
	files_put("cpu.stat", "usage_usec 5\n");
	TEST_TRUE("on the root of the machine", reading("0::/\n", &us));
	TEST_U64("is no quota", us, 0);
	files_put("a/b/cpu.stat", STAT("30"));
	files_put("a/cpu.stat", STAT("4"));
	TEST_TRUE("a group", reading("0::/a/b\n", &us));
	TEST_U64("and its parent", us, 34);
	/* The root of a cgroup namespace is the group of a container. */
	files_put("cgroup.type", "domain\n");
	TEST_TRUE("a container that tells nothing", !reading("0::/\n", &us));
	files_put("cpu.stat", STAT("500"));
	TEST_TRUE("a container", reading("0::/\n", &us));
	TEST_U64("its own", us, 500);
	TEST_TRUE("a group in it", reading("0::/a/b\n", &us));
	TEST_U64("all of them", us, 534);
	files_end();
}

static void legacy(void)
{
	uint64_t us;

	files_begin();
	files_put("cgroup.controllers", "\n");
	files_put("cpu,cpuacct/a/cpu.stat", "nr_throttled 7\nthrottled_time 8000\n");
	files_put("cpu,cpuacct/cpu.stat", "nr_throttled 0\nthrottled_time 0\n");
	TEST_TRUE("version 1", reading("5:memory:/m\n3:cpu,cpuacct:/a\n0::/\n", &us));
	TEST_U64("microseconds", us, 8);
	/* The path is one of the host, the files are those of the container. */
	files_put("cpu,cpuacct/cpu.stat", "nr_throttled 1\nthrottled_time 9000\n");
	TEST_TRUE("a container", reading("3:cpu,cpuacct:/docker/f\n", &us));
	TEST_U64("its own", us, 9);
	TEST_TRUE("its folder is not there", !reading("3:cpu:/a\n0::/\n", &us));
	TEST_TRUE("no controller", !reading("3:memory:/a\n", &us));
	files_end();
}

static void share(void)
{
	TEST_TRUE("half of one CPU", throttle_share(500000, 1000000000, 1) == 0.5);
	TEST_TRUE("a quarter of two", throttle_share(500000, 1000000000, 2) == 0.25);
	TEST_TRUE("never more than all", throttle_share(2230000, 1000000000, 1) == 1);
	TEST_TRUE("no window", throttle_share(5, 0, 1) == 0);
	TEST_TRUE("no threads", throttle_share(5, 1000, 0) == 0);
}

static const struct test_case cases[] = {
	{ "the unified hierarchy", unified },
	{ "that of the controller", legacy },
	{ "share of the time", share },
};

TEST_MAIN(cases)
