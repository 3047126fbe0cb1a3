#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A thousand connections over loopback, which two threads serve.
#
# environment:
#   KTPUT_STREAMS  how many instead

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 9

ns=
STREAMS=${KTPUT_STREAMS:-1000}
BYTES=$((STREAMS * 20000 + 7))
# Two virtual CPUs under emulation connect some 2000 a second and move 1 Gb/s;
# ten times that, since the machine may have other work.
LIMIT=$((2 * BOUND + STREAMS / 100))
# Of 1,000 streams and more all have 16 MiB of buffers at an end, or the least that
# there is, so that these drain as soon however many they are. A socket takes as
# much beyond its send buffer as fills half of the receiver's window.
BUFFER=$((STREAMS > 1000 ? 16384000 / STREAMS : 16384))
BUFFER=$((BUFFER > 4608 ? BUFFER : 4608))

threads()
{
	[ "$(pgrep -c '^ktput/')" = 2 ]
}

measured()
{
	timeout "$LIMIT" ktput-ctl -j -s start netns "$ns" streams "$STREAMS" \
		bytes "$BYTES" connect-timeout 60 >"$scratch/run"
}

result()
{
	jq -e "$1" "$scratch/run"
}

# snapshot NETNS ID: as it is while the run goes on.
snapshot()
{
	ktput-ctl -j -s show netns "$ns" run "$1" >"$scratch/show"
}

# At a pace, and with so little in flight, that most of the CPUs is left for
# whoever looks, and that the end comes soon: TCP does not pace the first ten
# segments, which on loopback may be 64 KiB each.
started()
{
	timeout "$LIMIT" ktput-ctl -j start netns "$ns" streams "$STREAMS" detach \
		time 600 mss 1400 sndbuf "$BUFFER" rcvbuf "$BUFFER" \
		pace $((40000000 / STREAMS))bit connect-timeout 60 \
		drain-timeout "$LIMIT" >"$scratch/start" || return 1
	source_id=$(jq '.runs[] | select(.role == "source").id' "$scratch/start")
	sink_id=$(jq '.runs[] | select(.role == "sink").id' "$scratch/start")
	wait_for "$BOUND" run_is "$ns" "$sink_id" ".run.accepted == $STREAMS"
}

# Every stream once, each with its ports and its TCP_INFO. Those behind the first
# portion are read later than the CPUs, so their sum is no less.
complete()
{
	local id

	for id in "$source_id" "$sink_id"; do
		snapshot "$id" || return 1
		jq -e "(.streams | length) == $STREAMS and
			([.streams[].stream] | sort) == [range($STREAMS)] and
			([.streams[] | .local + .remote] | unique | length) == $STREAMS and
			(.streams | all((.local + \" \" + .remote |
				test(\"^127[.]0[.]0[.]1:[0-9]+ 127[.]0[.]0[.]1:[0-9]+$\"))
				and .send_mss_bytes > 0)) and
			([.streams[].bytes] | add) >= ([.cpus[].bytes] | add)" \
			"$scratch/show" || return 1
	done
}

stopped()
{
	ktput-ctl stop netns "$ns" run "$source_id" &&
		wait_for "$LIMIT" run_is "$ns" "$sink_id" \
			'.run.state == "ended" and .run.reason == "peers"' &&
		run_is "$ns" "$source_id" \
			'.run.state == "ended" and .run.reason == "stopped"'
}

agree()
{
	local id sums=()

	for id in "$source_id" "$sink_id"; do
		snapshot "$id" || return 1
		sums+=("$(jq '[.streams[].bytes] | add' "$scratch/show")")
	done
	echo "sent ${sums[0]}, received ${sums[1]}"
	[ "${sums[0]}" -gt 0 ] && [ "${sums[0]}" = "${sums[1]}" ]
}

setup()
{
	netns_add ns
}

check "a namespace" setup || finish
check "$STREAMS streams: a measurement" measured
check "$STREAMS streams: every byte" result ".result.valid and
	.result.bytes == $BYTES and
	([.intervals[-1].source.streams[].bytes] | add) == $BYTES and
	([.intervals[-1].sink.streams[].bytes] | add) == $BYTES"
check "$STREAMS streams: each its share" result "
	([.intervals[-1].source.streams[].bytes] | group_by(.) |
		map([.[0], length])) == [[20000, $((STREAMS - 7))], [20001, 7]]"
check "$STREAMS streams, detached: all are connected" started
check "two threads serve them" threads
check "snapshots are complete" complete
check "a stop ends them all" stopped
check "what was sent was received" agree
finish
