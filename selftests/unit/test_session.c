// SPDX-License-Identifier: GPL-2.0
/*
 * session: when a session looks at its ends, what it prints, waits for and stops, by a
 * clock that the test moves.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../tools/analysis/measure.h"
#include "../../tools/base/interrupt.h"
#include "../../tools/run/session.h"
#include "test.h"

#define MS		1000000ULL
#define ORIGIN		(1000000 * MS)
/* From the begin of a run to its first reading. */
#define FIRST_MS	5
#define CPU		1
#define MESSAGE		1000
#define PORT		6001
/* Descriptors of the ends. */
#define FD		1000

enum { SOURCE, SINK };

/* A run, in ms from its begin on; a source sends a message each ms. */
struct play {
	const char *what;
	/* What the session is. */
	uint64_t time, warmup, interval, drain;
	bool udp, pingpong, no_source, no_sink, reuse, serves, until_eof;
	/* When the source has sent all, and how long its peer's acknowledgments take. */
	uint64_t sends, drains;
	/* When a message has arrived, how many do not, how many come twice. */
	uint64_t lag, lost, again;
	/* When a sink gets its first one. */
	uint64_t waits;
	/* A peer has not got all; the sink does not end by itself; nothing is notified. */
	bool cut, stays, silent;
	/* When the user interrupts, once or twice, and the reader and the writer go. */
	uint64_t interrupts, again_at, reader_gone, eof;
	/* A wake-up that comes late, and by how much. */
	uint64_t late_at, late;
	/* What comes of it: intervals end then, and the result counts from then on. */
	const char *intervals;
	uint64_t begins;
	/* When which end is stopped, 0 for never. */
	uint64_t stopped[2];
	const char *text;
	uint64_t acknowledged;
};

static const struct play *play;
static uint64_t now_ns, stopped_ns[2];
static bool told[2], interrupted[2], reader_told, eof_told, was_late;
static char intervals[400];
static uint64_t before_ms;
/* What was asked for last of each end, and for its first interval. */
static uint32_t parts_asked[2], parts_of_first[2];
static unsigned int views[3];
static uint32_t streams = 1;
static uint64_t closed;

int clock_gettime(clockid_t clock, struct timespec *to)
{
	if (clock != CLOCK_MONOTONIC)
		return syscall(SYS_clock_gettime, clock, to);
	to->tv_sec = now_ns / (1000 * MS);
	to->tv_nsec = now_ns % (1000 * MS);
	return 0;
}

/* When an end sends, or receives, no more; and when its run has ended. */
static uint64_t over_ns(void)
{
	const uint64_t asked = play->sends ? ORIGIN + play->sends * MS : UINT64_MAX;

	return stopped_ns[SOURCE] && stopped_ns[SOURCE] < asked ? stopped_ns[SOURCE] :
								   asked;
}

static uint64_t ended_ns(int end)
{
	const uint64_t source = over_ns() == UINT64_MAX ? UINT64_MAX :
				over_ns() + play->drains * MS;

	if (end == SOURCE)
		return source;
	if (stopped_ns[SINK])
		return stopped_ns[SINK];
	if (play->stays || play->udp || source == UINT64_MAX)
		return UINT64_MAX;
	return over_ns() + play->lag * MS;
}

/* Messages that an end has counted at a time. */
static uint64_t messages(int end, uint64_t at_ns)
{
	const uint64_t lag = end == SINK ? play->lag * MS : 0;
	const uint64_t first = ORIGIN + play->waits * MS + lag;
	const uint64_t last = over_ns() == UINT64_MAX ? UINT64_MAX : over_ns() + lag;
	uint64_t count;

	if (at_ns <= first)
		return 0;
	count = ((at_ns < last ? at_ns : last) - first) / MS;
	if (end == SOURCE || at_ns < last)
		return count;
	return count - play->lost + play->again;
}

static enum ktput_state state_of(int end)
{
	if (now_ns >= ended_ns(end))
		return KTPUT_STATE_ENDED;
	return end == SOURCE && now_ns >= over_ns() ? KTPUT_STATE_DRAINING :
						       KTPUT_STATE_RUNNING;
}

static struct client_run run_of(int end)
{
	return (struct client_run) {
		.id = 7 + end, .state = state_of(end), .now_ns = now_ns,
		.begun_ns = ORIGIN, .streams = streams, .closed = closed,
		.ended_ns = over_ns() < now_ns ? over_ns() : 0, .local_port = PORT + end,
	};
}

/* A source is begun by a configuration for it. */
static int which(const struct session_end *end)
{
	return end->config.number[KTPUT_A_CONFIG_ROLE] == KTPUT_ROLE_SINK ? SINK : SOURCE;
}

static int start(struct session_end *end, const struct session_end *peer, bool detail,
		 struct units_error *err)
{
	(void)detail;
	(void)err;
	TEST_U64("its peer", which(peer), !which(end));
	/* A source comes after its sink, whose port it has then. */
	if (which(end) == SOURCE)
		TEST_U64("port", end->config.number[KTPUT_A_CONFIG_REMOTE_PORT],
			 peer->present ? PORT + SINK : 0);
	end->run = run_of(which(end));
	now_ns = ORIGIN + FIRST_MS * MS;
	return 0;
}

static int snapshot(struct session_end *of, uint32_t parts, struct client_snapshot *to,
		    struct units_error *err)
{
	const int end = which(of);
	const uint64_t count = messages(end, now_ns);
	const struct client_counters counters = {
		.bytes = MESSAGE * count, .messages = count,
	};

	(void)err;
	parts_asked[end] = parts;
	*to = (struct client_snapshot) { .run = run_of(end), .cpu_count = 1 };
	to->cpus = calloc(1, sizeof(*to->cpus));
	to->cpus[0] = (struct client_cpu) {
		.id = CPU, .time_ns = now_ns, .counters = counters,
	};
	if (!(parts & KTPUT_PART_STREAMS))
		return 0;
	to->stream_count = 1;
	to->streams = calloc(1, sizeof(*to->streams));
	to->streams[0] = (struct client_stream) {
		.id = 0, .cpu = CPU, .counters = counters,
		.tcp.state = play->cut ? TCPINFO_FIN_WAIT1 : 0,
		/* Half of a lag later. */
		.tcp.bytes_acked = 1 + MESSAGE * messages(SINK, now_ns - play->drains * MS / 2),
		.datagrams.duplicates = end == SINK && now_ns >= over_ns() + play->lag * MS ?
					play->again : 0,
	};
	return 0;
}

static int refresh(struct session_end *end, struct units_error *err)
{
	(void)err;
	end->run = run_of(which(end));
	return 0;
}

static int stop(struct session_end *end, struct units_error *err)
{
	(void)err;
	if (!stopped_ns[which(end)])
		stopped_ns[which(end)] = now_ns;
	return 0;
}

static int fd(const struct session_end *end)
{
	return FD + which(end);
}

/* They read nothing of a host, and have nothing to be closed. */
static int read_host(struct session_end *end, struct units_error *err)
{
	(void)end;
	(void)err;
	return 0;
}

static void close_end(struct session_end *end, bool delete_runs)
{
	(void)end;
	(void)delete_runs;
}

static const struct backend backend = {
	.start = start, .snapshot = snapshot, .refresh = refresh, .stop = stop, .fd = fd,
	.close = close_end, .read_host = read_host,
};

/* Something that happens at a time, once. */
static bool happens(uint64_t at_ns, uint64_t until, bool *done)
{
	if (*done || at_ns > until || at_ns == UINT64_MAX)
		return false;
	*done = true;
	now_ns = at_ns > now_ns ? at_ns : now_ns;
	return true;
}

static uint64_t at(uint64_t ms)
{
	return ms ? ORIGIN + ms * MS : UINT64_MAX;
}

/* The first of what is polled for that happens before the time is over. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	  const sigset_t *mask)
{
	const uint64_t until = now_ns + timeout->tv_sec * 1000 * MS + timeout->tv_nsec;
	struct { int fd; uint64_t at_ns; bool *done; } all[] = {
		{ FD + SOURCE, play->silent ? UINT64_MAX : ended_ns(SOURCE), &told[SOURCE] },
		{ FD + SINK, play->silent ? UINT64_MAX : ended_ns(SINK), &told[SINK] },
		{ interrupt_catch(), at(play->interrupts), &interrupted[0] },
		{ interrupt_catch(), at(play->again_at), &interrupted[1] },
		{ STDIN_FILENO, at(play->eof), &eof_told },
		{ STDOUT_FILENO, at(play->reader_gone), &reader_told },
	};
	size_t first = TEST_COUNT(all), which_fd = 0;

	(void)mask;
	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = 0;
		for (size_t j = 0; j < TEST_COUNT(all); j++)
			if (fds[i].fd == all[j].fd && !*all[j].done &&
			    (first == TEST_COUNT(all) || all[j].at_ns < all[first].at_ns)) {
				first = j;
				which_fd = i;
			}
	}
	if (first < TEST_COUNT(all) && happens(all[first].at_ns, until, all[first].done)) {
		fds[which_fd].revents = fds[which_fd].events ? fds[which_fd].events : POLLERR;
		if (all[first].fd == interrupt_catch())
			raise(SIGINT);
		return 1;
	}
	if (until > ORIGIN + 1000000 * MS) {
		printf("# %s: waits for nothing\n", play->what);
		abort();
	}
	now_ns = until;
	if (play->late && !was_late && now_ns >= ORIGIN + play->late_at * MS) {
		was_late = true;
		now_ns += play->late * MS;
	}
	return 0;
}

static uint64_t since_ms(uint64_t ns)
{
	return (ns - ORIGIN) / MS;
}

static void begin(const struct session *session)
{
	(void)session;
	views[0]++;
}

static void end(const struct session *session)
{
	(void)session;
	views[1]++;
}

static void have_ended(struct session *session)
{
	(void)session;
	views[2]++;
}

/* Each interval begins where the last one ended, and has what came meanwhile. */
static void interval(struct session *session, const struct client_snapshot *before,
		     const struct client_snapshot *source_before)
{
	const struct session_end *counted = session_counted(session);
	const size_t length = strlen(intervals);

	TEST_U64(play->what, since_ms(before->run.now_ns), before_ms);
	TEST_U64(play->what, measure_total(before).messages,
		 before_ms ? messages(which(counted), ORIGIN + before_ms * MS) : 0);
	TEST_U64(play->what, measure_total(&counted->last).messages,
		 messages(which(counted), now_ns));
	if (session->source.present) {
		TEST_U64(play->what, since_ms(source_before->run.now_ns), before_ms);
		TEST_U64(play->what, measure_total(source_before).messages,
			 before_ms ? messages(SOURCE, ORIGIN + before_ms * MS) : 0);
	}
	if (!before_ms) {
		TEST_U64("streams count from 0", before->stream_count, 0);
		memcpy(parts_of_first, parts_asked, sizeof(parts_asked));
	}
	before_ms = since_ms(counted->last.run.now_ns);
	snprintf(intervals + length, sizeof(intervals) - length, "%s%llu",
		 length ? " " : "", (unsigned long long)before_ms);
}

static const struct session_view view = {
	.begin = begin, .interval = interval, .end = end, .ended = have_ended,
};

static struct session *session_of(const struct play *of, const struct command_context *context)
{
	struct session *session = calloc(1, sizeof(*session));

	play = of;
	now_ns = ORIGIN;
	memset(stopped_ns, 0, sizeof(stopped_ns));
	memset(told, 0, sizeof(told));
	memset(interrupted, 0, sizeof(interrupted));
	memset(views, 0, sizeof(views));
	reader_told = false;
	eof_told = false;
	was_late = false;
	intervals[0] = '\0';
	before_ms = 0;
	session->out = context->out;
	session->context = context;
	session->udp = of->udp;
	session->pingpong = of->pingpong;
	session->until_eof = of->until_eof;
	session->time_ns = of->time * MS;
	session->warmup_ns = of->warmup * MS;
	session->interval_ns = of->interval * MS;
	session->drain_ns = of->drain * MS;
	session->source = (struct session_end) {
		.present = !of->no_source, .backend = &backend, .host = "far",
	};
	session->sink = (struct session_end) {
		.present = !of->no_sink, .backend = &backend, .host = "far",
	};
	/* Of a source and a sink without pings, payload passes sockets. */
	config_set(&session->source.config, KTPUT_A_CONFIG_LAYER, KTPUT_LAYER_SOCKET);
	config_set(&session->source.config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SOURCE);
	config_set(&session->sink.config, KTPUT_A_CONFIG_ROLE, KTPUT_ROLE_SINK);
	if (!of->serves)
		config_set(&session->sink.config, KTPUT_A_CONFIG_ONCE, 1);
	if (of->reuse)
		config_set(&session->source.config, KTPUT_A_CONFIG_REUSE, 1);
	return session;
}

static struct command_context context;

static void check(const struct play *row)
{
	struct session *session = session_of(row, &context);
	const struct session_end *lead = session_leading(session);
	struct units_error err = { "" };
	int ret = session_begin(session, &err);

	TEST_U64(row->what, session->origin_ns, ORIGIN);
	TEST_U64(row->what, since_ms(lead->begin.run.now_ns), FIRST_MS);
	if (!ret)
		ret = session_watch(session, &view, &err);
	TEST_STRING(row->what, err.text, row->text ? row->text : "");
	TEST_TRUE(row->what, !ret == !row->text);
	TEST_STRING(row->what, intervals, row->intervals);
	for (int i = 0; i < 2; i++) {
		const struct session_end *end = i ? &session->sink : &session->source;

		if (end->present)
			TEST_U64(row->what, since_ms(end->begin.run.now_ns), row->begins);
		TEST_U64(i ? "the sink is stopped" : "the source is stopped",
			 stopped_ns[i] ? since_ms(stopped_ns[i]) : 0, row->stopped[i]);
		TEST_U64(row->what, views[i], 1);
	}
	TEST_U64(row->what, views[2], !row->text);
	TEST_U64(row->what, session->interrupted, row->interrupts || row->reader_gone);
	TEST_U64(row->what, session->acknowledged_ns ? since_ms(session->acknowledged_ns) : 0,
		 row->acknowledged);
	session_close(session, true);
	interrupt_renew();
	free(session);
}

/* Intervals, the warm-up, and the end of the source. */
static void times(void)
{
	static const struct play rows[] = {
		{ "whole intervals", .time = 3000, .interval = 1000, .sends = 3000, .lag = 10,
		  .intervals = "1000 2000 3010", .begins = FIRST_MS },
		{ "a source alone", .time = 3000, .interval = 1000, .sends = 3000,
		  .no_sink = true, .intervals = "1000 2000 3000", .begins = FIRST_MS },
		{ "a warm-up shorter than an interval", .time = 10000, .warmup = 2000,
		  .interval = 3000, .sends = 12000, .lag = 10,
		  .intervals = "2000 5000 8000 11000 12010", .begins = 2000 },
		{ "a longer one", .time = 4000, .warmup = 5000, .interval = 2000,
		  .sends = 9000, .lag = 10, .intervals = "2000 4000 5000 7000 9010",
		  .begins = 5000 },
		{ "of whole intervals", .time = 2000, .warmup = 2000, .interval = 1000,
		  .sends = 4000, .lag = 10, .intervals = "1000 2000 3000 4010",
		  .begins = 2000 },
		{ "a short rest is an interval", .time = 10100, .interval = 2000,
		  .sends = 10100, .lag = 1, .intervals = "2000 4000 6000 8000 10000 10101",
		  .begins = FIRST_MS },
		{ "a shorter one is none", .time = 10099, .interval = 2000, .sends = 10099,
		  .lag = 1, .intervals = "2000 4000 6000 8000 10100", .begins = FIRST_MS },
		{ "likewise after a warm-up", .time = 4049, .warmup = 500, .interval = 1000,
		  .sends = 4549, .lag = 1, .intervals = "500 1500 2500 3500 4550",
		  .begins = 500 },
		{ "no time", .interval = 1000, .sends = 2500, .lag = 10,
		  .intervals = "1000 2000 2510", .begins = FIRST_MS },
		{ "ended sooner", .time = 9000, .interval = 1000, .sends = 2500, .lag = 10,
		  .intervals = "1000 2000 2510", .begins = FIRST_MS },
		{ "late", .time = 5000, .interval = 1000, .sends = 5000, .lag = 10,
		  .late_at = 1500, .late = 1700, .intervals = "1000 3200 4000 5010",
		  .begins = FIRST_MS },
		{ "late at the end of the warm-up", .time = 4000, .warmup = 1000,
		  .interval = 1000, .sends = 5000, .lag = 10, .late_at = 900, .late = 300,
		  .intervals = "1300 2000 3000 4000 5010", .begins = 1300 },
		/* Looks are half a second apart. */
		{ "nothing is notified", .interval = 10000, .sends = 1200, .lag = 600,
		  .silent = true, .intervals = "2005", .begins = FIRST_MS },
		/* It counts from its begin on, or from the last reading without payload. */
		{ "a sink alone", .interval = 1000, .sends = 2500, .no_source = true,
		  .intervals = "1000 2000 2500", .begins = 0 },
		{ "a sink alone, that waits", .interval = 1000, .sends = 4500, .waits = 2500,
		  .no_source = true, .intervals = "1000 2000 3000 4000 4500",
		  .begins = 2000 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		check(&rows[i]);
}

/* What the sink is waited for, and when it is stopped. */
static void waits(void)
{
	static const struct play rows[] = {
		{ "datagrams, all there", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 5000, .intervals = "1000 1500", .begins = FIRST_MS,
		  .stopped = { 0, 1500 } },
		{ "datagrams, some later", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 5000, .lag = 90, .intervals = "1000 1600", .begins = FIRST_MS,
		  .stopped = { 0, 1600 } },
		/* The first look finds some, fifteen more find none, and one ends it. */
		{ "datagrams, some lost", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 5000, .lost = 5, .intervals = "1000 1820", .begins = FIRST_MS,
		  .stopped = { 0, 1820 } },
		{ "datagrams, some lost and some later", .udp = true, .interval = 1000,
		  .sends = 1500, .drain = 5000, .lag = 90, .lost = 5,
		  .intervals = "1000 1920", .begins = FIRST_MS, .stopped = { 0, 1920 } },
		{ "datagrams, no time left", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 100, .lost = 5, .intervals = "1000 1600", .begins = FIRST_MS,
		  .stopped = { 0, 1600 } },
		/* There may be more, until a look finds none. */
		{ "datagrams, one twice", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 5000, .again = 1, .intervals = "1000 1520", .begins = FIRST_MS,
		  .stopped = { 0, 1520 } },
		{ "datagrams, one twice for one lost", .udp = true, .interval = 1000,
		  .sends = 1500, .drain = 5000, .again = 2, .lost = 2,
		  .intervals = "1000 1820", .begins = FIRST_MS, .stopped = { 0, 1820 } },
		{ "datagrams that are alike", .udp = true, .interval = 1000, .sends = 1500,
		  .drain = 5000, .again = 2, .lost = 2, .reuse = true,
		  .intervals = "1000 1500", .begins = FIRST_MS, .stopped = { 0, 1500 } },
		{ "a sink that ends by itself", .interval = 1000, .sends = 1500,
		  .drain = 5000, .lag = 2300, .intervals = "1000 3800",
		  .begins = FIRST_MS },
		{ "a sink that serves others", .interval = 1000, .sends = 1500,
		  .drain = 5000, .lag = 2300, .serves = true, .intervals = "1000 1500",
		  .begins = FIRST_MS, .stopped = { 0, 1500 } },
		{ "a sink that does not end", .interval = 1000, .sends = 1500, .drain = 2000,
		  .stays = true, .intervals = "1000 8500", .begins = FIRST_MS,
		  .stopped = { 0, 8500 } },
		{ "a source that is cut off", .interval = 1000, .sends = 1500, .drain = 2000,
		  .stays = true, .cut = true, .intervals = "1000 1840", .begins = FIRST_MS,
		  .stopped = { 0, 1840 } },
		{ "likewise, with something under way", .interval = 1000, .sends = 1500,
		  .drain = 2000, .lag = 90, .stays = true, .cut = true,
		  .intervals = "1000 1940", .begins = FIRST_MS, .stopped = { 0, 1940 } },
		/* Acknowledgments grow until 1950, and are looked at each 50 ms. */
		{ "a source that drains", .time = 1500, .interval = 1000, .sends = 1500,
		  .drain = 5000, .drains = 900, .lag = 3, .no_sink = true,
		  .intervals = "1000 2400", .begins = FIRST_MS, .acknowledged = 2000 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		check(&rows[i]);
}

/* What ends a source sooner than it was asked to. */
static void stops(void)
{
	static const struct play rows[] = {
		{ "interrupted", .time = 9000, .interval = 1000, .sends = 9000, .lag = 10,
		  .interrupts = 1700, .intervals = "1000 1710", .begins = FIRST_MS,
		  .stopped = { 1700, 0 } },
		{ "interrupted while it drains", .time = 1500, .interval = 1000,
		  .sends = 1500, .drains = 900, .lag = 910, .interrupts = 1600,
		  .again_at = 1700, .intervals = "1000", .begins = FIRST_MS,
		  .stopped = { 1600, 0 }, .text = "given up; the result is lost",
		  .acknowledged = 1650 },
		{ "no reader", .time = 9000, .interval = 1000, .sends = 9000, .lag = 10,
		  .reader_gone = 1700, .intervals = "1000 1710", .begins = FIRST_MS,
		  .stopped = { 1700, 0 } },
		{ "the end of the input", .time = 9000, .interval = 1000, .sends = 9000,
		  .lag = 10, .eof = 1700, .until_eof = true, .intervals = "1000 1710",
		  .begins = FIRST_MS, .stopped = { 1700, 0 } },
		{ "an input that does not matter", .time = 2000, .interval = 1000,
		  .sends = 2000, .lag = 10, .eof = 1700, .intervals = "1000 2010",
		  .begins = FIRST_MS },
		{ "a sink alone", .interval = 1000, .no_source = true, .stays = true,
		  .interrupts = 1700, .intervals = "1000 1700", .stopped = { 0, 1700 } },
	};

	if (!freopen("/dev/null", "r", stdin))
		TEST_FAIL("no /dev/null");
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		check(&rows[i]);
}

/* What an interval asks an end for; at the end all is asked for. */
static void parts(void)
{
	enum { ALL = CLIENT_ALL, SUMS = CLIENT_SUMS, PEERS = CLIENT_SUMS | KTPUT_PART_PEERS };
	static const struct {
		const char *what;
		struct play play;
		bool detail, closes;
		uint32_t streams, source, sink;
	} rows[] = {
		{ "few streams", { .time = 0 }, .streams = KTPUT_SNAPSHOT_PORTION,
		  .source = ALL, .sink = ALL },
		{ "many streams", { .time = 0 }, .streams = KTPUT_SNAPSHOT_PORTION + 1,
		  .source = SUMS, .sink = SUMS },
		{ "many, each of them", { .time = 0 }, .detail = true, .streams = 100,
		  .source = ALL, .sink = ALL },
		{ "many, of which one has gone", { .time = 0 }, .closes = true,
		  .streams = 100, .source = ALL, .sink = ALL },
		{ "a source alone", { .no_sink = true }, .streams = 100, .source = ALL },
		{ "of datagrams", { .no_sink = true, .udp = true }, .streams = 100,
		  .source = SUMS },
		{ "of round trips", { .no_sink = true, .pingpong = true }, .streams = 100,
		  .source = SUMS },
		{ "a sink alone", { .no_source = true }, .streams = 100, .sink = PEERS },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct play of = rows[i].play;
		struct session *session;
		struct units_error err = { "" };

		of.what = rows[i].what;
		of.interval = 1000;
		of.interrupts = 1500;
		of.stays = of.no_source;
		session = session_of(&of, &context);
		session->detail = rows[i].detail;
		streams = rows[i].streams;
		TEST_U64(of.what, session_begin(session, &err), 0);
		closed = rows[i].closes;
		TEST_U64(of.what, session_watch(session, &view, &err), 0);
		TEST_STRING(of.what, intervals, "1000 1500");
		for (int end = of.no_source; end <= !of.no_sink; end++) {
			TEST_U64(of.what, parts_of_first[end],
				 end ? rows[i].sink : rows[i].source);
			TEST_U64("at the end", parts_asked[end], ALL);
		}
		session_close(session, true);
		interrupt_renew();
		free(session);
		streams = 1;
		closed = 0;
	}
}

static const struct test_case cases[] = {
	{ "intervals and warm-up", times },
	{ "what a sink is waited for", waits },
	{ "what ends a session", stops },
	{ "what is asked for", parts },
};

int main(void)
{
	int ret;

	context.out = output_new(stdout, stdout, OUTPUT_TEXT, "# test");
	ret = test_run(cases, TEST_COUNT(cases));
	ret |= output_free(context.out);
	return ret;
}
