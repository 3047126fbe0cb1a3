// SPDX-License-Identifier: GPL-2.0
/* Nuttcp: output of nuttcp -fparse -v, of both ends, and malformed output. */
#include <math.h>
#include <stdlib.h>

#include "../../tools/engines/engine.h"
#include "test.h"

/* As nuttcp 6.1.2 has it; the last buffer of the transmitter is a part. */
static const char tcp_text[] =
	"nuttcp-t: v6.1.2: socket\n"
	"nuttcp-t: buflen=131072 nstream=1 port=5901 mode=tcp host=::1\n"
	"nuttcp-t: connect=::1 mss=32741 rtt_ms=0.093\n"
	"nuttcp-t: megabytes=1.5000 real_seconds=0.00 rate_KBps=1 rate_Mbps=8.0\n"
	"nuttcp-t: retrans=0\n"
	"\n"
	"nuttcp-r: v6.1.2: socket\n"
	"nuttcp-r: buflen=131072 nstream=1 port=5901 mode=tcp\n"
	"nuttcp-r: megabytes=1.4567 real_seconds=1.00 rate_KBps=1 rate_Mbps=4.0\n"
	"nuttcp-r: megabytes=1.4567 cpu_seconds=0.21 KB_per_cpu_second=34.64\n";

static void connection(void)
{
	struct engine_result result;
	struct units_error err;

	TEST_U64("client", nuttcp_read(tcp_text, true, &result, &err), 0);
	TEST_U64("all streams are one", result.streams, 1);
	TEST_STRING("version", result.version, "nuttcp 6.1.2");
	TEST_U64("whole buffers", result.stream->bytes, 12 * 131072);
	TEST_TRUE("seconds, by the rate",
		  fabs(result.stream->seconds - 1.572864) < 1e-9);
	TEST_U64("none of UDP", result.stream->datagrams, 0);
	free(result.stream);
	TEST_U64("server", nuttcp_read(tcp_text, false, &result, &err), 0);
	TEST_U64("a part", result.stream->bytes, 1527461);
	free(result.stream);
}

static void datagrams(void)
{
	static const char text[] =
		"nuttcp-t: v6.1.2: socket\n"
		"nuttcp-t: buflen=1448 nstream=1 port=5819 mode=udp host=h\n"
		"nuttcp-t: megabytes=9.4483 real_seconds=0.31 rate_Mbps=258.8\n"
		"\n"
		"nuttcp-r: buflen=1448 nstream=1 port=5819 mode=udp\n"
		"nuttcp-r: megabytes=5.0611 real_seconds=0.30 rate_Mbps=141.0\n"
		"nuttcp-r: drop=3177 pkt=6842 data_loss=46.43375\n";
	struct engine_result result;
	struct units_error err;

	TEST_U64("client", nuttcp_read(text, true, &result, &err), 0);
	TEST_U64("sent", result.stream->datagrams, 6842);
	TEST_U64("bytes", result.stream->bytes, 6842 * 1448);
	free(result.stream);
	TEST_U64("server", nuttcp_read(text, false, &result, &err), 0);
	TEST_U64("received", result.stream->datagrams, 6842 - 3177);
	TEST_U64("bytes", result.stream->bytes, (6842 - 3177) * 1448);
	TEST_U64("lost", result.stream->lost, 3177);
	free(result.stream);
}

static void nothing(void)
{
	struct engine_result result;
	struct units_error err;

	TEST_U64("error", nuttcp_read("nuttcp-t: v6.1.2: Error: connect: no route\n"
				      "errno=113\n", true, &result, &err), -1);
	TEST_STRING("error", err.text, "nuttcp: connect: no route");
	TEST_U64("empty", nuttcp_read("", true, &result, &err), -1);
	TEST_STRING("empty", err.text, "nuttcp has printed no result");
	TEST_U64("no rate", nuttcp_read("nuttcp-t: buflen=8 megabytes=1 rate_Mbps=0\n",
					true, &result, &err), -1);
	TEST_U64("of the other end only",
		 nuttcp_read("nuttcp-r: buflen=8 megabytes=1 rate_Mbps=1\n",
			     true, &result, &err), -1);
	TEST_TRUE("no streams", !result.streams && !result.stream);
}

static const struct test_case cases[] = {
	{ "both ends of TCP", connection },
	{ "both ends of UDP", datagrams },
	{ "no result", nothing },
};

TEST_MAIN(cases)
