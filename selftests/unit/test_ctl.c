// SPDX-License-Identifier: GPL-2.0
/* The built ktput-ctl: what "wire" prints, streams and exit statuses. */
#include <json-c/json.h>

#include "outcome.h"
#include "test.h"

static void wire_text(void)
{
	static const char *const want[] = {
		"TCP over IPv4, TCP options 0 bytes, VLAN tags 0, link 1.00 Gb/s",
		"Interframe gap                      96 bits  12 bytes",
		"Preamble and start delimiter        64 bits   8 bytes",
		"Destination and source address      96 bits  12 bytes",
		"Type/length                         16 bits   2 bytes",
		"Frame check sequence                32 bits   4 bytes",
		"Total                              304 bits  38 bytes",
		"991.369772", "982.81181", "949.284785",
	};
	struct outcome outcome = run("wire");

	TEST_U64("status", outcome.status, 0);
	TEST_STRING("diagnostics", outcome.err, "");
	for (size_t i = 0; i < TEST_COUNT(want); i++)
		TEST_CONTAINS("wire", outcome.out, want[i]);
}

/* The number at rates[@row].@key of a wire document. */
static double rate(const char *line, size_t row, const char *key)
{
	struct outcome outcome = run(line);
	struct json_object *root = json_tokener_parse(outcome.out);
	struct json_object *found;
	double value = -1;

	TEST_U64(line, outcome.status, 0);
	if (json_object_object_get_ex(root, "rates", &found) &&
	    json_object_object_get_ex(json_object_array_get_idx(found, row),
				      key, &found))
		value = json_object_get_double(found);
	else
		TEST_FAIL("%s: no rates[%zu].%s in '%s'", line, row, key,
			  outcome.out);
	json_object_put(root);
	return value;
}

static void wire_json(void)
{
	static const struct {
		const char *line, *key;
		size_t row;
		double low, high;
	} rows[] = {
		{ "-j wire", "goodput_bps", 0, 991369772, 991369772.5 },
		{ "-j wire", "goodput_bps", 1, 982811810, 982811811.5 },
		{ "--json wire", "goodput_bps", 2, 949284785, 949284785.5 },
		{ "-p wire timestamps on mtu 1500", "goodput_bps", 0,
		  941.475e6, 941.485e6 },
		{ "-j wire frame rate 10gbit", "frames_per_s", 0, 14880952,
		  14880952 },
		{ "-j wire frame rate 10gbit size 64,512,1518",
		  "frames_per_s", 1, 2349624, 2349624 },
		{ "-j wire frame rate 10gbit size 64,512,1518",
		  "frames_per_s", 2, 812743, 812743 },
		{ "-j wire udp mtu 1500 size 18,64", "frames_per_s", 0,
		  1488095, 1488095 },
		{ "-j wire ipv6 mtu 1500", "l4_bps", 0, 949.28e6, 949.29e6 },
		{ "-j wire vlan 1 mtu 1500", "goodput_bps", 0, 946.822e6,
		  946.823e6 },
		{ "-j wire options 4 mtu 1500", "goodput_bps", 0, 946.683e6,
		  946.685e6 },
		{ "-j wire atm", "goodput_bps", 0, 134.513e6, 134.514e6 },
		{ "-j wire atm", "cells_bps", 0, 149.76e6, 149.76e6 },
		{ "-j wire atm timestamps on", "goodput_bps", 1, 127.861e6,
		  127.862e6 },
		{ "-j wire atm lane", "goodput_bps", 0, 128.920e6, 128.921e6 },
		{ "-j wire atm vc udp mtu 1500 size 12", "packets_per_s", 0,
		  353207, 353208 },
		{ "-j wire pci", "data_bps", 0, 1056000000, 1056000000 },
		{ "-j wire pci", "data_bps", 3, 4224000000, 4224000000 },
		{ "-j wire pci clock 133 width 64", "data_bps", 0, 8512000000,
		  8512000000 },
		{ "-j wire pcie gen 3 lanes 8 payload 256", "data_bps", 0,
		  57.6140e9, 57.6141e9 },
		{ "-j wire pcie gen 1,2 lanes 1,4", "link_bps", 2, 4e9, 4e9 },
		{ "-j wire pcie gen 1 lanes 1 size 60", "frames_per_s", 0,
		  2976190, 2976191 },
		{ "-j wire window buffer 8M,16M rtt 65ms scale 2",
		  "goodput_bps", 1, 1548.6e6, 1548.7e6 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		double value = rate(rows[i].line, rows[i].row, rows[i].key);

		if (value < rows[i].low || value > rows[i].high)
			TEST_FAIL("%s: %s is %.6f", rows[i].line, rows[i].key,
				  value);
	}
}

static void usage_errors(void)
{
	static const struct {
		const char *line, *sentence, *hint;
	} rows[] = {
		{ "", "no command is given", "Usage: ktput-ctl [" },
		{ "bogus", "unknown command 'bogus'", "Try 'ktput-ctl help" },
		{ "help bogus", "unknown command or keyword 'bogus'",
		  "Try 'ktput-ctl help" },
		{ "-x wire", "unknown option '-x'\n", "Try 'ktput-ctl help" },
		{ "-sxy wire", "unknown option '-x'\n", "Try 'ktput-ctl h" },
		{ "--jso --bogus", "unknown option '--bogus'\"}\n", "{\"er" },
		{ "--json=1 wire", "unknown option '--json=1'\n", "Try '" },
		{ "-jx wire", "{\"error\":\"unknown option '-x'\"}\n", NULL },
		{ "-x -j wire", "{\"error\":\"unknown option '-x'\"}\n", NULL },
		{ "wire bogus", "unknown word 'bogus'", "Try 'ktput-ctl w" },
		{ "wire -j", "'-j'; keywords have no hyphen before them, and options, as -j, "
		  "precede the command", "Try 'ktput-ctl w" },
		{ "wire mtu", "'mtu' lacks its value", "Try 'ktput-ctl w" },
		{ "wire mtu 1500 mtu 1500", "'mtu' is given twice", "Try '" },
		{ "wire ipv4 ipv6", "'ipv6' contradicts 'ipv4'", "Try '" },
		{ "wire rate fast", "'fast' is not a number", "Try '" },
		{ "wire rate 10", "'10' lacks its unit", "Try '" },
		{ "wire vlan 3", "'3' is not in the range 0 to 2", "Try '" },
		{ "wire mtu 67", "'67' is not in the range 68 B to", "Try '" },
		{ "wire ipv6 mtu 576", "outside 1280 to 65535", "Try '" },
		{ "wire options 3", "multiple of 4", "Try '" },
		{ "wire timestamps on options 32", "44 bytes", "Try '" },
		{ "wire udp timestamps on", "for tcp alone", "Try '" },
		{ "wire frame mtu 1500", "for tcp and udp", "Try '" },
		{ "wire frame size 63", "least, 64 with FCS", "Try '" },
		{ "wire size 1,2", "several sizes need one 'mtu'", "Try '" },
		{ "wire at", "unknown word 'at'", "Try 'ktput-ctl wire help" },
		{ "wire atm udp timestamps on", "for tcp alone", "Try '" },
		{ "wire atm size 1,2", "'size' is one number", "Try '" },
		{ "wire atm mtu 65535", "above the limit, 65535",
		  "Try 'ktput-ctl wire atm" },
		{ "wire pci width 48", "32 or 64 bits, not 48", "Try '" },
		{ "wire pcie lanes 3", "no PCIe link has 3 lanes", "Try '" },
		{ "wire pcie gen 6", "not in the range 1 to 5\n", "Try '" },
		{ "wire pcie gen 1K", "unexpected 'K' after the digits", "Try '" },
		{ "wire pcie payload 200", "not a power of 2", "Try '" },
		{ "wire window rtt 1s", "'buffer'", "Try '" },
		{ "wire window buffer 1 rtt 1s scale -32", "not in the range 0 to 31",
		  "Try '" },
		{ "start link token-ring", "none of ethernet|atm|", "Try '" },
		{ "start link-rate 0bit", "below the least", "Try '" },
		{ "start bytes 1 messages 1", "'bytes' contradicts 'messages'",
		  "Try 'ktput-ctl start" },
		{ "start bytes 0", "bytes: size '0' is below the least, 1 B",
		  "Try 'ktput-ctl start" },
		{ "start messages 0", "messages: number '0' is below the least",
		  "Try '" },
		{ "start size 0", "size: size '0' is not in the range 1 B to 16 MiB",
		  "Try 'ktput-ctl start" },
		{ "start layer user sink-layer user size 16777217",
		  "size: size '16777217' is not in the range 1 B to 16 MiB", "Try '" },
		{ "start streams 0", "streams: number '0' is not in the range 1 to 16384",
		  "Try 'ktput-ctl start" },
		{ "start engine iperf3 layer user streams 16385",
		  "streams: number '16385' is not in the range 1 to 16384", "Try '" },
		{ "sink streams 0", "streams: number '0' is not in the range 1 to 16384",
		  "Try 'ktput-ctl sink" },
		{ "start pace 7bit", "pace: rate '7bit' is below the least, 8 b/s",
		  "Try '" },
		{ "pingpong outstanding 65",
		  "outstanding: number '65' is not in the range 1 to 64", "Try '" },
		{ "start time 0", "time: time '0' is not in the range 1 ns to 604800 s",
		  "Try '" },
		{ "pingpong messages 0", "messages: number '0' is below the least, 1",
		  "Try 'ktput-ctl pingpong" },
		{ "pingpong time 0", "time: time '0' is not in the range",
		  "Try '" },
		{ "sink time 0", "time: time '0' is not in the range",
		  "Try 'ktput-ctl sink" },
		{ "start alone", "'alone' needs 'to'", "Try '" },
		{ "start sink-netns x", "'sink-netns' needs 'to'", "Try '" },
		{ "start to ::1 alone sink-netns x",
		  "'alone' contradicts 'sink-netns'", "Try '" },
		{ "start detach warmup 1", "'detach' leaves nobody", "Try '" },
		{ "start interval 9ms", "not in the range 10 ms to", "Try '" },
		{ "start until", "'until' must be followed by 'ci'",
		  "Try '" },
		{ "start until bytes 1", "followed by 'ci'", "Try '" },
		{ "start until ci", "'until ci' lacks its value", "Try '" },
		{ "start until ci 0", "no number of runs", "Try '" },
		{ "start until ci 2.5% repeat 2", "'until' needs 3 runs",
		  "Try '" },
		{ "start ci 2.5%", "unknown word 'ci'", "Try '" },
		{ "start repeat 0", "not in the range 1 to", "Try '" },
		{ "start repeat 2 detach", "'detach' leaves nobody", "Try '" },
		{ "start pace fast", "'fast' is not a number", "Try '" },
		{ "start method pages", "none of copy|zerocopy|direct", "Try '" },
		{ "start method sendfile",
		  "'method sendfile' works with layer user and engine iperf3", "Try '" },
		{ "start method io_uring sink-layer user",
		  "'method io_uring' works with layer user only\n", "Try '" },
		{ "start sink-method io_uring layer user",
		  "'sink-method io_uring' works with sink-layer user", "Try '" },
		{ "start engine iperf3 method io_uring",
		  "'method io_uring' does not work with engine iperf3", "Try '" },
		{ "sink method io_uring", "'method io_uring' works with layer user",
		  "Try 'ktput-ctl sink" },
		{ "start port 65536", "65536", "Try '" },
		{ "sink detach interval 1", "'detach' leaves nobody",
		  "Try 'ktput-ctl sink" },
		{ "start udp nodelay", "'nodelay' works with tcp", "Try '" },
		{ "start udp pace 1mbit",
		  "'pace' works with tcp only; with udp use 'rate'", "Try '" },
		{ "start rate 1mbit",
		  "'rate' works with udp only; with tcp use 'pace'", "Try '" },
		{ "start unchecked", "'unchecked' works with udp", "Try '" },
		{ "start udp layer queue unchecked",
		  "'unchecked' works with layer socket", "Try '" },
		{ "start cookie 1", "'cookie' works with udp", "Try '" },
		{ "start segments 2", "'segments' works with udp", "Try '" },
		{ "start layer driver", "'layer driver' works with udp", "Try '" },
		{ "start udp layer ingress", "none of socket|queue|driver|xdp|user",
		  "Try '" },
		{ "start sink-layer ingress", "'sink-layer ingress' works with udp",
		  "Try '" },
		{ "start udp burst 2", "'burst' works with layer driver and layer xdp only",
		  "Try '" },
		{ "start udp layer queue reuse", "'reuse' works with layer driver",
		  "Try '" },
		{ "start udp layer queue pace-only alone to ::1 rate 1kpps",
		  "'pace-only' works with layer driver", "Try '" },
		{ "start udp layer driver pace-only rate 1kpps",
		  "'pace-only' needs 'alone'", "Try '" },
		{ "start udp layer driver pace-only alone to 10.0.0.1",
		  "'pace-only' needs 'rate'", "Try '" },
		{ "start udp mac 2:0:0:0:0:1",
		  "'mac' works with layer queue, layer driver and layer xdp only", "Try '" },
		{ "start udp size 60-100", "a range or a mix works below the socket layer only",
		  "Try '" },
		{ "start udp layer queue segments 2",
		  "'segments' works with layer socket", "Try '" },
		{ "start udp layer queue method copy", "'method' does not work with layer queue",
		  "Try '" },
		{ "start udp layer queue size 60:x", "size: number 'x' is not",
		  "Try '" },
		{ "start udp rate 0pps", "rate '0pps' is below the least",
		  "Try '" },
		{ "start udp rate 5", "'5' lacks its unit (bit, kbit, mbit, "
		  "gbit, tbit, pps, kpps or mpps)", "Try '" },
		{ "start udp layer queue mac 2:0", "mac: MAC address '2:0'",
		  "Try '" },
		{ "start udp layer queue vlan 5000", "vlan: number '5000'",
		  "Try '" },
		{ "start udp layer queue vlan-inner 5",
		  "'vlan-inner' needs 'vlan'", "Try '" },
		{ "start udp sink-layer ingress sink-method copy",
		  "'sink-method' works with sink-layer socket and sink-layer user", "Try '" },
		{ "start udp layer queue ports 0", "not in the range 1 to 65536", "Try '" },
		{ "sink cookie 1", "'cookie' works with udp", "Try '" },
		{ "sink layer ingress", "'layer ingress' works with udp", "Try '" },
		{ "sink layer xdp", "'layer xdp' works with udp", "Try '" },
		{ "sink udp layer xdp dev x detach",
		  "'detach': an XDP sink ends with this process", "Try '" },
		{ "sink udp once", "'once' works with tcp", "Try '" },
		{ "sink udp layer ingress", "'layer ingress' needs 'dev'",
		  "Try '" },
		{ "sink udp layer ingress dev x cpus 0",
		  "'cpus' works with layer socket", "Try '" },
		{ "start -t 5", "unknown word '-t'; here that is 'time TIME'",
		  "Try '" },
		{ "pingpong --time=5", "'--time=5'; here that is 'time TIME'",
		  "Try '" },
		{ "start --tim 5", "'--tim'; did you mean 'time'?", "Try '" },
		{ "start -u time 1s -b 1G -P 4",
		  "unknown words; here '-u' is 'udp', '-b' is 'rate RATE with udp, "
		  "pace RATE with tcp', '-P' is 'streams N'", "Try '" },
		/* As many as the sentence holds. */
		{ "start -c a -R -Z -b 1G -l 64 -t 5 -S 1", "-R' is 'reverse with remote HOST'",
		  "Try '" },
		{ "start --dscp ef --bidir",
		  "here '--dscp' is 'dscp NAME|N', '--bidir' is 'bidir with remote HOST'",
		  "Try '" },
		{ "start -t TCP_RR -H a",
		  "here '-t' is 'ktput-ctl pingpong', '-H' is 'to ADDRESS'", "Try '" },
		{ "-s", "no command is given; a server is 'ktput-ctl sink'\n", "Usage: " },
		{ "-c a -t 5", "unknown option '-c'; here that is 'to ADDRESS', behind a "
		  "command", "Try 'ktput-ctl help" },
		{ "--bidir start", "option '--bidir'; here that is 'bidir with", "Try '" },
		{ "start rate 1gbit", "'rate' works with udp only; with tcp use 'pace'",
		  "Try '" },
		{ "start layer driver", "'layer driver' works with udp only", "Try '" },
		{ "start udp size 15", "size: a datagram of 15 B is not in the range "
		  "16 B to 65507 B", "Try '" },
		{ "start udp layer user size 65508", "size: a datagram of 65508 B is not in",
		  "Try '" },
		{ "start udp sink-layer ingress size 15", "size: a datagram of 15 B is", "Try '" },
		{ "sink udp size 8", "size: a datagram of 8 B is not in", "Try '" },
		{ "pingpong udp size 8", "size: a datagram of 8 B is not in", "Try '" },
		{ "pingpong udp request 64 response 70000",
		  "response: a datagram of 70000 B is not in", "Try '" },
		{ "sink -D", "here that is 'detach'", "Try '" },
		{ "start strems 2", "unknown word 'strems'; did you mean 'streams'?",
		  "Try '" },
		{ "start 192.0.2.2 time 1s",
		  "unknown word '192.0.2.2'; did you mean 'to 192.0.2.2'?\n", "Try '" },
		{ "pingpong fd00::1", "did you mean 'to fd00::1'?", "Try '" },
		{ "sink ::1", "did you mean 'on ::1'?", "Try '" },
		{ "stop 5", "did you mean 'run 5'?", "Try '" },
		{ "start far.txt", "unknown word 'far.txt'\n", "Try '" },
		{ "start add", "unknown word 'add'\n", "Try '" },
		{ "wire 5", "unknown word '5'\n", "Try '" },
		{ "start cpus 0-",
		  "number '' is not a number: it is empty, or a range or list lacks one\n",
		  "Try '" },
		{ "start udp layer driver size 64-", "range or list lacks one\n", "Try '" },
		{ "start pce 1mbit", "did you mean 'pace'?", "Try '" },
		{ "start tiem 1", "did you mean 'time'?", "Try '" },
		{ "help tiem", "unknown command or keyword 'tiem'; did you mean 'time'?",
		  "Try 'ktput-ctl help" },
		{ "strat", "unknown command 'strat'; did you mean 'start'?",
		  "Try 'ktput-ctl help" },
		{ "sink pase 1mbit", "unknown word 'pase'\n", "Try '" },
		{ "pingpong layer queue", "none of socket|driver|user", "Try '" },
		{ "pingpong udp method copy", "'method' works with tcp", "Try '" },
		{ "pingpong mac 2:0:0:0:0:1", "'mac' works with layer driver only\n",
		  "Try '" },
		{ "pingpong size 1 response 1", "'size' contradicts 'response'",
		  "Try '" },
		{ "pingpong sizes 1..2 request 1", "'sizes' contradicts 'request'",
		  "Try '" },
		{ "pingpong think 1s rate 1", "'think' contradicts 'rate'",
		  "Try '" },
		{ "pingpong layer user reply callback",
		  "'reply' works with layer socket and layer driver", "Try '" },
		{ "pingpong sizes 1..2 engine nptcp from 127.0.0.1",
		  "'from' does not work with engine nptcp", "Try '" },
		{ "pingpong sizes 1..2 engine nptcp udp",
		  "'engine nptcp' works with tcp", "Try '" },
		{ "start engine iperf3 sink-layer user",
		  "'sink-layer' does not work with engine iperf3", "Try '" },
		{ "start engine nuttcp pace 1mbit",
		  "'pace' does not work with engine nuttcp", "Try '" },
		{ "start udp batch 2", "'batch' works with layer user and sink-layer user",
		  "Try '" },
		{ "start udp sink-layer xdp rcvbuf 1M",
		  "'rcvbuf' works with engine iperf3, sink-layer socket and sink-layer user only",
		  "Try '" },
		{ "stop", "either 'run' or 'all' is needed",
		  "Try 'ktput-ctl stop" },
		{ "stop run 1 all", "'run' contradicts 'all'", "Try '" },
		{ "show a 1", "'FILE' is given twice", "Try 'ktput-ctl show" },
		{ "show a netns b", "'netns' is for the runs of the module",
		  "Try 'ktput-ctl show" },
		{ "show a run 0", "run 0: the first run of FILE is 1",
		  "Try 'ktput-ctl show" },
		{ "-j wire bogus", "{\"error\":\"unknown word 'bogus'\"}\n",
		  NULL },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct outcome outcome = run(rows[i].line);

		TEST_U64(rows[i].line, outcome.status, 2);
		TEST_STRING(rows[i].line, outcome.out, "");
		TEST_CONTAINS(rows[i].line, outcome.err, rows[i].sentence);
		if (rows[i].hint)
			TEST_CONTAINS(rows[i].line, outcome.err,
				      rows[i].hint);
		else
			TEST_STRING(rows[i].line, outcome.err,
				    rows[i].sentence);
	}
}

#define USER_RUN	"$ktput_ctl start layer user sink-layer user "

/* Results go nowhere, and into no file that is opened afterwards. */
static void closed_streams(void)
{
	static const struct {
		const char *closed, *sentence;
	} rows[] = {
		{ ">&-", "cannot write the results: Bad file descriptor" },
		{ "<&- >&-", "cannot write the results: Bad file descriptor" },
		{ "<&- >&- 2>&-", "" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct outcome outcome;
		char script[256];

		snprintf(script, sizeof(script),
			 "(" USER_RUN "time 50ms record r %s); echo $?;"
			 "wc -l <r; head -c 1 r", rows[i].closed);
		outcome = run_shell(script);
		TEST_STRING(rows[i].closed, outcome.out, "1\n1\n{");
		TEST_CONTAINS(rows[i].closed, outcome.err, rows[i].sentence);
	}
}

/* Of a shell: for ten seconds at most. */
#define AWAIT(condition)						\
	"i=0; until " condition " || [ $((i += 1)) -gt 1000 ]; do "	\
	"sleep 0.01; done;"

/* The reader or the terminal is gone: the record is kept, and nothing else. */
static void nobody_there(void)
{
	static const struct {
		const char *script, *out, *sentence;
	} rows[] = {
		{ "(" USER_RUN "time 20s interval 50ms record r; echo $? >status)"
		  "| head -n 1 >head; cat status; ls; grep -c interrupted.:true r",
		  "1\nhead\nr\nstatus\n1\n",
		  "cannot write the results: Broken pipe" },
		{ "(" USER_RUN "time 20s interval 50ms record r; echo $? >status)"
		  "| head -n 0; cat status; ls; grep -c interrupted.:true r",
		  "1\nr\nstatus\n1\n",
		  "cannot write the results: Broken pipe" },
		{ "env --default-signal=HUP " USER_RUN
		  "time 20s interval 50ms record r >out & "
		  AWAIT("[ -s out ]") AWAIT("[ -e r ] || ! kill -HUP $!")
		  "wait $!; echo $?; ls; grep -c interrupted.:true r",
		  "0\nout\nr\n1\n", "" },
		{ "trap '' HUP;"
		  USER_RUN "time 300ms interval 50ms record r >out & "
		  AWAIT("[ -s out ]") "kill -HUP $!;"
		  "wait $!; echo $?; ls; grep -c interrupted.:false r",
		  "0\nout\nr\n1\n", "" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct outcome outcome = run_shell(rows[i].script);

		TEST_STRING(rows[i].script, outcome.out, rows[i].out);
		TEST_CONTAINS(rows[i].script, outcome.err, rows[i].sentence);
	}
}

/*
 * A word that is no command is the program of that name, beside ktput-ctl or in
 * libexec. Missing programs of the laboratory have a message of their own.
 */
static void other_programs(void)
{
#define INSTALL	"mkdir -p sbin libexec/ktput; cp $ktput_ctl sbin; c=sbin/ktput-ctl;"
#define SHOW	"printf '#!/bin/sh\\necho \"$0:$*:$KTPUT_CTL\"; exit 7' >show;" \
		"install -m 755 show "
#define EXPLAINS	"printf '#!/bin/sh\n" \
		"[ $2 = other ] || echo here: $*; [ $2 != other ]\n' >sbin/ktput-mesh;" \
		"chmod 755 sbin/ktput-mesh;"
	static const struct {
		const char *script, *out, *sentence;
	} rows[] = {
		{ INSTALL SHOW "sbin/ktput-word;cd /; $OLDPWD/$c -s -j word a -x |"
		  "sed s:$OLDPWD/::g", "sbin/ktput-word:-j -s -- a -x:sbin/ktput-ctl\n",
		  "" },
		{ INSTALL SHOW "libexec/ktput/ktput-word;$c -p word; echo $?",
		  "/libexec/ktput/ktput-word:-p --:", "" },
		{ INSTALL SHOW "sbin/ktput-word;$c help word a; echo $?",
		  ":-- help:", "" },
		{ INSTALL SHOW "sbin/ktput-word;$c -h word; echo $?",
		  "\n7\n", "" },
		{ INSTALL "cp sbin/ktput-ctl sbin/ktput-word; chmod 644 sbin/ktput-word;"
		  "$c word; echo $?", "2\n", "unknown command 'word'" },
		{ INSTALL "cp sbin/ktput-ctl sbin/ktput-a; $c ../sbin/a; echo $?",
		  "2\n", "unknown command '../sbin/a'" },
		{ INSTALL "$c ladder tcp; echo $?", "1\n",
		  "'ladder' is a command of the laboratory, which is not installed" },
		{ INSTALL "$c ladder; $c help ladder", "", "python3-numpy" },
		{ INSTALL "printf '#!/nowhere/python' >sbin/ktput-ladder;"
		  "chmod 755 sbin/ktput-ladder; $c ladder; echo $?", "1\n",
		  "/sbin/ktput-ladder' cannot be run: No such file" },
		{ INSTALL EXPLAINS "$c help word; echo $?", "here: explain word\n0\n", "" },
		{ INSTALL EXPLAINS "$c help detach; echo $?",
		  "running\nhere: explain detach\n0\n", "" },
		{ INSTALL EXPLAINS "$c help other; echo $?", "2\n",
		  "unknown command or keyword 'other'" },
		{ INSTALL EXPLAINS "$c -j help word; echo $?", "2\n",
		  "unknown command or keyword 'word'" },
		{ INSTALL "$c help", "\nCommands of the laboratory:\n  ladder    ", "" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct outcome outcome = run_shell(rows[i].script);

		TEST_CONTAINS(rows[i].script, outcome.out, rows[i].out);
		TEST_CONTAINS(rows[i].script, outcome.err, rows[i].sentence);
	}
#undef INSTALL
#undef SHOW
#undef EXPLAINS
}

/* What is run to reach another host ends with its pipe, as it always does. */
static void children_unharmed(void)
{
	struct outcome outcome =
		run_shell("export KTPUT_SSH=\"sh -c 'kill -PIPE \\$\\$';"
			  "echo \\$? >s; false\";"
			  "$ktput_ctl ladder remote x layer user; cat s");

	TEST_STRING("by SIGPIPE", outcome.out, "141\n");
}

/* Keywords that further words can make apply, and those that none can. */
static void completes(void)
{
	static const struct {
		const char *line, *word;
		bool offered;
	} rows[] = {
		{ "complete pingpong outst", "outstanding\t", true },
		{ "complete start rcvb", "rcvbuf\t", true },
		{ "complete start sink-layer socket rcvb", "rcvbuf\t", true },
		{ "complete start sink-layer ingress rcvb", "rcvbuf\t", false },
		{ "complete sink layer ingress rcvb", "rcvbuf\t", false },
		{ "complete start tcp cook", "cookie\t", false },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct outcome outcome = run(rows[i].line);

		TEST_U64(rows[i].line, !!strstr(outcome.out, rows[i].word),
			 rows[i].offered);
	}
}

static const struct test_case cases[] = {
	{ "wire prints the memo's tables", wire_text },
	{ "wire as JSON", wire_json },
	{ "usage errors exit 2 and name the word", usage_errors },
	{ "closed standard streams: no results elsewhere", closed_streams },
	{ "a reader or a terminal that is gone: the record is kept",
	  nobody_there },
	{ "programs that are run end by SIGPIPE", children_unharmed },
	{ "keywords that may follow", completes },
	{ "commands of the laboratory", other_programs },
};

TEST_MAIN(cases)
