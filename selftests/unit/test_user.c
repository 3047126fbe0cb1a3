// SPDX-License-Identifier: GPL-2.0
/* user: arrivals, pacing and settings of runs in user space. */
#include <linux/ktput_datagram.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "../../tools/engines/user/stream.h"
#include "../../tools/engines/user/settings.h"
#include "../../tools/engines/user/socket.h"
#include "../../tools/engines/user/user_engine.h"
#include "test.h"

#define COOKIE	77
#define MAX	8

static bool arrive(struct user_arrivals *arrivals, uint32_t sequence)
{
	uint8_t payload[sizeof(struct ktput_datagram)];

	user_datagram_fill(payload, COOKIE, sequence, 1000);
	return user_arrivals_add(arrivals, payload, sizeof(payload), COOKIE,
				 1000, NULL);
}

/* Numbers of datagrams in the order they come, and what that comes to. */
static void sequences(void)
{
	static const struct {
		const char *what;
		uint32_t first;
		unsigned int count;
		uint32_t sequence[MAX];
		uint64_t lost, reordered, duplicates, late;
	} rows[] = {
		{ "in order", 0, 3, { 0, 1, 2 }, 0, 0, 0, 0 },
		{ "passed over", 0, 3, { 0, 3, 4 }, 2, 0, 0, 0 },
		{ "exchanged", 0, 3, { 0, 2, 1 }, 0, 1, 0, 0 },
		{ "again", 0, 4, { 0, 1, 1, 0 }, 0, 0, 2, 0 },
		{ "behind, then again", 0, 4, { 0, 2, 1, 1 }, 0, 1, 1, 0 },
		{ "before number 0", 0, 3, { 0, 1, UINT32_MAX }, 0, 0, 0, 1 },
		{ "far ahead", 0, 2, { 0, 5000 }, 4999, 0, 0, 0 },
		{ "too far behind", 0, 3, { 0, 5000, 1 }, 4999, 0, 0, 1 },
		{ "the window's first", 0, 3, { 0, 1023, 64 }, 1021, 1, 0, 0 },
		/* 1100 is 12 behind the begin of a word, 15 are before it. */
		{ "the last within", 0, 3, { 0, 1100, 128 }, 1098, 1, 0, 0 },
		{ "the first beyond", 0, 3, { 0, 1100, 127 }, 1099, 0, 0, 1 },
		{ "what was there a window ago", 0, 3, { 0, 1100, 1024 },
		  1098, 1, 0, 0 },
		{ "over the end of 32 bits", UINT32_MAX - 1, 4,
		  { UINT32_MAX - 1, UINT32_MAX, 0, 1 }, 0, 0, 0, 0 },
		{ "exchanged there", UINT32_MAX, 2, { 0, UINT32_MAX },
		  0, 1, 0, 0 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct user_arrivals arrivals;
		struct client_datagrams counts;

		user_arrivals_init(&arrivals);
		arrivals.stats.next = rows[i].first;
		for (unsigned int j = 0; j < rows[i].count; j++)
			TEST_TRUE(rows[i].what,
				  arrive(&arrivals, rows[i].sequence[j]));
		counts = user_arrivals_show(&arrivals);
		TEST_U64(rows[i].what, counts.received, rows[i].count);
		TEST_U64(rows[i].what, counts.lost, rows[i].lost);
		TEST_U64(rows[i].what, counts.reordered, rows[i].reordered);
		TEST_U64(rows[i].what, counts.duplicates, rows[i].duplicates);
		TEST_U64(rows[i].what, counts.late, rows[i].late);
		TEST_U64(rows[i].what, (uint32_t)(rows[i].first +
			 counts.received - counts.duplicates - counts.late +
			 counts.lost), arrivals.stats.next);
	}
}

static void others(void)
{
	uint8_t payload[sizeof(struct ktput_datagram)];
	struct user_arrivals arrivals;

	user_arrivals_init(&arrivals);
	user_datagram_fill(payload, COOKIE + 1, 0, 0);
	TEST_TRUE("another cookie",
		  !user_arrivals_add(&arrivals, payload, sizeof(payload),
				     COOKIE, 0, NULL));
	TEST_TRUE("no header", !user_arrivals_add(&arrivals, payload,
						  sizeof(payload) - 1, COOKIE,
						  0, NULL));
	TEST_U64("foreign", user_arrivals_show(&arrivals).foreign, 2);
	TEST_TRUE("no delay", !user_arrivals_show(&arrivals).delay_known);
}

static void delays(void)
{
	static const uint64_t sent[] = { 100, 200, 300, 400 };
	static const uint64_t come[] = { 150, 190, 420, 460 };
	uint8_t payload[sizeof(struct ktput_datagram)];
	struct user_arrivals arrivals;
	struct client_datagrams counts;

	user_arrivals_init(&arrivals);
	for (uint32_t i = 0; i < TEST_COUNT(sent); i++) {
		user_datagram_fill(payload, COOKIE, i, sent[i]);
		user_arrivals_add(&arrivals, payload, sizeof(payload), COOKIE,
				  come[i], NULL);
	}
	counts = user_arrivals_show(&arrivals);
	TEST_TRUE("known", counts.delay_known);
	TEST_TRUE("least, by clocks that differ", counts.delay_min_ns == -10);
	TEST_TRUE("most", counts.delay_max_ns == 120);
	TEST_TRUE("sum", counts.delay_sum_ns == 220);
	/* 60/16, that less a sixteenth of it and 130/16, and so again. */
	TEST_U64("jitter", counts.jitter_ns, (60 - 4 + 130 - 12 + 60) / 16);
}

static void pacing(void)
{
	const struct user_settings packets = {
		.packet_rate = 3, .streams = 1, .message_size = 100,
	};
	const struct user_settings bytes = {
		.pacing_rate = 1000000000, .streams = 1, .message_size = 100,
	};
	const struct user_settings none = { .streams = 1 };
	const struct user_settings four = {
		.packet_rate = 10, .streams = 4, .message_size = 100,
	};
	struct user_pace pace = { 0 }, third = { 0 };
	uint64_t begin;

	user_pace_begin(&pace, &four, 0);
	user_pace_begin(&third, &four, 2);
	TEST_TRUE("streams begin apart", third.next - pace.next >= 50000000);
	pace = (struct user_pace) { 0 };
	user_pace_begin(&pace, &none, 0);
	TEST_U64("no limit", user_pace_packets(&pace, 0, 100, 7), 7);

	user_pace_begin(&pace, &packets, 0);
	begin = pace.next;
	TEST_U64("not yet", user_pace_packets(&pace, begin - 1, 100, 7), 0);
	TEST_U64("one is due", user_pace_packets(&pace, begin, 100, 7), 1);
	for (int i = 0; i < 3000; i++)
		user_pace_sent(&pace, 1, 100);
	/* What a third of a second leaves over is kept. */
	TEST_TRUE("3000 at 3 a second are 1000 s",
		  pace.next - begin >= 1000 * UNITS_NSEC_PER_SEC - 1 &&
		  pace.next - begin <= 1000 * UNITS_NSEC_PER_SEC);

	pace = (struct user_pace) { 0 };
	user_pace_begin(&pace, &bytes, 0);
	begin = pace.next;
	TEST_U64("those that were due", user_pace_packets(&pace, begin + 250,
							  100, 7), 3);
	TEST_U64("no more than asked for", user_pace_packets(&pace, begin + 250,
							     100, 2), 2);
	user_pace_packets(&pace, begin + 1000000000, 100, 1);
	TEST_U64("what is old is forgone", pace.next,
		 begin + 1000000000 - 5000000);
}

static struct config plain(enum ktput_role role, enum ktput_transport transport)
{
	struct config config = { 0 };

	config_set(&config, KTPUT_A_CONFIG_ROLE, role);
	config_set(&config, KTPUT_A_CONFIG_TRANSPORT, transport);
	config_set(&config, KTPUT_A_CONFIG_REMOTE_PORT, 5010);
	config_set_string(&config, KTPUT_A_CONFIG_CPUS, "0");
	if (transport == KTPUT_TRANSPORT_UDP)
		config_set(&config, KTPUT_A_CONFIG_COOKIE, COOKIE);
	return config;
}

static void defaults(void)
{
	struct config config = plain(KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_TCP);
	struct user_settings settings;
	struct units_error err;

	TEST_TRUE("tcp", !user_settings_make(&settings, &config, &err));
	TEST_U64("message", settings.message_size, 131072);
	TEST_U64("streams", settings.streams, 1);
	TEST_U64("method", settings.method, KTPUT_METHOD_COPY);
	TEST_U64("written down",
		 settings.config.number[KTPUT_A_CONFIG_SIZE], 131072);
	config = plain(KTPUT_ROLE_SOURCE, KTPUT_TRANSPORT_UDP);
	TEST_TRUE("udp", !user_settings_make(&settings, &config, &err));
	TEST_U64("datagram", settings.message_size, 1448);
	TEST_U64("batch", settings.batch, 1);
	config = plain(KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP);
	TEST_TRUE("sink", !user_settings_make(&settings, &config, &err));
	TEST_U64("connections", settings.streams, 1024);
	TEST_TRUE("any address", settings.any);
}

static void refusals(void)
{
	static const struct {
		enum ktput_transport transport;
		int type;
		uint64_t number;
		const char *says;
	} rows[] = {
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_STREAMS, 0,
		  "streams: must be 1 to 16384" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_SIZE, 1 << 25,
		  "size: must be 1 B to 16 MiB" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_SIZE, 15,
		  "size: must be 16 B to 65507 B" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_SEGMENTS, 64,
		  "segments: must not pass 65507 bytes" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_STREAMS, 16384, NULL },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_REMOTE_PORT, 0,
		  "remote-port: a source needs one" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_SENDFILE, "sendfile works with tcp" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_IO_URING, "io_uring works with tcp" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_IO_URING, NULL },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_DIRECT, "method: only the module" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_DETACH, 1,
		  "detach: a run in user space ends" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_CONNECT_TIMEOUT,
		  UINT64_MAX, "connect-timeout: must be 1 ns to 60 s" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_TIME,
		  KTPUT_MAX_TIME + 1, "time: must be 1 ns to 604800 s" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_DRAIN_TIMEOUT,
		  UINT64_MAX, "drain-timeout: must be 0 ns to 604800 s" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_PACE, 0,
		  "pace: must be at least 8 bit/s for each stream" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_PACE,
		  UINT64_MAX,
		  "pace: must be 8 bit/s to 8796093022208 bit/s for" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_PACKET_RATE, UINT64_MAX,
		  "packet-rate: must be 1 pps to 1099511627776 pps for" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_SNDBUF, 0,
		  "sndbuf: must be 4608 B to 1 GiB" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_MSS, 87,
		  "mss: must be 88 B to 32767 B" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct config config = plain(KTPUT_ROLE_SOURCE,
					     rows[i].transport);
		struct user_settings settings;
		struct units_error err = { "" };
		int ret;

		config_set(&config, rows[i].type, rows[i].number);
		ret = user_settings_make(&settings, &config, &err);
		if (rows[i].says)
			TEST_CONTAINS("refusal", err.text, rows[i].says);
		TEST_TRUE(err.text, !ret == !rows[i].says);
	}
}

static struct config pingpong(enum ktput_role role,
			      enum ktput_transport transport)
{
	struct config config = plain(role, transport);

	config_set(&config, KTPUT_A_CONFIG_PATTERN, KTPUT_PATTERN_PING_PONG);
	return config;
}

static void pingpong_defaults(void)
{
	struct config config = pingpong(KTPUT_ROLE_SOURCE,
					KTPUT_TRANSPORT_UDP);
	struct user_settings settings;
	struct units_error err;

	config_set(&config, KTPUT_A_CONFIG_RESPONSE, 900);
	TEST_TRUE("udp", !user_settings_make(&settings, &config, &err));
	TEST_U64("request", settings.request_size, 64);
	TEST_U64("room", settings.message_size, 900);
	TEST_U64("outstanding", settings.outstanding, 1);
	TEST_U64("timeout", settings.timeout_ns, UNITS_NSEC_PER_SEC);
	TEST_TRUE("of messages of one size",
		  !config_has(&settings.config, KTPUT_A_CONFIG_SIZE));
	config = pingpong(KTPUT_ROLE_SINK, KTPUT_TRANSPORT_TCP);
	config_set(&config, KTPUT_A_CONFIG_REQUEST, 5);
	TEST_TRUE("tcp", !user_settings_make(&settings, &config, &err));
	TEST_U64("as large", settings.response_size, 5);
	TEST_TRUE("at once",
		  config_has(&settings.config, KTPUT_A_CONFIG_NODELAY));
	TEST_TRUE("of the source",
		  !config_has(&settings.config, KTPUT_A_CONFIG_OUTSTANDING));
}

static void pingpong_refusals(void)
{
	static const struct {
		enum ktput_transport transport;
		int type;
		uint64_t number;
		enum config_wait wait;
		bool reconnect;
		const char *says;
	} rows[] = {
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_OUTSTANDING, 64,
		  CONFIG_WAIT_EPOLL, false, NULL },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_OUTSTANDING, 65,
		  CONFIG_WAIT_EPOLL, false, "outstanding: must be 1 to 64" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_OUTSTANDING, 2,
		  CONFIG_WAIT_BLOCK, false, "one response of one stream" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_STREAMS, 2,
		  CONFIG_WAIT_BLOCK, false, "one response of one stream" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_OUTSTANDING, 2,
		  CONFIG_WAIT_SPIN, true, "a connection for each request" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_OUTSTANDING, 1,
		  CONFIG_WAIT_SPIN, true, "UDP has no connections" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_REQUEST, 15,
		  CONFIG_WAIT_EPOLL, false, "request: must be 16 B" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_RESPONSE, 0,
		  CONFIG_WAIT_EPOLL, false, "response: must be 1 B" },
		{ KTPUT_TRANSPORT_UDP, KTPUT_A_CONFIG_TIMEOUT, 999,
		  CONFIG_WAIT_EPOLL, false, "timeout: must be 1 us to 60 s" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_ZEROCOPY, CONFIG_WAIT_EPOLL, false,
		  "method: must be copy" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_METHOD,
		  KTPUT_METHOD_IO_URING, CONFIG_WAIT_EPOLL, false,
		  "method: must be copy" },
		{ KTPUT_TRANSPORT_TCP, KTPUT_A_CONFIG_REPLY,
		  KTPUT_REPLY_CALLBACK, CONFIG_WAIT_EPOLL, false,
		  "an application has no callback" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct config config = pingpong(KTPUT_ROLE_SOURCE,
						rows[i].transport);
		struct user_settings settings;
		struct units_error err = { "" };
		int ret;

		config.wait = rows[i].wait;
		if (rows[i].reconnect)
			config_set(&config, KTPUT_A_CONFIG_CONNECT_PER_REQUEST,
				   1);
		config_set(&config, rows[i].type, rows[i].number);
		ret = user_settings_make(&settings, &config, &err);
		if (rows[i].says)
			TEST_CONTAINS("refusal", err.text, rows[i].says);
		TEST_TRUE(err.text, !ret == !rows[i].says);
	}
}

static int option(int fd, int name)
{
	int value = -1;
	socklen_t size = sizeof(value);

	getsockopt(fd, IPPROTO_TCP, name, &value, &size);
	return value;
}

/* A silent peer is probed from half of the time on, and given up before its end. */
static void silence(void)
{
	static const struct {
		uint64_t silence_s;
		int idle_s, each_s, timeout_ms;
	} rows[] = {
		{ 6, 3, 1, 5500 },
		{ 60, 30, 10, 55000 },
		{ 604800, 32767, 10922, 60072000 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct user_engine engine = { .listener = -1 };
		struct units_error err = { "" };
		struct config config = { 0 };
		int fd;

		config_set(&config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
		config_set(&config, KTPUT_A_CONFIG_PEER_SILENCE,
			   rows[i].silence_s * UNITS_NSEC_PER_SEC);
		address_parse("127.0.0.1", AF_UNSPEC, &config.local, &err);
		TEST_U64("settings", user_settings_make(&engine.settings, &config,
							&err), 0);
		TEST_U64("listens", user_tcp_listen(&engine, &err), 0);
		TEST_STRING("listens", err.text, "");
		fd = engine.listener;
		TEST_U64("idle", option(fd, TCP_KEEPIDLE), rows[i].idle_s);
		TEST_U64("each", option(fd, TCP_KEEPINTVL), rows[i].each_s);
		TEST_U64("probes", option(fd, TCP_KEEPCNT), 3);
		TEST_U64("timeout", option(fd, TCP_USER_TIMEOUT),
			 rows[i].timeout_ms);
		close(fd);
	}
}

static const struct test_case cases[] = {
	{ "numbers of datagrams that arrive", sequences },
	{ "datagrams of others", others },
	{ "delays and jitter", delays },
	{ "pacing", pacing },
	{ "defaults", defaults },
	{ "refusals", refusals },
	{ "defaults of ping-pong", pingpong_defaults },
	{ "refusals of ping-pong", pingpong_refusals },
	{ "peers that are silent", silence },
};

TEST_MAIN(cases)
