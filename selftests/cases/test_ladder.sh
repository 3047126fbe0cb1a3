#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ktput-ctl ladder: every rung that is possible has a result in every round, one
# that is not says why, and what it prints is what the runs came to.
#
#   a: veth0 10.1.0.1 ------- b: veth0 10.1.0.2
#
# kernel: any

# shellcheck disable=SC2016  # jq has variables of its own

. "$(dirname "$0")/../lib/lib.sh"

need_root
need gojq ip ktput-ctl
need_lab
ktput_load || skip_all "the module cannot be loaded"
plan 27

scratch=$(mktemp -d)
at_exit rm -rf "$scratch"
netns_add a
netns_add b
# Set by netns_add.
: "${a:?}" "${b:?}"
veth_add "$a" 10.1.0.1/24 "$b" 10.1.0.2/24 || skip_all "no veth here"
ip link set lo up
# A rung more, and a step.
uring=1 uring_words=io_uring
no_uring=$(without_uring) && uring=0 uring_words=
TCP=$(rungs '.group == "tcp"')
TRANSMIT=$(rungs '.group == "transmit"')
RECEIVE=$(rungs '.group == "receive"')
SEGMENTS=$(rungs .segments)
# With a ping-pong of the module, and without any of their layer.
IN_KERNEL=$(rungs '.latency != "" and (.latency | endswith("user space") | not)')

# ladder WORD...: three rounds of short runs; the result is $scratch/ladder. A round
# takes less than twice BOUND.
# An emulated machine has other work: no round is repeated for that.
calm="disturbed-above 100"
ladder()
{
	# shellcheck disable=SC2086  # words
	timeout $((10 * BOUND)) ktput-ctl -j ladder rounds 3 time 400ms $calm \
		until ci 0.001% limit $((8 * BOUND))s record "$scratch/record" replace "$@" \
		>"$scratch/ladder" 2>"$scratch/progress"
}

# says FILTER: true if it holds for the ladder.
says()
{
	jq -e "$1" "$scratch/ladder" || {
		cat "$scratch/ladder" "$scratch/progress"
		return 1
	}
}

between_namespaces()
{
	# shellcheck disable=SC2086  # none, or one
	ladder netns "$a" sink-netns "$b" to 10.1.0.2 rate 500pps \
		latency $uring_words
}

# mean_of KEY FILTER: the mean of a figure over records that FILTER selects is the
# one of the ladder.
same_as_records()
{
	local want got

	want=$(jq -s '[.[] | select(.source.config.transport == "tcp" and
		.source.config.layer == "socket" and
		.source.config.method == "copy")
		.result.own_cycles_per_byte] | add / length' "$scratch/record")
	got=$(jq '.ladder.tcp[] | select(.name == "kernel, copy out and in")
		.cycles_per_byte.mean' "$scratch/ladder")
	jq -ne "($want - $got | fabs) < 1e-9 * $want"
}

# shuffled: the TCP rungs of the rounds are run in orders that differ.
shuffled()
{
	jq -es '[.[] | select(.source.config.transport == "tcp") | .source.config.layer +
		.source.config.method + .sink.config.method] |
		(length / 3) as $n |
		[range(0; 3) as $i | .[$i * $n:($i + 1) * $n]] |
		., ((map(sort) | unique | length) == 1 and (unique | length) > 1)' \
		"$scratch/record"
}

# drawn: the page of the record has the ladder.
drawn()
{
	ktput-report html "$scratch/record" out "$scratch/page.html" &&
		grep -q 'step by step' "$scratch/page.html"
}

# all_sizes: a ladder of each size in each direction, of which there are six of UDP.
all_sizes()
{
	ladder layer user udp sizes both netns "$a" sink-netns "$b" to 10.1.0.2 \
		from 10.1.0.1 rate 2kpps &&
		jq -es 'map(.ladder) | (map([.datagram_bytes, .segments, .reverse]) |
			sort) == [[64, 1, false], [64, 1, true], [1448, 1, false],
			[1448, 1, true], [1448, 45, false], [1448, 45, true]] and
			all(.rounds == 3 and (.transmit | length == 1 and
			all(.runs == 3 and .failed_runs == 0)))' "$scratch/ladder"
}

# in_each_direction: the source of each is where it was asked for.
in_each_direction()
{
	jq -es '[.[] | select(.source) | .source.config.remote] | unique == ["10.1.0.1",
		"10.1.0.2"]' "$scratch/record"
}

# segments_of: only rungs whose calls have several datagrams, and each has them.
segments_of()
{
	ladder udp segments 4 netns "$a" sink-netns "$b" to 10.1.0.2 rate 400pps &&
		says '[.ladder.transmit[], .ladder.receive[]] | length == '"$SEGMENTS"' and
			all(.runs == 3 and .failed_runs == 0)' &&
		jq -es '[.[] | select(.source) | .source.config.segments] |
			length >= '$((3 * SEGMENTS))' and all(. == 4)' "$scratch/record"
}

# told: the text has each rung, what lies between two, and fits a terminal.
told()
{
	# shellcheck disable=SC2086  # words
	ktput-ctl ladder layer user rounds 3 time 100ms $calm udp rate 500pps seed 7 \
		>"$scratch/text" 2>"$scratch/progress" || return 1
	cat "$scratch/text" "$scratch/progress"
	grep -q "(seed 7)" "$scratch/text" && ! grep -qE '.{81}' "$scratch/text" &&
		grep -q '^UDP, transmit: \(own cycles\|instructions\) of all CPUs' "$scratch/text"
}

interrupted()
{
	local status=0

	# shellcheck disable=SC2086  # words
	ktput-ctl -j ladder tcp time 300ms $calm >"$scratch/ladder" \
		2>"$scratch/progress" &
	wait_for $((4 * BOUND)) grep -q 'round 1 ' "$scratch/progress" || return 1
	kill -INT $!
	wait $! || status=$?
	[ "$status" = 0 ] && says '.ladder.interrupted and .ladder.tcp[0].runs >= 1'
}

check "between two namespaces" between_namespaces
check "every TCP rung has a result in every round" says \
	'[.ladder.tcp[] | select(.name != "user, io_uring")] |
	length == '"$TCP"' and all(.runs == 3 and .failed_runs == 0)'
if [ $uring = 0 ]; then
	skip "and one of io_uring" "ktput-ctl was $no_uring"
else
	check "and one of io_uring" says '[.ladder.tcp[] |
		select(.name == "user, io_uring")] | length == 1 and
		all(.runs == 3 and .failed_runs == 0)'
fi
check "every place to transmit" says \
	'.ladder.transmit | length == '"$TRANSMIT"' and all(.runs == 3 and .failed_runs == 0)'
check "every place to receive" says \
	'.ladder.receive | length == '"$RECEIVE"' and all(.runs == 3 and .failed_runs == 0)'
check "UDP rungs are asked for the rate, all but one" jq -es 'map(.source.config |
	select(.transport == "udp")) | length >= '$((3 * (TRANSMIT + RECEIVE)))' and
	(map(select(.packet_rate_per_s != 500)) | length == '$((3 * $(rungs '.paced | not')))' and
	 all(.packet_rate_per_s == null and .layer == "driver"))' "$scratch/record"
check "pacing is measured in each round, without a packet and a sink" jq -es '[.[] |
	select(.source.config.pace_only)] | length == 3 and
	all(.sink == null and .result.packets > 0)' "$scratch/record"
check "a difference for each pair" says ".ladder.steps | length == $(steps true) + $uring"
check "a difference is that of the means" says '.ladder as $l | $l.steps | all(select(.below) |
	. as $step | [$l[$step.group][] | select(.name == $step.above or
		.name == $step.below) |
		(.cycles_per_byte // .cycles_per_packet).mean] as $m |
	(.cycles_per_byte // .cycles_per_packet).mean as $d |
	(($m[0] - $m[1] | fabs) - ($d | fabs) | fabs) < 1e-6 * ($m | max))'
check "round trips where a ping-pong is like the rung" says '.ladder.latency |
	length == '$((TCP + TRANSMIT + RECEIVE + uring))' and ([.[] | select(.kind) | select(.kind |
		endswith("user space") | not)] | length == '"$IN_KERNEL"' and
		all(.median_ns > 0 and (.p99_ns == null or .p99_ns >= .median_ns)) and
		any(.p99_ns != null)) and
	([.[] | select(.name | test("^(IP$|queue$|XDP)")) |
		.not_measured_because] | length == 4 and all(test("no ping-pong")))'
check "the bypass is quicker than sockets" says '.ladder.latency |
	map(select(.kind) | {(.kind): .median_ns}) | add |
	.bypass < .["UDP, kernel"]'
check "the ceilings of a rung, of which one at most binds" says \
	'.ladder.ceilings | length > 0 and (map(select(.binds)) | length) <= 1'
check "means are those of the records" same_as_records
check "a round is in an order of its own" shuffled
check "the ladder stands behind its records" sh -c \
	"tail -n 1 '$scratch/record' | cmp - '$scratch/ladder'"
check "rounds end where they are to" says '.ladder.rounds == 3 and (.ladder.met | not)'

check "the ladder is on the page of the record" drawn
check "sockets of user space alone, as text" told
check "a ladder of each size in each direction" all_sizes
check "each direction has its own source" in_each_direction
check "datagrams that one call hands over" segments_of
refused "a word that is none" 2 "Try 'ktput-ctl ladder help'" ktput-ctl ladder nosuch
check "over loopback, UDP" ladder udp rate 500pps
check "what loopback has no place for says why" says '[.ladder.transmit[] |
	select(.name == "queue" or .name == "driver")] | length == 2 and
	all(.runs == 0 and .failed_runs > 0 and (.not_run_because | length > 0))'
check "an interrupt prints what there is" interrupted
refused "no rung can be run" 1 'no rung has a result' \
	as_nobody ktput-ctl ladder udp rate 1kpps rounds 3 time 100ms
refused "two rounds are too few" 2 'rounds' ktput-ctl ladder rounds 2
finish
