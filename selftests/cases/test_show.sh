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
plan 45

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

# ended_with STATUS OPTIONS WORD...: a command that ends with STATUS, and its record.
ended_with()
{
	local wanted=$1 options=$2 status=0
	shift 2

	rm -f record
	# shellcheck disable=SC2086
	timeout 120 ktput-ctl $options "$@" record record >printed 2>printed.err ||
		status=$?
	[ "$status" = "$wanted" ] || {
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

invalid()
{
	ended_with 1 "$@" && grep '^INVALID' shown
}

user=(layer user sink-layer user interval 10ms)
all_forms "TCP" same start "${user[@]}" bytes 4M streams 2
all_forms "TCP after a warm-up" same start "${user[@]}" time 100ms warmup 50ms
all_forms "IPv6, by sendfile()" same start "${user[@]}" to ::1 out sendfile bytes 4M
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
all_forms "ping-pong" same pingpong layer user count 200
all_forms "ping-pong of UDP" same pingpong layer user udp count 200
all_forms "ping-pong, interrupted" interrupted pingpong layer user \
	interval 10ms time 1h

finish
