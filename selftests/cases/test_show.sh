#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl show FILE: what start, sink and pingpong printed at their end, to the
# byte, from the record alone; as text, with -s and as JSON. The runs are those of user
# space; test_show_module.sh has the module's.
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"
. "$(dirname "$0")/../lib/shown.sh"

need ktput-ctl gojq pkill ss
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
cd "$scratch" || exit 1
plan 61

user=(layer user sink-layer user interval 10ms)
all_forms "TCP" same start "${user[@]}" bytes 4M streams 2
all_forms "TCP after a warm-up" timed start "${user[@]}" time 100ms warmup 50ms
all_forms "IPv6, by sendfile()" same start "${user[@]}" to ::1 method sendfile bytes 4M
all_forms "UDP" same start "${user[@]}" udp messages 2000 rate 20kpps
all_forms "UDP, one datagram" invalid start "${user[@]}" udp messages 1
all_forms "not valid" invalid start "${user[@]}" bytes 64K warmup 1h
all_forms "repeated" same start "${user[@]}" bytes 256K repeat 3
all_forms "repeated until the mean is known" same start "${user[@]}" bytes 256K \
	until ci 100% repeat 5
all_forms "interrupted" interrupted start "${user[@]}" time 1h
all_forms "a path of ATM" same start "${user[@]}" bytes 1M link atm
all_forms "a sink alone" sink_alone layer user
all_forms "a source alone" source_alone layer user
all_forms "ping-pong" same pingpong layer user messages 200
all_forms "ping-pong, repeated" same pingpong layer user messages 50 repeat 3
all_forms "ping-pong of UDP" same pingpong layer user udp messages 200
all_forms "ping-pong, interrupted" interrupted pingpong layer user \
	interval 10ms time 1h

# Of what is not as it was printed: the result is computed again.
one_byte_more()
{
	jq -c '.readings.sink.end.streams[0].bytes += 1' tcp >changed
	ktput-ctl show changed >shown || return 1
	grep '^Disagreement' shown && grep '^INVALID' shown
}
ktput-ctl start "${user[@]}" bytes 1M record tcp >/dev/null
ktput-ctl pingpong layer user messages 20 record trips >/dev/null
check "a count that is changed shows" one_byte_more

wide()
{
	jq -c '.result.latency_ns[] = 12345678900' trips >slow
	ktput-ctl -s show slow >shown && ktput-ctl -s show tcp >>shown &&
		[ -s shown ] && ! grep -E '.{81}' shown
}
check "it fits 80 columns" wide

several()
{
	{ cat tcp; jq . trips; } | ktput-ctl show - >shown || return 1
	[ "$(grep -c '^# Run [12] ' shown)" = 2 ] &&
		[ "$(ktput-ctl show trips)" = "$(awk '/^# Run 2/ { second = 1 }
			results { print }
			second && /^$/ { results = 1 }' shown)" ]
}
check "several commands have headings; standard input" several

the_second()
{
	cat tcp trips >both
	[ "$(ktput-ctl show both run 2)" = "$(ktput-ctl show trips)" ]
}
check "one run of several" the_second

{ cat tcp; echo '{"sink":'; } >damaged
jq -c '.record_version = 2' tcp >later
jq -c 'del(.readings)' tcp >earlier
echo '{"ladder": {}}' >ladder
echo '{"sweep": {}, "sizes": []}' >sweep
refused "a line that was cut is left out" 0 \
	"^ktput-ctl: warning: damaged:2: the JSON ends in the middle.*; left out" \
	ktput-ctl show damaged
refused "a version that is not known" 1 "later:1: its record_version is 2" \
	ktput-ctl show later
refused "a record without readings" 1 "earlier:1: has no readings" \
	ktput-ctl show earlier
refused "a ladder" 1 "ladder has no run, but a ladder: '.*plot ladder' shows it" \
	ktput-ctl show ladder
refused "a sweep" 1 "no run, but a sweep of sizes: '.*plot pingpong' shows it" \
	ktput-ctl show sweep
refused "no such run" 1 "tcp has no run 2, but 1" ktput-ctl show tcp run 2
refused "no such file" 1 "absent: cannot be read: No such file" \
	ktput-ctl show absent
named()
{
	cat tcp ladder >mixed
	ktput-ctl show mixed >shown 2>said &&
		grep "warning: mixed:2 is a ladder: '.*plot ladder'" said &&
		[ "$(<shown)" = "$(ktput-ctl show tcp)" ]
}
check "a ladder beside a run is named" named

profiled()
{
	jq -c '.profile = {}' tcp >sampled
	ktput-ctl show sampled >shown 2>said && grep 'warning: the profile' said &&
		ktput-ctl -j show sampled | jq -e '.profile == {}'
}
check "a profile is printed with -j alone" profiled

finish
