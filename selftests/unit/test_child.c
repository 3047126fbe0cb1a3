// SPDX-License-Identifier: GPL-2.0
/* child: what the kernel tells of another program, here of this one. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/base/clocks.h"
#include "../../tools/engines/child.h"
#include "test.h"

#define MANY	100000
#define FEW	10
#define SPIN_NS	20000000
/* What the kernel may not have counted at the first look: a tick of the slowest clock. */
#define TICK_NS	10000000

static int listener(struct address *address)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(at);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, 2) ||
	    getsockname(fd, (struct sockaddr *)&at, &size) ||
	    !address_read("127.0.0.1", address))
		TEST_FAIL("nothing listens");
	address_set_port(address, ntohs(at.sin_port));
	return fd;
}

/* A connection that sends, and whose other side takes all of it. */
static void begin_connection(int listens, const struct address *address,
			     size_t bytes, int ends[2])
{
	static char buffer[MANY];
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(address_port(address)),
	};
	size_t taken = 0;
	ssize_t part = 1;

	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(ends[0], (const struct sockaddr *)&to, sizeof(to)))
		TEST_FAIL("no connection");
	ends[1] = accept(listens, NULL, NULL);
	TEST_U64("sent", write(ends[0], buffer, bytes), bytes);
	while (taken < bytes && part > 0) {
		part = read(ends[1], buffer, sizeof(buffer));
		taken += part > 0 ? part : 0;
	}
	TEST_U64("taken", taken, bytes);
}

static void sockets(void)
{
	struct child_sockets told = { 0 };
	struct address address;
	int few[2], many[2], other[2], listens = listener(&address), elsewhere;
	struct address there;

	elsewhere = listener(&there);
	begin_connection(listens, &address, FEW, few);
	begin_connection(listens, &address, MANY, many);
	begin_connection(elsewhere, &there, MANY, other);
	child_sockets_begin(&told, NULL, &address);
	if (told.looks)
		child_sockets_look(&told, getpid());
	if (!told.looks) {
		test_skip("the kernel has no tcp_diag");
		return;
	}
	TEST_U64("its own sides alone, of that address", told.count, 2);
	child_sockets_rank(&told);
	TEST_U64("the most is first", told.socket[0].tcp.bytes_sent, MANY);
	TEST_U64("the least is last", told.socket[1].tcp.bytes_sent, FEW);
	TEST_TRUE("a round trip", told.socket[0].tcp.rtt_us > 0);
	close(many[0]);
	close(many[1]);
	TEST_U64("sent", write(few[0], "0123456789", FEW), FEW);
	child_sockets_look(&told, getpid());
	TEST_U64("one that is closed is kept", told.count, 2);
	TEST_U64("as it was", told.socket[0].tcp.bytes_sent, MANY);
	TEST_U64("the other is read anew", told.socket[1].tcp.bytes_sent, 2 * FEW);
	child_sockets_end(&told);
	child_sockets_begin(&told, NULL, &address);
	child_sockets_look(&told, 1);
	TEST_U64("another process has none", told.count, 0);
	child_sockets_end(&told);
	TEST_U64("nothing is left", told.count, 0);
	close(few[0]);
	close(few[1]);
	close(other[0]);
	close(other[1]);
	close(listens);
	close(elsewhere);
}

static void spin(uint64_t ns)
{
	const uint64_t until = monotonic_ns() + ns;

	while (monotonic_ns() < until)
		;
}

/* Before anybody has waited for it, the kernel still tells. */
static void times(void)
{
	struct child_times told = { 0 }, before;
	uint64_t begin_ns;
	siginfo_t info;
	pid_t pid;

	child_times_look(&told, getpid());
	if (!told.known) {
		test_skip("the kernel has no schedstat");
		return;
	}
	before = told;
	begin_ns = monotonic_ns();
	spin(SPIN_NS);
	child_times_look(&told, getpid());
	TEST_TRUE("it ran, or waited", told.run_ns + told.delay_ns >=
		  before.run_ns + before.delay_ns + SPIN_NS * 9 / 10);
	TEST_TRUE("once, and not for each thread", told.run_ns + told.delay_ns <=
		  before.run_ns + before.delay_ns + monotonic_ns() - begin_ns + TICK_NS);
	pid = fork();
	if (!pid) {
		spin(SPIN_NS);
		_exit(0);
	}
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	told = (struct child_times) { 0 };
	child_times_look(&told, pid);
	TEST_TRUE("one that has ended", told.known && told.run_ns + told.delay_ns >=
		  SPIN_NS * 9 / 10);
	waitpid(pid, NULL, 0);
	before = told;
	child_times_look(&told, pid);
	TEST_U64("one that is gone keeps its time", told.run_ns, before.run_ns);
	told = (struct child_times) { .known = true, .run_ns = UINT64_MAX };
	child_times_look(&told, getpid());
	TEST_U64("a thread that has gone is not forgotten", told.run_ns, UINT64_MAX);
}

static const struct test_case cases[] = {
	{ "its connections", sockets },
	{ "its CPU time", times },
};

TEST_MAIN(cases)
