#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl show FILE: what start, sink and pingpong printed at their end, to the
# byte, from the record alone; as text, with -s and as JSON. Without root or module
# the runs are those of user space.
#
#   a: veth0 10.9.0.1 ------- b: veth0 10.9.0.2
#
# kernel: any

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need ktput-ctl jq pkill ss
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
cd "$scratch" || exit 1
plan 82

# results: of what a command printed all but which runs there are, and the
# intervals, up to an empty line.
results()
{
	awk '/^(source|sink): / { skip = 1 }
		!skip { print }
		/^$/ { skip = 0 }' printed
}

# shown OPTIONS: the results that were printed are those that show prints.
shown()
{
	results >wanted
	# shellcheck disable=SC2086  # OPTIONS may be none
	ktput-ctl $1 show record >shown 2>shown.err || {
		cat shown.err
		return 1
	}
	[ -s wanted ] && diff wanted shown
}

# ended_with STATUS OPTIONS WORD...: a command that ends with STATUS, a pattern, and
# its record.
ended_with()
{
	local wanted=$1 options=$2 status=0
	shift 2

	rm -f record
	# shellcheck disable=SC2086
	timeout 120 ktput-ctl $options "$@" record record >printed 2>printed.err ||
		status=$?
	# shellcheck disable=SC2053  # it is a pattern
	[[ $status == $wanted ]] || {
		echo "it ended with $status"
		cat printed printed.err
		return 1
	}
	shown "$options"
}

# The record has the document that -j prints.
same_document()
{
	ktput-ctl -j show record | grep -v '^{"summary"' >shown
	[ -s record ] && cmp shown record
}

# all_forms NAME COMMAND WORD...: COMMAND takes options of ktput-ctl before WORD...
all_forms()
{
	local name=$1 command=$2
	shift 2

	check "$name" "$command" "" "$@"
	check "$name, -s" "$command" -s "$@"
	check "$name, -j" same_document
}

begun()
{
	grep -qE '^ *[0-9.]+-[0-9.]+ ' run.out
}

listening()
{
	[ -n "$(ss -tlnH "sport = :$port")" ]
}

# background_run OPTIONS WORD...: a command whose record is to be "record".
background_run()
{
	local options=$1
	shift

	rm -f record
	# shellcheck disable=SC2086
	background run timeout 120 ktput-ctl $options "$@" record record
}

# background_shown OPTIONS: that command has ended, and is shown.
background_shown()
{
	ended run || {
		cat run.out run.err
		return 1
	}
	cp run.out printed
	shown "$1"
}

interrupted()
{
	background_run "$@"
	wait_for "$BOUND" begun || return 1
	pkill -INT -P "${background[run]}" ktput-ctl
	background_shown "$1" && jq -e .result.interrupted record >/dev/null
}

# sink_alone OPTIONS WORD...: a sink whose source is another command.
sink_alone()
{
	local port=$((20000 + RANDOM % 10000))

	background_run "$1" sink once port "$port" interval 10ms "${@:2}"
	wait_for "$BOUND" listening && ktput-ctl start to 127.0.0.1 alone port "$port" \
		bytes 1M layer user && background_shown "$1"
}

# source_alone OPTIONS WORD...: a source whose sink is another command.
source_alone()
{
	local port=$((20000 + RANDOM % 10000))

	background other ktput-ctl sink once port "$port" layer user
	wait_for "$BOUND" listening && ended_with 0 "$1" start to 127.0.0.1 alone \
		port "$port" bytes 1M "${@:2}" && ended other
}

same()
{
	ended_with 0 "$@"
}

# With a busy machine there may be no payload after a warm-up, which is shown, too.
timed()
{
	ended_with "[01]" "$@"
}

invalid()
{
	ended_with 1 "$@" && grep '^INVALID' shown
}

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
refused "a bad line" 1 "^ktput-ctl: damaged:2: the JSON ends in the middle" \
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

# of_module NAME COMMAND WORD...: all_forms, where the module is there.
of_module()
{
	if [ "$module" ]; then
		all_forms "$@"
	else
		for name in "$1" "$1, -s" "$1, -j"; do
			skip "$name" "the module cannot be loaded"
		done
	fi
}

module=
if [ "$(id -u)" = 0 ] && ktput_load 2>/dev/null && netns_add a && netns_add b; then
	module=1
	ip link set lo up
	# Set by netns_add.
	calm "${a:?}" "${b:?}"
	veth_add "$a" 10.9.0.1/24 "$b" 10.9.0.2/24
fi
far=(netns "${a-}" sink-netns "${b-}" to 10.9.0.2 interval 50ms)
of_module "TCP of the module" same start bytes 4M streams 2 interval 50ms
of_module "TCP over veth" timed start "${far[@]}" time 1s warmup 200ms
of_module "UDP of the module" same start "${far[@]}" udp messages 400 rate 4kpps
of_module "frames, from the queue to ingress" same start "${far[@]}" udp messages 400 \
	rate 4kpps layer queue sink-layer ingress
of_module "frames, from the driver to XDP" same start "${far[@]}" udp messages 400 \
	rate 4kpps layer driver sink-layer driver size imix
of_module "a sink of the module" sink_alone
of_module "ping-pong of the module" same pingpong messages 100

finish
