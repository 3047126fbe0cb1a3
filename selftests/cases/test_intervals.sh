#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Intervals add up: they follow each other without a gap, the first begins with
# the run and the last ends with it, and their bytes are those of the totals, of
# each CPU and of each stream. Statistics are those of the intervals.
#
# kernel: any

# shellcheck disable=SC2016  # jq's variables

. "$(dirname "$0")/../lib/lib.sh"
. "$(dirname "$0")/../lib/runs.sh"

begin 24

BYTES=300000

# measure ARGUMENT...: a run to its end; its record is in $scratch/run.
measure()
{
	timeout 120 ktput-ctl -j -s start "$@" >"$scratch/run"
}

# What is said of the record, in the words of jq; $which names the end that counts.
cat >"$scratch/words.jq" <<'JQ'
def bytes: [.[].bytes] | add // 0;
def near($other): (. - $other | fabs) <= 1e-9 * ($other | fabs);
def pairs: . as $all | [range(1; length) | [$all[. - 1], $all[.]]];

# Each begins where the one before has ended.
def adjacent: .intervals |
	length > 0 and .[0].from_ns == 0 and all(.from_ns < .to_ns) and
	(pairs | all(.[0].to_ns == .[1].from_ns));

# The last snapshot, in time since the source began.
def ends($which): .intervals[-1] |
	.to_ns == .[$which].run.now_ns - .source.run.begun_ns;

# Bytes of an interval are what was added to all CPUs, and in the end to all
# streams. A stream of datagrams may be served by another CPU than it is read on,
# a moment later.
def added($which): ([{($which): {cpus: []}}] + .intervals | pairs |
	all(.[0][$which] as $from | .[1][$which] as $to |
		.[1].bytes == ($to.cpus | bytes) - ($from.cpus | bytes))) and
	(.intervals[-1][$which] | (.cpus | bytes) == (.streams | bytes));

# In each snapshot a CPU has counted what its streams have.
def each_cpu: [.intervals[] | .source, .sink | select(.)] |
	all(.streams as $streams | .cpus | all(.cpu as $cpu | .bytes ==
		([$streams[] | select(.cpu == $cpu)] | bytes)));

# No counter runs backwards, of a CPU or of a stream.
def forwards: [.intervals[] | .source, .sink | select(.)] | group_by(.run.role)
	| all(pairs | all(.[0] as $from | .[1] as $to |
		([$from.cpus, $to.cpus] | transpose |
			all(.[0].cpu == .[1].cpu and .[0].bytes <= .[1].bytes and
				.[0].time_ns < .[1].time_ns)) and
		([$from.streams, $to.streams] | transpose |
			all(.[0] == null or .[0].bytes <= .[1].bytes))));

# What TCP says of the source in intervals adds up to what it says in the end.
def tcp_adds_up: .intervals as $all | $all[-1].source.streams |
	length > 0 and all(.stream as $id | .tcp as $last |
	[$all[].tcp[] | select(.id == $id)] |
	([.[].busy_us] | add) == $last.busy_us and
	([.[].retransmissions] | add) == $last.retransmissions and
	([.[].receive_window_limited_us] | add) ==
		$last.receive_window_limited_us);

# Intervals that the statistics are made of.
def kept: .result.statistics.left_out as $out |
	.intervals[$out.warm_up_intervals:] |
	.[:length - $out.last_intervals];

def statistics_of($key): kept as $kept | .result.statistics[$key] |
	.count == ($kept | length) and .batches == 1 and .too_short and
	.ci_low == null and .ci_high == null and
	(.mean | near([$kept[][$key]] | add / length)) and
	(.min | near([$kept[][$key]] | min)) and
	(.max | near([$kept[][$key]] | max)) and
	(.p25 == null) == (.count < 13) and (.p95 == null) == (.count < 72) and
	.p05 <= .median and (.p95 == null or .median <= .p95) and
	.confidence == 0.95;
JQ

# holds FILTER: true if it does for the last record.
holds()
{
	jq -e -f <(cat "$scratch/words.jq"; echo "$1") "$scratch/run" || {
		jq -c '{intervals: [.intervals[] | {from_ns, to_ns, bytes}],
			result: (.result | {bytes, statistics})}' "$scratch/run"
		return 1
	}
}

# add_up NAME END: five results.
add_up()
{
	check "$1: intervals follow each other" holds adjacent
	check "$1: the last ends with the run" holds "ends(\"$2\")"
	check "$1: bytes are those of CPUs and streams" holds "added(\"$2\")"
	check "$1: counters do not run backwards" holds forwards
	check "$1: their sum is the total" \
		holds "(.intervals | bytes) == .result.bytes"
}

# Slow, and in small segments since the first ten are not paced, so that there are
# several intervals on any machine.
check "TCP, intervals of 10 ms" measure bytes "$BYTES" streams 2 pace 700kbit \
	mss 1448 interval 10ms
add_up TCP sink
check "TCP: all bytes are in them" holds "(.intervals | bytes) == $BYTES"
check "TCP: each CPU has counted what its streams have" holds each_cpu
check "TCP: what TCP waited for adds up" holds tcp_adds_up
check "TCP: statistics are those of the intervals" \
	holds 'statistics_of("goodput_bps")'

# Read by a thread, since datagrams that are taken in softirq are counted to CPUs
# and streams at different times.
check "UDP, intervals of 10 ms" measure udp messages 500 rate 500pps \
	interval 10ms sink-method copy
add_up UDP sink
check "UDP: statistics of packets" holds 'statistics_of("packets_per_s")'

check "warm-up of 200 ms" measure bytes "$BYTES" pace 500kbit mss 1448 \
	warmup 200ms interval 50ms
check "warm-up: intervals are cut there, and it is left out" holds '
	.result.statistics.left_out.warm_up_intervals as $count |
	.intervals | $count > 0 and (.[:$count] | all(.warm_up)) and
	(.[$count:] | length > 0 and all(.warm_up | not)) and
	.[$count - 1].to_ns >= 200000000 and
	(.[:$count - 1] | all(.to_ns < 200000000))'
check "warm-up: the intervals after it add up to the result" holds '
	([.intervals[] | select(.warm_up | not)] | bytes) == .result.bytes and
	(.intervals | bytes) == '$BYTES
check "warm-up: statistics are those of the intervals after it" \
	holds 'statistics_of("goodput_bps")'

# Much is received while a snapshot is taken.
check "warm-up at full speed" measure time 2s warmup 200ms interval 200ms
check "warm-up at full speed: the intervals after it add up to the result" holds '
	([.intervals[] | select(.warm_up | not)] | bytes) == .result.bytes'

# No line is wider than 80 columns, and the words are there.
text()
{
	timeout 120 ktput-ctl -s start bytes 200K pace 1mbit mss 1448 \
		interval 400ms >"$scratch/text" &&
		sed -n '/^Intervals/,/^Wire/p; /^TCP/,/^$/p' "$scratch/text" |
		awk 'length > 80 { print; bad = 1 } END { exit bad }' &&
		grep -q '^Intervals  .* of 400 ms: mean ' "$scratch/text" &&
		tr -s '\n ' ' ' <"$scratch/text" | grep -q 'a confidence interval needs'
}
check "text: 80 columns, and no interval from one run" text
finish
