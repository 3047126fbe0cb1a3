// SPDX-License-Identifier: GPL-2.0
/* Iperf: output of iperf3 -J, of both ends, and malformed output. */
#include <stdlib.h>

#include "../../tools/engines/engine.h"
#include "test.h"

static int read_text(const char *text, bool sender,
		     struct engine_result *result, struct units_error *err)
{
	struct json_object *document = json_tokener_parse(text);
	int ret = iperf_read(document, sender, result, err);

	json_object_put(document);
	return ret;
}

/* As iperf 3.12 has it; the server says nothing of its client. */
static void tcp(void)
{
	static const char client[] =
		"{\"start\":{\"version\":\"iperf 3.12\"},\"end\":{\"streams\":["
		"{\"sender\":{\"seconds\":1.5,\"bytes\":1000,"
		"\"retransmits\":3,\"max_snd_wnd\":65536,\"min_rtt\":40,"
		"\"mean_rtt\":50},\"receiver\":{\"seconds\":2,\"bytes\":900}},"
		"{\"sender\":{\"seconds\":1,\"bytes\":7},\"receiver\":{}}]}}";
	static const char server[] =
		"{\"start\":{\"version\":\"iperf 3.12\"},\"intervals\":["
		"{\"sum\":{\"end\":1,\"bytes\":7,\"omitted\":true}},"
		"{\"sum\":{\"end\":1.5,\"bytes\":600,\"omitted\":false}},"
		"{\"sum\":{\"end\":1.5,\"bytes\":0,\"omitted\":false}},"
		"{\"sum\":{\"end\":2.25,\"bytes\":300,\"omitted\":false}}],"
		"\"end\":{\"streams\":["
		"{\"sender\":{\"seconds\":2,\"bytes\":0},"
		"\"receiver\":{\"seconds\":2.25,\"bytes\":900}}]}}";
	struct engine_result result;
	struct units_error err;

	TEST_U64("client", read_text(client, true, &result, &err), 0);
	TEST_U64("streams", result.streams, 2);
	TEST_STRING("version", result.version, "iperf 3.12");
	TEST_U64("bytes", result.stream[0].bytes, 1000);
	TEST_TRUE("seconds", result.stream[0].seconds == 1.5);
	TEST_U64("retransmissions", result.stream[0].retransmissions, 3);
	TEST_U64("window", result.stream[0].window_bytes, 65536);
	TEST_U64("mean", result.stream[0].rtt_us, 50);
	TEST_U64("least", result.stream[0].rtt_min_us, 40);
	TEST_U64("of another kernel", result.stream[1].rtt_us, 0);
	free(result.stream);
	free(result.interval);
	TEST_U64("server", read_text(server, false, &result, &err), 0);
	TEST_U64("received", result.stream[0].bytes, 900);
	TEST_TRUE("seconds", result.stream[0].seconds == 2.25);
	TEST_U64("not of the warm-up, and none of no length", result.intervals, 2);
	TEST_U64("end of an interval", result.interval[1].to_ns, 2250000000);
	TEST_U64("bytes of an interval", result.interval[1].bytes, 300);
	free(result.stream);
	free(result.interval);
}

/* The server's bytes are none, and its packets those that were sent. */
static void datagrams(void)
{
	static const char server[] =
		"{\"start\":{\"test_start\":{\"blksize\":1448}},\"end\":"
		"{\"streams\":[{\"udp\":{\"seconds\":1,\"bytes\":0,"
		"\"jitter_ms\":0.25,\"lost_packets\":3,\"packets\":10,"
		"\"out_of_order\":2}}]}}";
	static const char client[] =
		"{\"start\":{\"test_start\":{\"blksize\":100}},\"end\":"
		"{\"streams\":[{\"udp\":{\"seconds\":1,\"bytes\":1000,"
		"\"lost_packets\":3,\"packets\":10}}]}}";
	struct engine_result result;
	struct units_error err;

	TEST_U64("server", read_text(server, false, &result, &err), 0);
	TEST_U64("received", result.stream[0].datagrams, 7);
	TEST_U64("bytes", result.stream[0].bytes, 7 * 1448);
	TEST_U64("lost", result.stream[0].lost, 3);
	TEST_U64("reordered", result.stream[0].reordered, 2);
	TEST_U64("jitter", result.stream[0].jitter_ns, 250000);
	free(result.stream);
	free(result.interval);
	TEST_U64("client", read_text(client, true, &result, &err), 0);
	TEST_U64("sent", result.stream[0].datagrams, 10);
	TEST_U64("bytes", result.stream[0].bytes, 1000);
	TEST_U64("not the client's to say", result.stream[0].lost, 0);
	free(result.stream);
	free(result.interval);
}

static void refused(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "{}", "printed no result" },
		{ "{\"end\":{\"streams\":[]}}", "printed no result" },
		{ "{\"end\":{\"streams\":{}}}", "printed no result" },
		{ "{\"end\":{\"streams\":[{\"sender\":{\"bytes\":1}}]}}",
		  "how long" },
		{ "{\"end\":{\"streams\":[1]}}", "how long" },
		{ "{\"end\":{\"streams\":[{\"udp\":{\"packets\":-5}}]}}",
		  "how long" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct engine_result result;
		struct units_error err = { "" };

		TEST_TRUE(rows[i].text, read_text(rows[i].text, true, &result,
						  &err));
		TEST_TRUE(err.text, strstr(err.text, rows[i].want));
	}
}

static void hostile(void)
{
	static const char text[] =
		"{\"start\":{\"test_start\":{\"blksize\":1e300}},\"end\":"
		"{\"streams\":[{\"udp\":{\"seconds\":1,\"jitter_ms\":-1,"
		"\"lost_packets\":50,\"packets\":10}}]}}";
	struct engine_result result;
	struct units_error err;

	TEST_U64("taken", read_text(text, false, &result, &err), 0);
	TEST_U64("not more than all", result.stream[0].lost, 10);
	TEST_U64("bytes", result.stream[0].bytes, 0);
	TEST_U64("jitter", result.stream[0].jitter_ns, 0);
	free(result.stream);
	free(result.interval);
}

static void errors(void)
{
	struct json_object *document =
		json_tokener_parse("{\"error\":\"no route\"}");

	TEST_STRING("error", iperf_error(document), "no route");
	TEST_TRUE("none", !iperf_error(NULL));
	json_object_put(document);
}

static const struct test_case cases[] = {
	{ "TCP", tcp },
	{ "UDP", datagrams },
	{ "what is no result", refused },
	{ "numbers that cannot be", hostile },
	{ "what it complains of", errors },
};

TEST_MAIN(cases)
