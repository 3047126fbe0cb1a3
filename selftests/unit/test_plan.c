// SPDX-License-Identifier: GPL-2.0
/* start_plan, pingpong_run: each end is configured for what is typed, and nothing else. */
#include <stdlib.h>

#include "../../tools/result/record.h"
#include "../../tools/run/pingpong_run.h"
#include "../../tools/run/run_options.h"
#include "../../tools/run/start_plan.h"
#include "devices.h"

/* What is typed, and what comes of it for the session, the source and the sink. */
struct row {
	const char *typed;
	const char *session, *source, *sink;
};

/* Both ends are placed, so that nothing depends on the CPUs of the machine. */
static const struct row rows[] = {
	{ "start cpus 0 sink-cpus 1",
	  "time 10, warm-up 0, interval 1, drain 10, source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,remote_port:5010,"
	  "cpus:0,time_ns:10000000000",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,streams:1,cpus:1,"
	  "once:true" },
	{ "start streams 5 size 3000 method copy sink-method trunc sndbuf 40K rcvbuf "
	  "50K congestion reno nodelay pace 80mbit cpus 0,3 sink-cpus 1-2 time 7 "
	  "warmup 2 interval 3 bytes 1M port 4001 drain-timeout 4",
	  "time 7, warm-up 2, interval 3, drain 4, source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,method:copy,"
	  "remote_port:4001,streams:5,size_bytes:3000,sndbuf_bytes:40960,congestion:reno,"
	  "nodelay:true,pace_bytes_per_s:10000000,cpus:0,3,time_ns:9000000000,"
	  "bytes:1048576,drain_timeout_ns:4000000000",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,method:trunc,"
	  "local_port:4001,streams:5,size_bytes:3000,rcvbuf_bytes:51200,cpus:1-2,"
	  "once:true" },
	{ "start from 127.0.0.3 from-port 4002 to 127.0.0.2 connect-timeout 9 bytes 5M "
	  "cpus 0 sink-cpus 1",
	  "time 0, warm-up 0, interval 1, drain 10, source sink",
	  "engine:ktput,local:127.0.0.3,remote:127.0.0.2,role:source,transport:tcp,"
	  "local_port:4002,remote_port:5010,cpus:0,bytes:5242880,"
	  "connect_timeout_ns:9000000000",
	  "engine:ktput,local:127.0.0.2,role:sink,transport:tcp,streams:1,cpus:1,"
	  "once:true" },
	{ "start udp streams 3 ports 4 rate 24mbit cookie 77 cpus 0 sink-cpus 1 port "
	  "4003",
	  "time 10, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:socket,"
	  "remote_port:4003,streams:3,pace_bytes_per_s:1000000,cpus:0,"
	  "time_ns:10000000000,cookie:77,ports:4",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:udp,layer:socket,"
	  "local_port:4003,streams:12,cpus:1,cookie:77" },
	{ "start udp streams 3 rate 3001pps segments 4 size 500 messages 60 cpus 0 "
	  "sink-cpus 1 cookie 78",
	  "time 0, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:socket,"
	  "remote_port:5010,streams:3,size_bytes:500,cpus:0,messages:60,cookie:78,"
	  "packet_rate_per_s:1000,segments:4",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:udp,layer:socket,streams:3,"
	  "cpus:1,cookie:78,segments:4" },
	{ "start udp layer user sink-layer user batch 8 streams 2 cookie 79 cpus 0 "
	  "sink-cpus 1",
	  "time 10, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:user,"
	  "remote_port:5010,streams:2,cpus:0,time_ns:10000000000,cookie:79,batch:8",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:udp,layer:user,streams:2,"
	  "cpus:1,cookie:79,batch:8" },
	{ "start udp layer user cookie 84 cpus 0 sink-cpus 1",
	  "time 10, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:user,"
	  "remote_port:5010,cpus:0,time_ns:10000000000,cookie:84",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:udp,layer:socket,streams:1,"
	  "cpus:1,cookie:84" },
	{ "start layer user sink-layer user dev lo sink-dev lo cpus 0 sink-cpus 1 "
	  "until-eof",
	  "time 10, warm-up 0, interval 1, drain 10, source sink eof",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,layer:user,"
	  "remote_port:5010,dev_index:1,cpus:0,time_ns:10000000000",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,layer:user,dev_index:1,"
	  "streams:1,cpus:1,once:true" },
	{ "start alone udp cookie 80 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source unknown",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:socket,"
	  "remote_port:5010,cpus:0,time_ns:10000000000,cookie:80",
	  "engine:ktput" },
	{ "start alone udp unchecked cookie 81 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:socket,"
	  "remote_port:5010,cpus:0,time_ns:10000000000,cookie:81",
	  "engine:ktput" },
	{ "start from ::1 cpus 0 sink-cpus 1",
	  "time 10, warm-up 0, interval 1, drain 10, source sink",
	  "engine:ktput,local:::1,remote:::1,role:source,transport:tcp,remote_port:5010,"
	  "cpus:0,time_ns:10000000000",
	  "engine:ktput,local:::1,role:sink,transport:tcp,streams:1,cpus:1,once:true" },
	{ "start engine iperf3 interval 3 warmup 1 cpus 0 sink-cpus 1",
	  "time 10, warm-up 1, interval 2.30584e+09, drain 10, source sink",
	  "engine:iperf3,remote:127.0.0.1,role:source,transport:tcp,layer:user,"
	  "remote_port:5201,size_bytes:131072,cpus:0,time_ns:11000000000",
	  "engine:iperf3,local:127.0.0.1,role:sink,transport:tcp,layer:user,streams:1,"
	  "cpus:1,once:true" },
	{ "pingpong cpus 0 sink-cpus 1",
	  "time 10, warm-up 0, interval 1, drain 10, pingpong source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,remote_port:5010,"
	  "cpus:0,time_ns:10000000000,pattern:ping-pong",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,streams:1,cpus:1,"
	  "once:true,pattern:ping-pong" },
	{ "pingpong streams 4 request 100 response 300 outstanding 5 think 6us rate "
	  "800 method copy reply callback time 7 cpus 0 sink-cpus 1",
	  "time 7, warm-up 0, interval 1, drain 10, pingpong source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,method:copy,"
	  "remote_port:5010,streams:4,cpus:0,time_ns:7000000000,packet_rate_per_s:200,"
	  "pattern:ping-pong,request_bytes:100,response_bytes:300,outstanding:5,"
	  "think_ns:6000,reply:callback",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,method:copy,streams:4,"
	  "cpus:1,once:true,pattern:ping-pong,request_bytes:100,response_bytes:300,"
	  "reply:callback" },
	{ "pingpong udp layer user wait spin busy-poll 50us timeout 2 messages 90 "
	  "cookie 82 cpus 0 sink-cpus 1",
	  "time 0, warm-up 0, interval 1, drain 10, udp pingpong source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:user,"
	  "remote_port:5010,cpus:0,messages:90,cookie:82,pattern:ping-pong,"
	  "timeout_ns:2000000000,wait:spin,busy_poll_us:50",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:udp,layer:user,streams:1,"
	  "cpus:1,cookie:82,pattern:ping-pong,wait:spin,busy_poll_us:50" },
	{ "pingpong connect-per-request streams 2 messages 10 cpus 0 sink-cpus 1",
	  "time 0, warm-up 0, interval 1, drain 10, pingpong source sink",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:tcp,remote_port:5010,"
	  "streams:2,cpus:0,messages:10,pattern:ping-pong,connect_per_request:true",
	  "engine:ktput,local:127.0.0.1,role:sink,transport:tcp,cpus:1,pattern:ping-pong" },
	{ "pingpong alone udp sizes 40..90 cookie 83 cpus 0",
	  "time 0, warm-up 0, interval 1, drain 10, udp pingpong source unknown",
	  "engine:ktput,remote:127.0.0.1,role:source,transport:udp,layer:socket,"
	  "remote_port:5010,cpus:0,time_ns:10000000000,messages:200,cookie:83,"
	  "pattern:ping-pong,request_bytes:40",
	  "engine:ktput" },
};

/* Frames, between the devices of a namespace. */
static const struct row frames_rows[] = {
	{ "start udp layer driver alone to 192.0.2.9 mac 2:0:0:0:0:9 from-mac "
	  "2:0:0:0:0:8 size 60-1300 vlan 5:3 vlan-inner 6:2 burst 8 ports 3 "
	  "from-ports 4 addresses 5 from-addresses 6 flow-seed 99 port 4001 "
	  "from-port 4002 queues 0,2 rate 24mbit priority 6 cookie 85 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source",
	  "engine:ktput,local:192.0.2.1,remote:192.0.2.9,role:source,"
	  "transport:udp,layer:driver,local_port:4002,remote_port:4001,"
	  "dev_index:41,pace_bytes_per_s:1500000,priority:6,cpus:0,"
	  "time_ns:10000000000,cookie:85,from_mac:02:00:00:00:00:08,"
	  "mac:02:00:00:00:00:09,vlan_tci:24581,vlan_inner_tci:16390,"
	  "burst_frames:8,size_min_bytes:60,size_max_bytes:1300,from_ports:4,"
	  "ports:3,from_addresses:6,addresses:5,queues:0,2,flow_seed:99",
	  "engine:ktput" },
	{ "start udp layer queue sink-layer ingress dev kta to 198.51.100.1 "
	  "size imix streams 2 ports 3 rate 4kpps cookie 86 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,local:192.0.2.1,remote:198.51.100.1,role:source,"
	  "transport:udp,layer:queue,local_port:49152,remote_port:5010,"
	  "dev_index:41,streams:2,cpus:0,time_ns:10000000000,cookie:86,"
	  "packet_rate_per_s:2000,mac:02:00:00:00:00:02,mix:60:7,590:4,1514:1,"
	  "ports:3",
	  "engine:ktput,local:198.51.100.1,role:sink,transport:udp,"
	  "layer:ingress,local_port:5010,dev_index:42,streams:6,cookie:86" },
	{ "start udp layer driver sink-layer ingress dev kta to 198.51.100.1 "
	  "size 100 queues all addresses 2 reuse cookie 87 port 4003 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source sink",
	  "engine:ktput,local:192.0.2.1,remote:198.51.100.1,role:source,"
	  "transport:udp,layer:driver,local_port:49152,remote_port:4003,"
	  "dev_index:41,cpus:0,time_ns:10000000000,cookie:87,"
	  "mac:02:00:00:00:00:02,size_min_bytes:100,size_max_bytes:100,"
	  "addresses:2,queues:0-2,reuse:true",
	  "engine:ktput,role:sink,transport:udp,layer:ingress,local_port:4003,"
	  "dev_index:42,streams:3,cookie:87" },
	{ "start udp layer driver alone to 203.0.113.7 mac 2:0:0:0:0:7 from "
	  "192.0.2.3 pace-only rate 1kpps cookie 88 cpus 0",
	  "time 10, warm-up 0, interval 1, drain 10, udp source",
	  "engine:ktput,local:192.0.2.3,remote:203.0.113.7,role:source,"
	  "transport:udp,layer:driver,local_port:49152,remote_port:5010,"
	  "dev_index:41,cpus:0,time_ns:10000000000,cookie:88,"
	  "packet_rate_per_s:1000,mac:02:00:00:00:00:07,pace_only:true",
	  "engine:ktput" },
};

static enum options_outcome parse(struct command_context *context,
				  struct run_options *options, char *typed)
{
	struct units_error err = { "" };
	enum options_outcome outcome;
	char *words[60], *save;
	int count = 0;

	for (char *word = strtok_r(typed, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	outcome = options_parse(context->options, count, words, options,
				&context->given, &err);
	TEST_STRING("refused", err.text, "");
	return outcome;
}

/* A configuration as the record has it, without quotes, as it is longer otherwise. */
static char *configuration(const struct config *config)
{
	size_t size = 0, length = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);
	struct output *out = output_new(file, stderr, OUTPUT_JSON, "test");

	record_config(out, "config", config);
	TEST_U64("written", output_free(out), 0);
	fclose(file);
	for (const char *at = text + strlen("{\"config\":{"); *at; at++)
		if (!strchr("\"{}\n", *at))
			text[length++] = *at;
	text[length] = '\0';
	return text;
}

static void show_session(const struct session *session, char *text, size_t size)
{
	snprintf(text, size, "time %g, warm-up %g, interval %g, drain %g,%s%s%s%s%s%s",
		 session->time_ns / 1e9, session->warmup_ns / 1e9,
		 session->interval_ns / 1e9, session->drain_ns / 1e9,
		 session->udp ? " udp" : "", session->pingpong ? " pingpong" : "",
		 session->source.present ? " source" : "",
		 session->sink.present ? " sink" : "",
		 session->receiver_unknown ? " unknown" : "",
		 session->until_eof ? " eof" : "");
}

static void check_row(const struct row *row)
{
	const bool trips = !strncmp(row->typed, "pingpong ", 9);
	struct command_context context = {
		.options = trips ? &run_options_pingpong : &run_options_start,
	};
	struct run_options options = run_options_defaults;
	struct start_plan plan = { .context = &context, .options = &options };
	struct units_error err = { "" };
	char buffer[400], *text;

	snprintf(buffer, sizeof(buffer), "%s", strchr(row->typed, ' ') + 1);
	TEST_U64(row->typed, parse(&context, &options, buffer), OPTIONS_DONE);
	context.out = output_new(stdout, stdout, OUTPUT_TEXT, "# test");
	/* One size of a sweep is the first. */
	if (trips)
		pingpong_run_place(&options);
	if (trips)
		TEST_U64(row->typed, pingpong_run_plan(&plan, &context, &options,
						       options.sizes.first, &err), 0);
	else
		TEST_U64(row->typed, start_plan_make(&plan, &err), 0);
	TEST_STRING(row->typed, err.text, "");
	show_session(&plan.session, buffer, sizeof(buffer));
	TEST_STRING(row->typed, buffer, row->session);
	text = configuration(&plan.session.source.config);
	TEST_STRING(row->typed, text, row->source);
	free(text);
	text = configuration(&plan.session.sink.config);
	TEST_STRING(row->typed, text, row->sink);
	free(text);
	TEST_U64("free", output_free(context.out), 0);
}

static void configured(void)
{
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		check_row(&rows[i]);
}

static void frames(void)
{
	for (size_t i = 0; devices_made() && i < TEST_COUNT(frames_rows); i++)
		check_row(&frames_rows[i]);
}

static const struct test_case cases[] = {
	{ "each end has what is typed for it", configured },
	{ "frames are made of what is typed", frames },
};

TEST_MAIN(cases)
