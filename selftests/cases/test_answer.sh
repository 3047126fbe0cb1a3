#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a run prints after its intervals: at most 12 lines of 80 columns, of which
# the first is goodput; -s has all the rest. In user space, without the module.
#
# kernel: host

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

need ktput-ctl awk gojq
scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
plan 20

ends='layer user sink-layer user'

# answer [-s] WORD...: the lines after the empty one that ends the intervals.
answer()
{
	local detail=() status=0

	[ "$1" != -s ] || { detail=(-s); shift; }
	# shellcheck disable=SC2086  # words
	timeout 60 ktput-ctl "${detail[@]}" start $ends "$@" \
		>"$scratch/text" 2>"$scratch/err" || status=$?
	sed '1,/^$/d' "$scratch/text" >"$scratch/answer"
	return "$status"
}

# fits: it is a screen, and says so where it is not.
fits()
{
	awk 'length > 80 { print "too wide: " $0; bad = 1 }
	     END { if (NR < 1 || NR > 12) { print NR " lines"; bad = 1 }
		   exit bad }' "$scratch/answer" &&
		! grep -nE '^Bottleneck' -v "$scratch/answer" |
			grep -E 'none:|\b(nan|inf|unknown)\b' && return
	cat "$scratch/text" "$scratch/err"
	return 1
}

# has WORD...: its lines begin with these, in this order, and with no other, but for
# what others do on this machine.
has()
{
	diff <(printf '%s\n' "$@") \
		<(sed -nE '/^Disturbed /d; s/^([A-Z][a-z]+(-[a-z]+| [a-z]+)?) .*/\1/p' \
			"$scratch/answer" | sed 's/ *$//') && return
	cat "$scratch/text" "$scratch/err"
	return 1
}

# lacks REGEXP: no line has it.
lacks()
{
	! grep -E "$1" "$scratch/answer"
}

# Retransmissions are there if there were any.
tcp()
{
	answer time 500ms && fits &&
		sed -i '/^Retransmissions /d' "$scratch/answer" &&
		has Goodput Source Sink Bottleneck Try
}
check "TCP" tcp
check "no line of what does not apply" \
	lacks '^(Ended|Zero copy|Intervals|Messages|Wire rate|Ceilings|INVALID)'
# of_both REGEXP: the line of either end has it.
of_both()
{
	[ "$(grep -cE "^(Source|Sink) +(CPU [0-9,-]+|[0-9]+ CPUs): [0-9.]+% run, ([0-9]+% other, )?$1$" \
		"$scratch/answer")" = 2 ]
}
check "the CPUs of both ends" of_both '[0-9.]+ cycles/byte(: .*)?'

intervals()
{
	answer time 2s interval 100ms record "$scratch/record" replace && fits ||
		return 1
	jq -e '.result.statistics.goodput_bps | .too_short and .ci_low == null' \
		"$scratch/record" >/dev/null &&
		! grep -F 'interval of the mean' "$scratch/answer" && return
	cat "$scratch/text"
	return 1
}
check "no interval of the mean from one run" intervals

detail()
{
	answer -s time 500ms interval 100ms && for heading in Ended Goodput Messages Intervals \
		'  cycles\/byte' 'Wire rate' Retransmissions 'Round-trip time' \
		TCP Ceilings Bottleneck CPU 'Busy cycles' 'Source calls' \
		'Sink calls' Source Sink Reconciliation; do
		sed -n "/^$heading/p" "$scratch/answer" | grep -q . || {
			echo "no '$heading'"
			cat "$scratch/answer"
			return 1
		}
	done
}
check "-s has all" detail

# The sink's buffer takes three of them.
loss()
{
	answer udp size 1448 rcvbuf 8K time 500ms && fits &&
		has Goodput Packets Lost Source Sink Bottleneck Try
}
check "UDP with loss" loss
# Where others fill a CPU, it is they that keep the sink from reading.
where()
{
	tr -s ' \n' ' ' <"$scratch/answer" | grep -E -e 'Bottleneck loss: [0-9.]+% of the datagrams were lost, most by the sink.s sockets, whose buffers were full.* Try a greater rcvbuf' \
		-e 'Disturbed other work used .* Bottleneck other work: '
}
check "where, and what may help" where
check "the cost is that of a packet" of_both '[0-9.]+ cycles/packet(: .*)?'

# bound_by_rate: where 95 % of what was asked for is reached, that binds, whatever
# else the CPUs are busy with.
bound_by_rate()
{
	local rate

	rate=$(jq '.result.ceilings[] | select(.name == "rate").share' \
		"$scratch/record") &&
		if jq -en "$rate >= 0.95" >/dev/null; then
			grep -q '^Bottleneck  *rate: ' "$scratch/answer" &&
				grep -qE '^Try  *a higher (rate|pace)' "$scratch/answer"
		else
			! grep '^Bottleneck  *rate: ' "$scratch/answer"
		fi && return
	cat "$scratch/text"
	return 1
}

paced()
{
	answer udp rate 200pps rcvbuf 4M time 1s record "$scratch/record" \
		replace && fits && bound_by_rate
}
check "UDP without loss, at a rate" paced

pace()
{
	answer pace 8mbit size 1448 time 1s record "$scratch/record" replace &&
		fits && bound_by_rate
}
check "TCP that is paced is told so" pace

everything()
{
	answer -s udp rate 1kpps rcvbuf 4M time 500ms &&
		for heading in Packets Sent Received Lost Order 'One-way delay'; do
		grep -q "^$heading " "$scratch/answer" || return 1
	done
}
check "-s has the rest of UDP" everything

single()
{
	! answer udp messages 1 && fits && has Goodput Packets &&
		grep -q '^INVALID ' "$scratch/answer"
}
check "a result that is none says why" single

streams()
{
	answer streams 1000 time 500ms && fits
}
check "1000 streams" streams

interrupted()
{
	# shellcheck disable=SC2086  # words
	background told env --default-signal=INT ktput-ctl start $ends time 60s \
		interval 100ms
	wait_for "$BOUND" grep -q '^ *0.00-' "$scratch/told.out" || return 1
	kill -INT "${background[told]}"
	ended told && sed '1,/^$/d' "$scratch/told.out" >"$scratch/answer" &&
		fits && grep -q '^Ended  *stopped$' "$scratch/answer"
}
check "one that was told to stop says so" interrupted

idle()
{
	timeout 60 ktput-ctl sink layer user on 127.0.0.1 port 0 time 300ms \
		>"$scratch/text" 2>"$scratch/err" || return 1
	cat "$scratch/text"
	grep -q '^sink: ' "$scratch/text" || return 1
	sed '1,/^$/d' "$scratch/text" >"$scratch/answer"
	[ "$(<"$scratch/answer")" = 'Received         nothing: nobody sent a byte' ]
}
check "a sink without traffic says so" idle

pingpong()
{
	timeout 60 ktput-ctl "$@" pingpong layer user time 300ms \
		>"$scratch/text" 2>"$scratch/err" &&
		sed '1,/^$/d' "$scratch/text" >"$scratch/answer"
}

trips()
{
	pingpong && fits && has 'Round trips' Latency Source Sink Bottleneck Try &&
		grep -qE '^Source  .* run, .* cycles/trip' "$scratch/answer"
}
check "round trips" trips

trips_in_detail()
{
	pingpong -s &&
		grep -q '^Given up  *0 requests, 0 late responses$' \
			"$scratch/answer" &&
		grep -qE '^CPU +busy +source cycles' "$scratch/answer" &&
		grep -qE '^Own cycles +[0-9]+ per round trip' "$scratch/answer" &&
		grep -qE '^Busy cycles +[0-9]+ per round trip' "$scratch/answer"
}
check "-s has the CPUs, and what is 0" trips_in_detail

# A run of the repeated ones has its screen, and the summary is there.
repeated()
{
	answer time 200ms repeat 2 && [ "$(grep -c '^Goodput ' "$scratch/text")" = 2 ] &&
		grep -q '^Summary ' "$scratch/text"
}
check "each of several runs" repeated

recorded_too()
{
	answer time 300ms interval 100ms record "$scratch/record" replace && fits &&
		jq -e '.result | has("ceilings") and has("cpus") and
			has("reconciliation") and has("statistics")' \
			"$scratch/record"
}
check "a record has all, whatever the screen" recorded_too

json()
{
	# shellcheck disable=SC2086  # words
	timeout 60 ktput-ctl -j start $ends time 300ms >"$scratch/document" &&
		jq -es 'length == 1 and (.[0].result | has("ceilings") and
			has("cpus") and has("reconciliation"))' "$scratch/document"
}
check "JSON has all, too" json
finish
